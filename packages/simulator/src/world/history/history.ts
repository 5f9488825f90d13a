import type { SimAverages, SimRow, SimSchedule } from "../model.ts";
import type { SensorNode } from "../nodes/nodes.ts";
import { nextDue } from "../nodes/scan-times.ts";
import { scanResultOf } from "../scans/scan-result.ts";
import { channelReader, readChannel } from "../scans/values.ts";
import type { SpanCollector } from "../states/span-collector.ts";
import { Averages, widthOf } from "./averages.ts";
import { type ScanRun, scanRunsOf } from "./scan-runs.ts";

/** The record of what sensors measured. It is not written anywhere: each scan is worked out again when it is asked for. */
export class History {
  readonly #spans: SpanCollector;
  readonly #averages: Averages;

  constructor(collector: SpanCollector) {
    this.#spans = collector;
    this.#averages = new Averages((sensor, from, to) => this.#scanRuns(sensor, from, to));
  }

  /** To be called for removed nodes. */
  forget(sensor: SensorNode): void {
    this.#averages.forget(sensor);
  }

  schedule(sensor: SensorNode): SimSchedule {
    const first = nextDue(sensor, sensor.createdAt);
    const everyMs = sensor.intervalSeconds * 1000;
    const even = !sensor.isIrregular && sensor.intervals.length === 1 && sensor.requestedScans.length === 0;
    return even ? { first, everyMs } : { first, everyMs, next: (at) => nextDue(sensor, Math.max(first, at)) };
  }

  measurements(sensor: SensorNode, from: number, to: number): SimRow[] {
    const readers = sensor.channels.map(channelReader);
    const rows: SimRow[] = [];
    for (const { first, last, cause } of this.#scanRuns(sensor, from, to)) {
      for (let at = first; at <= last; at = nextDue(sensor, at + 1)) {
        const result = scanResultOf(sensor, cause, at);
        rows.push({ at, displayValues: readers.map((reader) => readChannel(reader, result, at)) });
      }
    }
    return rows;
  }

  averages(sensor: SensorNode, from: number, to: number, spanMs: number): SimAverages[] {
    const first = Math.max(Math.ceil(from / spanMs), Math.floor(sensor.createdAt / spanMs));
    const end = Math.floor(to / spanMs);
    if (!(first < end)) return [];
    const block = this.#averages.block(sensor, spanMs, first, end - first);
    const rows: SimAverages[] = [];
    for (let number = first; number < end; number++) {
      const offset = (number - block.first) * widthOf(sensor);
      const displayValues = sensor.channels.map((_, index) => numberOrNull(block.cells[offset + index]));
      const downtime = numberOrNull(block.cells[offset + sensor.channels.length]);
      if (downtime !== null) rows.push({ at: number * spanMs, displayValues, downtime });
    }
    return rows;
  }

  #scanRuns(sensor: SensorNode, from: number, to: number): ScanRun[] {
    return scanRunsOf(this.#spans, sensor, from, to);
  }
}

function numberOrNull(cell = Number.NaN): number | null {
  return Number.isNaN(cell) ? null : cell;
}
