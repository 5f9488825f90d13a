import { CHANNEL_FACTS, type Channel } from "../../model/channel.ts";
import { stateText } from "../../model/lookups.ts";
import { LIMIT_NAMES, type LimitName } from "../../prtg/records.ts";
import type { ChannelServing } from "../rules/rule.ts";
import { convert } from "../units/base-units.ts";
import type { Family, Samples } from "./family.ts";
import { CHANNEL_ID_LABELS, CHANNEL_INFO_LABELS, CHANNEL_LABELS } from "./labels.ts";

/** About a channel and how rules serve it. Channels that rules drop have no series. */
export type ChannelFamily = Family<Channel, ChannelServing>;

const { listed, measurement, limits, comparison, state } = CHANNEL_FACTS;

const channelValue = {
  name: "prtg_channel_value",
  help: "Last measurement of the channel in the unit of the label unit (last_measurement.display_value).",
  labels: CHANNEL_LABELS,
  facts: measurement,
  freesSlotOnRelabel: true,
  isMeasured: true,
  has: (_, { original }) => original,
  value: (channel) => channel.value,
  expiresAt: (channel) => channel.valueExpiresAt,
} as const satisfies ChannelFamily;

export const CHANNEL_FAMILIES = {
  channelValue,
  channelLimit: {
    name: "prtg_channel_limit",
    help: "Limit of the channel, in the unit of its value (include=alerting).",
    labels: CHANNEL_LABELS,
    lastLabel: { name: "limit", values: LIMIT_NAMES },
    facts: limits,
    freesSlotOnRelabel: true,
    has: (channel, { original }, name) => original && limitOf(channel, name) !== undefined,
    value: (channel, _, name) => limitOf(channel, name),
    expiresAt: (channel) => channel.limits?.expiresAt ?? 0,
  },
  channelLimitExceeded: {
    name: "prtg_channel_limit_exceeded",
    help: "1 if the channel's value exceeds that limit, else 0. Absent without limit or value.",
    labels: CHANNEL_ID_LABELS,
    lastLabel: { name: "limit", values: LIMIT_NAMES },
    facts: comparison,
    has: (channel, _, name) => limitOf(channel, name) !== undefined,
    value: isExceeded,
    expiresAt: (channel) => Math.min(channel.valueExpiresAt, channel.limits?.expiresAt ?? 0),
  },
  channelState: {
    name: "prtg_channel_state",
    help: "1 for the current lookup text of the channel (GET /lookup-definitions, include=values). If the lookup lacks the value, the text is the number.",
    labels: CHANNEL_LABELS,
    lastLabel: {
      name: "state",
      textOf: ({ lookup, value }) => (lookup === undefined ? "" : stateText(lookup.definition, value ?? 0)),
    },
    facts: state,
    freesSlotOnRelabel: true,
    // Without a text the series is removed, so that another one can use its slot.
    has: (channel) => channel.lookup !== undefined && channel.value !== undefined,
    value: () => 1,
    expiresAt: (channel) => Math.min(channel.valueExpiresAt, channel.lookup?.expiresAt ?? 0),
  },
  channelInfo: {
    name: "prtg_channel_info",
    help: "Always 1. All labels of the channel, and the metric with its value. Only if labels are omitted from other series, or if metrics.channel_info is always.",
    labels: CHANNEL_INFO_LABELS,
    lastLabel: { name: "metric", textOf: (_, { mapped }) => mapped?.family.name ?? channelValue.name },
    facts: listed,
    value: () => 1,
    expiresAt: (channel) => channel.presenceExpiresAt,
  },
} as const satisfies Record<string, ChannelFamily>;

/** In the family that a rule gives the channel: its value in the unit of that family. */
export const MAPPED_VALUE: Samples<Channel, ChannelServing> = {
  facts: measurement,
  freesSlotOnRelabel: true,
  isMeasured: true,
  value: ({ value }, serving) => mappedValue(value, serving),
  expiresAt: (channel) => channel.valueExpiresAt,
};

/** The limits of the channel in the same unit. */
export const MAPPED_LIMIT: Samples<Channel, ChannelServing> = {
  lastLabel: { name: "limit", values: LIMIT_NAMES },
  facts: limits,
  freesSlotOnRelabel: true,
  has: (channel, _, name) => limitOf(channel, name) !== undefined,
  value: (channel, serving, name) => mappedValue(limitOf(channel, name), serving),
  expiresAt: (channel) => channel.limits?.expiresAt ?? 0,
};

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

/** Above a maximum or below a minimum. A value equal to the limit is within it. */
export function isBeyondLimit(name: LimitName, limit: number, value: number): boolean {
  return name.startsWith("max_") ? value > limit : value < limit;
}
