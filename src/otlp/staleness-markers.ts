import type { HrTime } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import type { GaugeMetricData } from "@opentelemetry/sdk-metrics";
import type { Steps } from "../lib/yielding.ts";
import { keyColumns, keyOf } from "../mapping/families/family.ts";
import { endedSlots } from "../store/ended-series.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { gauge, StalenessMarker } from "./metric-data.ts";

/** Measurements on their way to the receiver. */
export interface PendingMeasurements {
  /** Just after the last sent measurement of the sensor: milliseconds since the epoch, server's clock. */
  endOf(server: string, sensorId: string): number | undefined;
  /** Whether values of the channel are queued. */
  holds(server: string, sensorId: string, channelId: string): boolean;
}

export interface MarkersMetric extends GaugeMetricData {
  readonly dataPoints: StalenessMarker[];
}

/** Staleness markers of series that are pushed as of `time`. */
export async function stateMarkers(table: SeriesTable, time: HrTime, slices: Steps): Promise<MarkersMetric> {
  const slots = await endedSlots(table, slices, (slot) => hasFiniteValue(table, slot));
  return markersMetric(
    table,
    slots.map((slot) => markerOf(table, slot, time, false)),
  );
}

/**
 * Staleness markers of series with measurements, just after the last one, so that times stay in order whatever the
 * server's clock says. The marker waits while values of the series are queued.
 */
export async function measurementMarkers(
  table: SeriesTable,
  { endOf, holds }: PendingMeasurements,
  now: number,
  slices: Steps,
): Promise<MarkersMetric> {
  const columns = keyColumns(table.family);
  const points: StalenessMarker[] = [];
  for (const slot of await endedSlots(table, slices, (each) => hasFiniteValue(table, each))) {
    const { server, id, channelId } = keyOf(columns, table.labels(slot));
    // Queued values get the current labels of the channel, not those of a series that left.
    if (!table.hasEnded(slot) && holds(server, id, channelId)) continue;
    points.push(markerOf(table, slot, millisToHrTime(endOf(server, id) ?? now), true));
  }
  return markersMetric(table, points);
}

/** JSON has no NaN and no infinities. */
export function hasFiniteValue(table: SeriesTable, slot: number): boolean {
  return table.isPresent(slot) && Number.isFinite(table.value(slot));
}

function markerOf(table: SeriesTable, slot: number, endTime: HrTime, isMeasured: boolean): StalenessMarker {
  const labelVersion = table.markEnding(slot);
  const point = { family: table.family, labels: table.labels(slot), endTime };
  return new StalenessMarker(point, isMeasured, () => table.ended(slot, labelVersion));
}

function markersMetric(table: SeriesTable, dataPoints: StalenessMarker[]): MarkersMetric {
  return { ...gauge(table.family), dataPoints };
}
