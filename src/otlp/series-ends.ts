import type { HrTime } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import type { GaugeMetricData } from "@opentelemetry/sdk-metrics";
import type { Steps } from "../lib/yielding.ts";
import { endedSlots } from "../store/ended-series.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { EndPoint, gauge } from "./metric-data.ts";

/** What is known of the measurements that are on their way to the receiver. */
export interface MeasurementsUnderWay {
  /** Just after all that was sent of the sensor: milliseconds since the epoch, server's clock; undefined where unknown. */
  endOf(server: string, sensorId: string): number | undefined;
  /** Whether values of the channel wait to be delivered. */
  holds(server: string, sensorId: string, channelId: string): boolean;
}

/** Ends of series of one table; an `EndPoint` each. */
export interface EndsMetric extends GaugeMetricData {
  readonly dataPoints: EndPoint[];
}

/** Says that series have ended which are pushed as of `time`. */
export async function stateEnds(table: SeriesTable, time: HrTime, slices: Steps): Promise<EndsMetric> {
  const slots = await endedSlots(table, slices, (slot) => hasFiniteValue(table, slot));
  return endsMetric(
    table,
    slots.map((slot) => endPoint(table, slot, time, false)),
  );
}

/**
 * Says that series have ended whose values are pushed with the time of their measurement: just after the last one, so that
 * they stay in the order of time, whatever the clock of the monitoring server says. Where more of a series is on its way, its end
 * waits for that.
 */
export async function measuredEnds(
  table: SeriesTable,
  { endOf, holds }: MeasurementsUnderWay,
  now: number,
  slices: Steps,
): Promise<EndsMetric> {
  const points: EndPoint[] = [];
  for (const slot of await endedSlots(table, slices, (each) => hasFiniteValue(table, each))) {
    // Families of measurements begin with these, whatever they are called.
    const [server, sensorId, channelId] = [0, 1, 2].map((column) => table.label(slot, column));
    if (server === undefined || sensorId === undefined || channelId === undefined) continue;
    // What waits gets the labels of its channel when it is sent, which are others than those of a series that left.
    if (!table.hasEnded(slot) && holds(server, sensorId, channelId)) continue;
    points.push(endPoint(table, slot, millisToHrTime(endOf(server, sensorId) ?? now), true));
  }
  return endsMetric(table, points);
}

/** JSON has no word for NaN and the infinities. */
export function hasFiniteValue(table: SeriesTable, slot: number): boolean {
  return table.isPresent(slot) && Number.isFinite(table.value(slot));
}

function endPoint(table: SeriesTable, slot: number, endTime: HrTime, isMeasured: boolean): EndPoint {
  const labelVersions = table.markEnding(slot);
  const point = { family: table.family, labels: table.labels(slot), endTime };
  return new EndPoint(point, isMeasured, () => table.ended(slot, labelVersions));
}

function endsMetric(table: SeriesTable, dataPoints: EndPoint[]): EndsMetric {
  return { ...gauge(table.family), dataPoints };
}
