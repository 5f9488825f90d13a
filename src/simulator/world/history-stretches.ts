import type { Influences } from "./influences.ts";
import type { SensorNode } from "./nodes.ts";
import { lastDue, nextDue } from "./scan-times.ts";
import { behindScan, haltOfScan, type Span } from "./span.ts";

/** Consecutive scans of a sensor that have the same thing behind them. */
export interface Stretch {
  /** The first and the last scan; all that are due between them take place. */
  readonly first: number;
  readonly last: number;
  readonly cause: Span | undefined;
}

/**
 * All scans of a sensor that take place from `from` to `to`, both included, oldest first. Asking what bears on the sensor
 * costs more than a value does, and little changes in a day: it is asked once a stretch.
 */
export function stretchesOf(influences: Influences, sensor: SensorNode, from: number, to: number): Stretch[] {
  const interval = sensor.intervalSeconds * 1000;
  const earliest = nextDue(sensor, Math.max(from, sensor.bornAt));
  const found: Stretch[] = [];
  // Backwards: of each source the last span that began is known, not the next one.
  let last = lastDue(sensor, to);
  while (last >= earliest) {
    const spans = influences.bearing(sensor, last);
    const boundary = influences.lastBoundary(sensor, last);
    // After the boundary everything is as it is at `last`. A scan at the very boundary can be another matter.
    const first = boundary >= last ? last : Math.max(earliest, lastDue(sensor, boundary) + interval);
    if (haltOfScan(spans, last) === undefined) found.push({ first, last, cause: behindScan(spans, last) });
    last = first - interval;
  }
  return found.reverse();
}
