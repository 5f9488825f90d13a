import { SERIES_WINDOW_MS } from "../prtg/series-types.ts";
import type { MeasurementRow } from "./measurement.ts";
import type { SensorSync } from "./sensor-sync.ts";

/** When the last values of sensors go out once more. */
export interface Repeats {
  /** The newest point of a series is not to get older than this, milliseconds. */
  readonly intervalMs: number;
  /** The values of a sensor that are served now. */
  readonly valuesOf: (sensorId: string) => MeasurementRow["values"];
  /** Results of scans may be held back, such as by a probe that is not connected, and come later with their own time. */
  readonly isHeldBack: (sensorId: string) => boolean;
}

/** A list that shows a sensor. Milliseconds. */
export interface ListRequest {
  /** When it was requested: server's clock, since the epoch. */
  readonly at: number;
  /** Until the next one, as far as is known. */
  readonly periodMs: number;
  /** See Repeats. */
  readonly isHeldBack: () => boolean;
}

/**
 * A measurement may have a time that lies so long before a list shows it: scans take time, and clocks differ. A repeat is
 * older than that.
 */
export const REPEAT_MARGIN_MS = 60_000;
/** A scan that is overdue by more was skipped, such as during a pause, unless results are held back. */
const OVERDUE_MS = 2 * 60_000;
/** Lists and series give one measurement times that differ by less. */
const SAME_WITHIN_MS = 10_000;

/**
 * The time of a repeat that is due, whole seconds in milliseconds since the epoch; undefined if none is.
 *
 * It is before every measurement still to come: before the request of a list that shows no newer one, and before the next
 * scan, whose result may be late. A repeat is due if the newest point would get too old before the next list.
 * @param repeatedAt Of the repeat before.
 */
export function repeatTime(
  sensor: SensorSync,
  { at: requestedAt, periodMs, isHeldBack }: ListRequest,
  intervalMs: number,
  repeatedAt = Number.NEGATIVE_INFINITY,
): number | undefined {
  const measuredAt = heldSince(sensor, requestedAt);
  if (measuredAt === undefined) return undefined;
  const newestAt = Math.max(sensor.covered ?? Number.NEGATIVE_INFINITY, repeatedAt);
  if (requestedAt + periodMs - newestAt <= intervalMs) return undefined;
  const dueAt = measuredAt + sensor.intervalMs;
  const isSkipped = requestedAt > dueAt + OVERDUE_MS && !isHeldBack();
  const latest = (isSkipped ? requestedAt : Math.min(requestedAt, dueAt)) - REPEAT_MARGIN_MS;
  const at = Math.floor(latest / 1000) * 1000;
  // An end of a series is a millisecond after its newest point.
  return at > newestAt + 1 ? at : undefined;
}

/** Time of the last measurement of a sensor, if nothing of it is still to be sent; milliseconds since the epoch. */
function heldSince(sensor: SensorSync, requestedAt: number): number | undefined {
  const { newest, covered, isInStep, endsInAverage } = sensor;
  if (newest === undefined || !isInStep) return undefined;
  // The live series would have it if it were younger.
  if (covered === undefined)
    return newest.at < requestedAt - SERIES_WINDOW_MS.live - REPEAT_MARGIN_MS ? newest.at : undefined;
  if (endsInAverage && newest.at <= covered) return newest.at;
  return Math.abs(newest.at - covered) <= SAME_WITHIN_MS ? Math.min(newest.at, covered) : undefined;
}
