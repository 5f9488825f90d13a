import type { ChannelNode } from "./nodes.ts";
import type { Verdict } from "./verdicts.ts";

/**
 * Display value of a channel at a scan, in agreement with the sensor's verdict: the culprit is out of its limit, everything
 * else is within. Null where the scan brought nothing.
 */
export function valueAt(channel: ChannelNode, verdict: Verdict, at: number): number | null {
  if (channel.isDowntime) return verdict.status === "down" || verdict.status === "acknowledged" ? 100 : 0;
  if (verdict.empty) return null;
  if (channel === verdict.culprit) return verdict.value;
  const { template, name } = channel;
  let value = template.curve(channel.scan(at));
  if (verdict.factor !== 1 && (template.group ?? name) === verdict.group) value *= verdict.factor;
  return settle(value, channel);
}

/** Within the limits and what is physically possible; whole where the channel counts. */
function settle(value: number, { template, limits }: ChannelNode): number {
  const { bounds, whole } = template;
  const highest = Math.min(
    bounds?.[1] ?? Infinity,
    limits.maxWarning ?? limits.maxError ?? Infinity,
    limits.maxError ?? Infinity,
  );
  const lowest = Math.max(
    bounds?.[0] ?? -Infinity,
    limits.minWarning ?? limits.minError ?? -Infinity,
    limits.minError ?? -Infinity,
  );
  const within = Math.max(lowest, Math.min(highest, value));
  if (!whole) return within;
  // Adding zero keeps -0 out of the answers.
  return Math.max(Math.ceil(lowest), Math.min(Math.floor(highest), Math.round(within))) + 0;
}
