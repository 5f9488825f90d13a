import { Averages } from "./history-averages.ts";
import { type Stretch, stretchesOf } from "./history-stretches.ts";
import type { Influences } from "./influences.ts";
import type { SimRow, SimSchedule } from "./model.ts";
import type { SensorNode } from "./nodes.ts";
import { nextDue } from "./scan-times.ts";
import { gaugeOf, readGauge } from "./values.ts";
import { verdictOf } from "./verdicts.ts";

/** The record of what sensors measured. It is not written anywhere: each scan is worked out again when it is asked for. */
export class History {
  readonly #influences: Influences;
  readonly #averages: Averages;

  constructor(influences: Influences) {
    this.#influences = influences;
    this.#averages = new Averages((sensor, from, to) => this.#stretches(sensor, from, to));
  }

  /** To be called for what is gone. */
  forget(sensor: SensorNode): void {
    this.#averages.forget(sensor);
  }

  schedule(sensor: SensorNode): SimSchedule {
    const first = nextDue(sensor, sensor.bornAt);
    const everyMs = sensor.intervalSeconds * 1000;
    const even = sensor.paces.length === 1 && sensor.scans.length === 0;
    return even ? { first, everyMs } : { first, everyMs, next: (at) => nextDue(sensor, Math.max(first, at)) };
  }

  measurements(sensor: SensorNode, from: number, to: number): SimRow[] {
    const gauges = sensor.channels.map(gaugeOf);
    const rows: SimRow[] = [];
    for (const { first, last, everyMs, cause } of this.#stretches(sensor, from, to)) {
      for (let at = first; at <= last; at += everyMs) {
        const verdict = verdictOf(sensor, cause, at);
        rows.push({ at, displayValues: gauges.map((gauge) => readGauge(gauge, verdict, at)) });
      }
    }
    return rows;
  }

  averages(sensor: SensorNode, from: number, to: number, spanMs: number): SimRow[] {
    const first = Math.max(Math.ceil(from / spanMs), Math.floor(sensor.bornAt / spanMs));
    const end = Math.floor(to / spanMs);
    if (!(first < end)) return [];
    const block = this.#averages.block(sensor, spanMs, first, end - first);
    const rows: SimRow[] = [];
    for (let number = first; number < end; number++) {
      const offset = (number - block.first) * sensor.channels.length;
      const displayValues = sensor.channels.map((_, index) => numberOrNull(block.cells[offset + index]));
      if (displayValues.some((value) => value !== null)) rows.push({ at: number * spanMs, displayValues });
    }
    return rows;
  }

  #stretches(sensor: SensorNode, from: number, to: number): Stretch[] {
    return stretchesOf(this.#influences, sensor, from, to);
  }
}

function numberOrNull(cell = Number.NaN): number | null {
  return Number.isNaN(cell) ? null : cell;
}
