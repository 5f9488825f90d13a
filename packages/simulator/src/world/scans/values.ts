import type { ChannelNode } from "../nodes/nodes.ts";
import { secondsAt } from "../nodes/scan-times.ts";
import type { Scan } from "../sensors/curves.ts";
import { NORMAL_RESULT, type ScanResult } from "./scan-result.ts";

/** Agrees with the sensor's result: only the abnormal channel is out of its limit. Null where nothing came. */
export function valueAt(channel: ChannelNode, result: ScanResult, at: number): number | null {
  return measure(channel, result, channel.scan(at), lowestOf(channel), highestOf(channel));
}

/** What a channel measures when nothing is wrong. */
export function normalValue(channel: ChannelNode, at: number): number {
  return valueAt(channel, NORMAL_RESULT, at) ?? 0;
}

/** The nearest value that the channel can have at all, whatever its limits. */
export function withinBounds({ template }: ChannelNode, value: number): number {
  const [low = -Infinity, high = Infinity] = template.bounds ?? [];
  const possible = Math.max(low, Math.min(high, value));
  return template.whole === true ? Math.round(possible) + 0 : possible;
}

/** A channel to be read many times in a row, with what is the same each time; good until its limits change. */
export interface ChannelReader {
  readonly channel: ChannelNode;
  readonly scan: Scan;
  readonly lowest: number;
  readonly highest: number;
}

export function channelReader(channel: ChannelNode): ChannelReader {
  return { channel, scan: channel.scan(0), lowest: lowestOf(channel), highest: highestOf(channel) };
}

/** As `valueAt`, in two thirds of its time. */
export function readChannel(
  { channel, scan, lowest, highest }: ChannelReader,
  result: ScanResult,
  at: number,
): number | null {
  scan.at = at;
  scan.intervalSeconds = secondsAt(channel.sensor, at);
  return measure(channel, result, scan, lowest, highest);
}

function measure(channel: ChannelNode, result: ScanResult, scan: Scan, lowest: number, highest: number): number | null {
  if (channel.isDowntime) return result.status === "down" || result.status === "acknowledged" ? 100 : 0;
  if (result.empty) return null;
  if (channel === result.abnormalChannel) return result.value;
  const { template, name } = channel;
  let value = template.curve(scan);
  if (result.factor !== 1 && (template.group ?? name) === result.group) value *= result.factor;
  // Within the limits and what is physically possible; whole where the channel counts.
  const within = Math.max(lowest, Math.min(highest, value));
  if (!template.whole) return within;
  // Adding zero keeps -0 out of the answers.
  return Math.max(Math.ceil(lowest), Math.min(Math.floor(highest), Math.round(within))) + 0;
}

function highestOf({ template, limits }: ChannelNode): number {
  return Math.min(
    template.bounds?.[1] ?? Infinity,
    limits.maxWarning ?? limits.maxError ?? Infinity,
    limits.maxError ?? Infinity,
  );
}

function lowestOf({ template, limits }: ChannelNode): number {
  return Math.max(
    template.bounds?.[0] ?? -Infinity,
    limits.minWarning ?? limits.minError ?? -Infinity,
    limits.minError ?? -Infinity,
  );
}
