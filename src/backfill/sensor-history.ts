import { mapEntry } from "../lib/map-entry.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { TimeSeries } from "../prtg/records.ts";
import type { SeriesType } from "../prtg/series-types.ts";
import { type KnownChannels, planChannels } from "../sync/plan.ts";
import type { PlannedSensor } from "./plan.ts";
import type { SeriesRange } from "./series-ranges.ts";
import { dayOf } from "./utc-day.ts";

/** Of one channel and day: time, value, and so on, ascending. */
export type DaySamples = number[];

export interface SensorHistory {
  /** By day and position of the channel. */
  readonly days: ReadonlyMap<number, ReadonlyMap<number, DaySamples>>;
  readonly samples: number;
  /** Unreadable rows, and channels outside of lists. */
  readonly skippedRows: number;
  readonly unknownChannels: number;
}

/**
 * Reads each series once.
 * @param onShare Called after each request with the share of the sensor's requests that are done.
 * @throws ApiError, or the signal's reason
 */
export async function readSensorHistory(
  api: Pick<MonitoringApi, "timeSeries">,
  sensor: PlannedSensor,
  ranges: readonly SeriesRange[],
  signal: AbortSignal,
  onShare: (share: number) => void = () => undefined,
): Promise<SensorHistory> {
  const channelIds = planChannels(channelsOf(sensor));
  const read = new Map<SeriesType, TimeSeries>();
  // The finest first, because its window moves fastest.
  const types = new Set(ranges.toReversed().map(({ type }) => type));
  for (const type of types) {
    read.set(type, await api.timeSeries(sensor.id, type, signal, { channelIds }));
    onShare(read.size / types.size);
  }
  const channels = new Map(
    sensor.channels.map(({ channelId, series }, position) => [channelId, { position, series: series.length }]),
  );
  const days = new Map<number, Map<number, DaySamples>>();
  const unknown = new Set<string>();
  let samples = 0;
  for (const { type, from, to } of ranges) {
    for (const { at, values } of read.get(type)?.rows ?? []) {
      if (at < from || at >= to) continue;
      const day = mapEntry(days, dayOf(at), () => new Map<number, DaySamples>());
      for (const [channelId, value] of values) {
        const channel = channels.get(channelId);
        if (channel === undefined) unknown.add(channelId);
        if (channel === undefined || channel.series === 0) continue;
        mapEntry(day, channel.position, () => []).push(at, value);
        samples += channel.series;
      }
    }
  }
  const skippedRows = read.values().reduce((sum, { skipped }) => sum + skipped, 0);
  return { days, samples, skippedRows, unknownChannels: unknown.size };
}

/** Groups channels by whether rules drop them. */
function channelsOf({ channels }: PlannedSensor): KnownChannels {
  const [kept, dropped]: [string[], string[]] = [[], []];
  for (const { channelId, series } of channels) (series.length > 0 ? kept : dropped).push(channelId);
  return { kept, dropped };
}
