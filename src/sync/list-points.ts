import type { ChannelRecord } from "../api/records.ts";
import type { ListPoint } from "./sensor-sync.ts";

/**
 * The measurements that the channels of one sensor show and that are newer than `after`, oldest first. Usually there is
 * one, since channels share the time of their scan; each time keeps the channels that were measured then.
 */
export function pointsAfter(records: readonly ChannelRecord[], after: number): readonly ListPoint[] {
  let points: Map<number, [channelId: string, value: number][]> | undefined;
  for (const { channelId, value, measuredAt } of records) {
    if (value === undefined || measuredAt === undefined || measuredAt <= after) continue;
    points ??= new Map();
    const values = points.get(measuredAt);
    if (values === undefined) points.set(measuredAt, [[channelId, value]]);
    else values.push([channelId, value]);
  }
  if (points === undefined) return [];
  return Array.from(points, ([at, values]) => ({ at, values })).sort((a, b) => a.at - b.at);
}
