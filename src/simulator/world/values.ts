import type { Scan } from "./curves.ts";
import type { ChannelNode } from "./nodes.ts";
import { secondsAt } from "./scan-times.ts";
import { CALM, type Verdict } from "./verdicts.ts";

/**
 * Display value of a channel at a scan, in agreement with the sensor's verdict: the culprit is out of its limit, everything
 * else is within. Null where the scan brought nothing.
 */
export function valueAt(channel: ChannelNode, verdict: Verdict, at: number): number | null {
  return measure(channel, verdict, channel.scan(at), lowestOf(channel), highestOf(channel));
}

/** What a channel measures when nothing is wrong. */
export function naturalValue(channel: ChannelNode, at: number): number {
  return valueAt(channel, CALM, at) ?? 0;
}

/** The nearest value that the channel can have at all, whatever its limits. */
export function servable({ template }: ChannelNode, value: number): number {
  const [low = -Infinity, high = Infinity] = template.bounds ?? [];
  const possible = Math.max(low, Math.min(high, value));
  return template.whole === true ? Math.round(possible) + 0 : possible;
}

/** A channel to be read many times in a row, with what is the same each time; good until its limits change. */
export interface Gauge {
  readonly channel: ChannelNode;
  readonly scan: Scan;
  readonly lowest: number;
  readonly highest: number;
}

export function gaugeOf(channel: ChannelNode): Gauge {
  return { channel, scan: channel.scan(0), lowest: lowestOf(channel), highest: highestOf(channel) };
}

/** As `valueAt`, in two thirds of its time. */
export function readGauge({ channel, scan, lowest, highest }: Gauge, verdict: Verdict, at: number): number | null {
  scan.at = at;
  scan.intervalSeconds = secondsAt(channel.sensor, at);
  return measure(channel, verdict, scan, lowest, highest);
}

function measure(channel: ChannelNode, verdict: Verdict, scan: Scan, lowest: number, highest: number): number | null {
  if (channel.isDowntime) return verdict.status === "down" || verdict.status === "acknowledged" ? 100 : 0;
  if (verdict.empty) return null;
  if (channel === verdict.culprit) return verdict.value;
  const { template, name } = channel;
  let value = template.curve(scan);
  if (verdict.factor !== 1 && (template.group ?? name) === verdict.group) value *= verdict.factor;
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
