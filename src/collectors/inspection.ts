import type { TreeNode } from "../model/tree.ts";
import type { ChannelLimits } from "../prtg/records.ts";
import { isPaused, type StatusToken } from "../prtg/status.ts";
import type { Channel } from "./channel.ts";
import type { Moment } from "./channel-series.ts";

/** Why a value is served or not. `no_value`: the last record had no number. */
export type ValueState = "served" | "dropped" | "paused" | "never_measured" | "stale" | "no_value";

/** What is kept of a channel: the normalised record, and what became of it. */
export interface ChannelInspection {
  readonly channelId: string;
  readonly name: string;
  readonly unit: string;
  readonly state: ValueState;
  /** In the display unit; undefined unless it is served. */
  readonly value: number | undefined;
  /** Milliseconds since the epoch. */
  readonly measuredAt: number | undefined;
  /** True where the value came from a time series instead of the list. */
  readonly fromSeries: boolean;
  readonly limits: ChannelLimits;
}

/** Some of a sensor's channels: from a position on, or one. */
export type ChannelChoice = { readonly from: number; readonly count: number } | { readonly channelId: string };

/** What is kept of a sensor and its channels. Raw records are not: they would double the memory. */
export interface SensorInspection {
  readonly server: string;
  readonly sensor: TreeNode;
  /** Undefined where no list told. */
  readonly status: StatusToken | undefined;
  /** Age at which values are withdrawn; undefined where no channel was listed. */
  readonly staleAfterMs: number | undefined;
  /** How many there are. */
  readonly channelCount: number;
  /** Position of the first one given. */
  readonly channelsFrom: number;
  /** Those that were asked for. */
  readonly channels: readonly ChannelInspection[];
}

export function inspectChannel(
  channel: Readonly<Channel>,
  status: StatusToken | undefined,
  now: Moment,
): ChannelInspection {
  const { channelId, name, unit, measuredAt, seriesAt, limits } = channel;
  const state = stateOf(channel, status, now);
  return {
    channelId,
    name,
    unit,
    state,
    value: state === "served" ? channel.value : undefined,
    measuredAt,
    fromSeries: measuredAt !== undefined && measuredAt === seriesAt,
    limits: Object.fromEntries((limits?.set ?? []).map((limit) => [limit.name, limit.value])),
  };
}

function stateOf(channel: Readonly<Channel>, status: StatusToken | undefined, now: Moment): ValueState {
  if (channel.serving.outcome === "dropped") return "dropped";
  if (channel.value !== undefined && channel.valueExpiresAt > now.monotonic) return "served";
  if (status !== undefined && isPaused(status)) return "paused";
  if (channel.measuredAt === undefined) return "never_measured";
  return channel.valueExpiresAt <= now.monotonic ? "stale" : "no_value";
}
