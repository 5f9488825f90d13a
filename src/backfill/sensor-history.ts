import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { TimeSeries } from "../api/records.ts";
import type { SeriesType } from "../api/series-types.ts";
import type { PlannedSensor } from "./plan.ts";
import type { Span } from "./spans.ts";
import { dayOf } from "./utc-day.ts";

/** Times and values of one series within a day, in turns: milliseconds since the epoch, value, and so on; ascending. */
export type DaySamples = number[];

/** What one sensor measured. */
export interface SensorHistory {
  /** By day and by the series' position in the plan. */
  readonly days: ReadonlyMap<number, ReadonlyMap<number, DaySamples>>;
  /** Rows that could not be read, and channels that no list names. */
  readonly skippedRows: number;
  readonly unknownChannels: number;
}

/**
 * Reads the spans of one sensor, each series once.
 * @throws ApiError, or the signal's reason
 */
export async function readSensorHistory(
  api: Pick<MonitoringApi, "timeSeries">,
  sensor: PlannedSensor,
  spans: readonly Span[],
  signal: AbortSignal,
): Promise<SensorHistory> {
  const read = new Map<SeriesType, TimeSeries>();
  // The finest first: its window is the one that moves on soonest.
  for (const { type } of spans.toReversed()) {
    if (!read.has(type)) read.set(type, await api.timeSeries(sensor.id, type, signal));
  }
  const positions = new Map(sensor.series.map(({ channelId }, index) => [channelId, index]));
  const days = new Map<number, Map<number, DaySamples>>();
  const unknown = new Set<string>();
  for (const { type, from, to } of spans) {
    for (const { at, values } of read.get(type)?.rows ?? []) {
      if (at < from || at >= to) continue;
      const day = entry(days, dayOf(at), () => new Map<number, DaySamples>());
      for (const [channelId, value] of values) {
        const position = positions.get(channelId);
        if (position === undefined) unknown.add(channelId);
        else entry(day, position, () => []).push(at, value);
      }
    }
  }
  const skippedRows = read.values().reduce((sum, { skipped }) => sum + skipped, 0);
  return { days, skippedRows, unknownChannels: unknown.size };
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
