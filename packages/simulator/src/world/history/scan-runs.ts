import type { SensorNode } from "../nodes/nodes.ts";
import { lastDue, nextDue } from "../nodes/scan-times.ts";
import { haltOfScan, type StatusSpan, scanSpan } from "../scans/status-span.ts";
import type { SpanCollector } from "../states/span-collector.ts";

/** Consecutive scans of a sensor that have the same thing behind them. */
export interface ScanRun {
  /** The first and the last scan; all that are due between them take place. */
  readonly first: number;
  readonly last: number;
  readonly cause: StatusSpan | undefined;
}

/** All scans from `from` to `to`, both included. Collects spans once a run, as that costs more than a value. */
export function scanRunsOf(collector: SpanCollector, sensor: SensorNode, from: number, to: number): ScanRun[] {
  const earliest = nextDue(sensor, Math.max(from, sensor.createdAt));
  const found: ScanRun[] = [];
  // Backwards: of each source the last span that began is known, not the next one.
  let last = lastDue(sensor, to);
  while (last >= earliest) {
    const spans = collector.spansAt(sensor, last);
    const boundary = collector.lastBoundary(sensor, last);
    // After the boundary everything is as it is at `last`. A scan at the very boundary can be another matter.
    const first = boundary >= last ? last : nextDue(sensor, Math.max(earliest, boundary + 1));
    if (haltOfScan(spans, last) === undefined) found.push({ first, last, cause: scanSpan(spans, last) });
    last = lastDue(sensor, first - 1);
  }
  return found.reverse();
}
