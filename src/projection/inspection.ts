import type { Channel } from "../model/channel.ts";
import type { NodeState } from "../model/node-state.ts";
import type { ServerState } from "../model/server-state.ts";
import type { TreeNode } from "../model/tree.ts";
import { type ChannelLimits, LIMIT_NAMES, type LimitName } from "../prtg/records.ts";
import type { ChannelProjection } from "./server-projection.ts";

/** `no_value`: the last record had no number. */
export type ValueState = "served" | "dropped" | "paused" | "never_measured" | "stale" | "no_value";

export interface ChannelInspection extends Readonly<Pick<Channel, "channelId" | "name" | "unit" | "measuredAt">> {
  readonly state: ValueState;
  /** `undefined` unless served. */
  readonly value: number | undefined;
  /** From a time series instead of the list. */
  readonly fromSeries: boolean;
  readonly limits: ChannelLimits;
}

/** `main`: the primary channel, or the first one with a value if the primary channel is unknown. */
export type ChannelChoice = { readonly from: number; readonly count: number } | { readonly channelId: string } | "main";

type CopiedFact = "status" | "message" | "downBefore" | "lastUp" | "lastDown" | "lastMeasuredAt";

/** Raw records would double the memory. */
export interface SensorInspection extends Readonly<Pick<NodeState, CopiedFact | "statusSince">> {
  readonly server: string;
  readonly sensor: TreeNode;
  readonly staleAfterMs: number | undefined;
  readonly channelCount: number;
  /** Position of the first one in `channels`. */
  readonly channelsFrom: number;
  readonly channels: readonly ChannelInspection[];
}

/** `now`: monotonic ms. */
export function inspectSensor(
  server: string,
  state: ServerState,
  projection: Pick<ChannelProjection, "servingOf">,
  { sensorId, choice, now }: { readonly sensorId: string; readonly choice: ChannelChoice; readonly now: number },
): SensorInspection | undefined {
  const known = state.node(sensorId);
  if (known?.node.kind !== "sensor") return undefined;
  const group = state.channels.of(sensorId);
  const all = group?.channels ?? [];
  const { first, chosen } = chooseChannels(all, choice, () => mainChannel(all, state, now));
  return {
    server,
    sensor: known.node,
    status: known.status,
    statusSince: known.statusSinceAt(now),
    message: known.message,
    downBefore: known.downBefore,
    lastUp: known.lastUp,
    lastDown: known.lastDown,
    lastMeasuredAt: known.lastMeasuredAt,
    staleAfterMs: group?.staleAfterMs,
    channelCount: all.length,
    channelsFrom: first,
    channels: chosen.map((channel) => {
      const isDropped = projection.servingOf(channel)?.outcome === "dropped";
      return inspectChannel(channel, isDropped ? "dropped" : stateOf(channel, known, now));
    }),
  };
}

function chooseChannels(
  all: readonly Channel[],
  choice: ChannelChoice,
  main: () => Channel | undefined,
): { readonly first: number; readonly chosen: readonly Channel[] } {
  if (choice === "main") return { first: 0, chosen: [main()].filter((channel) => channel !== undefined) };
  if ("channelId" in choice) {
    return { first: 0, chosen: all.filter(({ channelId }) => channelId === choice.channelId) };
  }
  const first = Math.min(choice.from, Math.max(0, all.length - 1));
  return { first, chosen: all.slice(first, first + choice.count) };
}

/** PRTG adds channels with negative ids, such as the downtime. */
const ADDED = /^-/;

function mainChannel(channels: readonly Channel[], { details }: ServerState, now: number): Channel | undefined {
  const own = (channel: Channel) => !ADDED.test(channel.channelId);
  return (
    channels.find((channel) => details.isPrimary(channel, now)) ??
    channels.find((channel) => own(channel) && channel.valueAt(now) !== undefined) ??
    channels.find(own)
  );
}

function inspectChannel(channel: Channel, state: ValueState): ChannelInspection {
  const { channelId, name, unit, measuredAt, seriesAt, limits } = channel;
  return {
    channelId,
    name,
    unit,
    state,
    value: state === "served" ? channel.value : undefined,
    measuredAt,
    fromSeries: measuredAt !== undefined && measuredAt === seriesAt,
    limits: state === "dropped" ? {} : inOrder(limits?.values ?? {}),
  };
}

function stateOf(channel: Channel, sensor: NodeState, now: number): ValueState {
  if (channel.valueAt(now) !== undefined) return "served";
  if (sensor.isPaused) return "paused";
  if (channel.measuredAt === undefined) return "never_measured";
  return channel.valueExpiresAt <= now ? "stale" : "no_value";
}

function inOrder(limits: ChannelLimits): ChannelLimits {
  const isSet = (name: LimitName) => limits[name] !== undefined;
  return Object.fromEntries(LIMIT_NAMES.filter(isSet).map((name) => [name, limits[name]]));
}
