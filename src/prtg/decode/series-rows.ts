import { noProblems } from "./problems.ts";
import { readTimestamp } from "./values.ts";

type Row = readonly unknown[];

/**
 * The rows of a time series as they come, the header first: all of them, or those with the latest times. The live series of a sensor
 * that is measured every ten seconds has a thousand rows, and where only the newest value matters, all that was made of
 * the others was garbage that had lived for long.
 */
export class SeriesRows {
  readonly #newest: number;
  readonly #rows: Row[] = [];
  /** Of the rows behind the header, ascending; where all are kept, none. */
  readonly #times: number[] = [];

  /** `newest`: rows that are kept beside the header; left out: all. */
  constructor(newest = Number.POSITIVE_INFINITY) {
    this.#newest = newest;
  }

  /** The header, and the rows that are kept: by their times, or in the order in which they came where all are kept. */
  get all(): readonly Row[] {
    return this.#rows;
  }

  /** Returns false where the row is not kept. */
  add(row: Row): boolean {
    if (this.#rows.length === 0 || this.#newest === Number.POSITIVE_INFINITY) {
      this.#rows.push(row);
      return true;
    }
    // Rows are in order, mostly, but no specification says so. One without a time that can be read is the first to go.
    const at = readTimestamp(row[0], noProblems()) ?? Number.NEGATIVE_INFINITY;
    const before = this.#times.findLastIndex((time) => time <= at) + 1;
    if (before === 0 && this.#times.length >= this.#newest) return false;
    this.#times.splice(before, 0, at);
    this.#rows.splice(before + 1, 0, row);
    if (this.#times.length <= this.#newest) return true;
    this.#times.shift();
    this.#rows.splice(1, 1);
    return true;
  }
}
