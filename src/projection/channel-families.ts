import type { ChannelServing } from "../mapping/channel-mapper.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { convert } from "../mapping/units/conversion.ts";
import { CHANNEL_FACTS, type Channel } from "../model/channel.ts";
import { stateText } from "../model/lookups.ts";
import { LIMIT_NAMES, type LimitName } from "../prtg/records.ts";
import type { Family } from "./family.ts";

/** About a channel: what rules make of it. Those that they drop are not shown at all. */
export type ChannelFamily = Family<Channel, ChannelServing, "channel" | "mapped" | "ids" | "everything">;

const { listed, measurement, limits, comparison, state } = CHANNEL_FACTS;

export const CHANNEL_FAMILIES = {
  channelInfo: {
    family: TREE_FAMILIES.channelInfo,
    labels: "everything",
    facts: listed,
    value: () => 1,
    until: (channel) => channel.listedUntil,
  },
  channelValue: {
    family: TREE_FAMILIES.channelValue,
    labels: "channel",
    facts: measurement,
    freesSlotOnRelabel: true,
    isMeasured: true,
    has: (_, { original }) => original,
    value: (channel) => channel.value,
    until: (channel) => channel.valueUntil,
  },
  channelLimit: {
    family: TREE_FAMILIES.channelLimit,
    labels: "channel",
    facts: limits,
    freesSlotOnRelabel: true,
    each: LIMIT_NAMES,
    has: (channel, { original }, name) => original && limitOf(channel, name) !== undefined,
    value: (channel, _, name) => limitOf(channel, name),
    until: (channel) => channel.limits?.until ?? 0,
  },
  channelLimitExceeded: {
    family: TREE_FAMILIES.channelLimitExceeded,
    labels: "ids",
    facts: comparison,
    each: LIMIT_NAMES,
    has: (channel, _, name) => limitOf(channel, name) !== undefined,
    value: isExceeded,
    until: (channel) => Math.min(channel.valueUntil, channel.limits?.until ?? 0),
  },
  channelState: {
    family: TREE_FAMILIES.channelState,
    labels: "channel",
    facts: state,
    freesSlotOnRelabel: true,
    own: ({ lookup, value }) => (lookup === undefined ? "" : stateText(lookup.definition, value ?? 0).toWellFormed()),
    // Without a text the series is removed, so that its slot is free for another one.
    has: (channel) => channel.lookup !== undefined && channel.value !== undefined,
    value: () => 1,
    until: (channel) => Math.min(channel.valueUntil, channel.lookup?.until ?? 0),
  },
} as const satisfies Record<string, ChannelFamily>;

/** What rules give a channel: its value in the unit of their family, and its limits in that unit. */
export const MAPPED_FAMILIES: readonly ChannelFamily[] = [
  {
    family: ({ mapped }) => mapped?.family,
    labels: "mapped",
    facts: measurement,
    freesSlotOnRelabel: true,
    isMeasured: true,
    value: ({ value }, serving) => mappedValue(value, serving),
    until: (channel) => channel.valueUntil,
  },
  {
    family: ({ mapped }) => mapped?.family.limits,
    labels: "mapped",
    facts: limits,
    freesSlotOnRelabel: true,
    each: LIMIT_NAMES,
    has: (channel, _, name) => limitOf(channel, name) !== undefined,
    value: (channel, serving, name) => mappedValue(limitOf(channel, name), serving),
    until: (channel) => channel.limits?.until ?? 0,
  },
];

function limitOf({ limits: known }: Channel, name: string): number | undefined {
  return known === undefined ? undefined : known.values[name as LimitName];
}

function mappedValue(value: number | undefined, { mapped }: ChannelServing): number | undefined {
  return value === undefined || mapped === undefined ? undefined : convert(mapped.conversion, value);
}

function isExceeded(channel: Channel, _: ChannelServing, name: string): number | undefined {
  const limit = limitOf(channel, name);
  const { value } = channel;
  return limit === undefined || value === undefined
    ? undefined
    : Number(isBeyondLimit(name as LimitName, limit, value));
}

/** True when the value lies beyond the limit: above a maximum, below a minimum; a value on the limit is within it. */
export function isBeyondLimit(name: LimitName, limit: number, value: number): boolean {
  return name.startsWith("max_") ? value > limit : value < limit;
}
