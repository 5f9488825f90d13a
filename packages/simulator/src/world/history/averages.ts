import type { SensorNode } from "../nodes/nodes.ts";
import { nextDue } from "../nodes/scan-times.ts";
import { scanResultOf } from "../scans/scan-result.ts";
import { channelReader, readChannel } from "../scans/values.ts";
import type { ScanRun } from "./scan-runs.ts";

/** The scans of a sensor between two moments, both included. */
export type ScanRunsBetween = (sensor: SensorNode, from: number, to: number) => readonly ScanRun[];

/**
 * Averages over consecutive spans of one length: for each span a cell per channel, NaN where there is none. A last cell has the
 * Downtime of all scans. That of the channel leaves out scans without an answer, for which `live` has no row either.
 */
export interface AverageBlock {
  /** Number of the first span: it begins so many lengths after the epoch. */
  readonly first: number;
  readonly count: number;
  readonly cells: Float64Array;
  /** What else than the history of the tree the averages rest on. */
  readonly basis: string;
}

/** 64 MB; a year of days of a usual sensor has 2,000 cells, sixty days of hours 7,000. */
const MAX_CELLS = 8_000_000;

/** Kept for the sensors asked for last, until their history changes: a year has half a million values. */
export class Averages {
  readonly #scanRuns: ScanRunsBetween;
  readonly #maxCells: number;
  readonly #blocks = new Map<string, AverageBlock>();
  #cells = 0;

  constructor(scanRuns: ScanRunsBetween, maxCells = MAX_CELLS) {
    this.#scanRuns = scanRuns;
    this.#maxCells = maxCells;
  }

  /** To be called for removed nodes. */
  forget(sensor: SensorNode): void {
    for (const key of this.#blocks.keys()) {
      if (key.startsWith(`${sensor.id}/`)) this.#forget(key);
    }
  }

  /** How many averages are kept. */
  get kept(): number {
    return this.#cells;
  }

  /** A block that holds at least `count` spans of `spanMs` from the span `first` on. A cached block grows by spans that adjoin it. */
  block(sensor: SensorNode, spanMs: number, first: number, count: number): AverageBlock {
    const key = `${sensor.id}/${spanMs}`;
    const basis = JSON.stringify([sensor.revision, ...sensor.channels.map(({ limits }) => limits)]);
    const kept = this.#blocks.get(key);
    const known = kept?.basis === basis ? kept : undefined;
    if (known !== undefined && known.first <= first && first + count <= known.first + known.count) {
      this.#keep(key, known);
      return known;
    }
    const joins = known !== undefined && known.first <= first + count && first <= known.first + known.count;
    const from = joins ? Math.min(first, known.first) : first;
    const until = joins ? Math.max(first + count, known.first + known.count) : first + count;
    const width = widthOf(sensor);
    const cells = new Float64Array((until - from) * width);
    const block = { first: from, count: until - from, cells, basis };
    if (joins) {
      cells.set(known.cells, (known.first - from) * width);
      this.#fill(sensor, spanMs, block, from, known.first);
      this.#fill(sensor, spanMs, block, known.first + known.count, until);
    } else {
      this.#fill(sensor, spanMs, block, from, until);
    }
    this.#keep(key, block);
    return block;
  }

  /** Works out the spans from `begin` until before `end`. Scans count alike, however they lie in the span. */
  #fill(sensor: SensorNode, spanMs: number, block: AverageBlock, begin: number, end: number): void {
    if (begin >= end) return;
    const width = widthOf(sensor);
    block.cells.fill(Number.NaN, (begin - block.first) * width, (end - block.first) * width);
    const readers = sensor.channels.map(channelReader);
    const sums = new Float64Array(width);
    const counts = new Uint32Array(width);
    const add = (index: number, value: number): void => {
      sums[index] = (sums[index] ?? 0) + value;
      counts[index] = (counts[index] ?? 0) + 1;
    };
    let current = begin;
    const finish = (): void => {
      const offset = (current - block.first) * width;
      // Where nothing was measured this is 0 / 0, which is what says so.
      for (let index = 0; index < width; index++) {
        block.cells[offset + index] = (sums[index] ?? 0) / (counts[index] ?? 0);
      }
      sums.fill(0);
      counts.fill(0);
    };
    for (const { first, last, cause } of this.#scanRuns(sensor, begin * spanMs, end * spanMs - 1)) {
      for (let at = first; at <= last; at = nextDue(sensor, at + 1)) {
        const number = Math.floor(at / spanMs);
        if (number !== current) {
          finish();
          current = number;
        }
        const result = scanResultOf(sensor, cause, at);
        let index = 0;
        for (const reader of readers) {
          const value = readChannel(reader, result, at);
          if (value !== null && reader.channel.isDowntime) add(width - 1, value);
          if (value !== null && !result.empty) add(index, value);
          index++;
        }
      }
    }
    finish();
  }

  /** As the most recently used one; the least recently used ones go when there are too many. */
  #keep(key: string, block: AverageBlock): void {
    this.#forget(key);
    this.#blocks.set(key, block);
    this.#cells += block.cells.length;
    for (const oldest of this.#blocks.keys()) {
      if (this.#cells <= this.#maxCells || oldest === key) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#cells -= this.#blocks.get(key)?.cells.length ?? 0;
    this.#blocks.delete(key);
  }
}

export function widthOf({ channels }: SensorNode): number {
  return channels.length + 1;
}
