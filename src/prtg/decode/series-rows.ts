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
  /** The time that was read last. */
  #lastTime = Number.NaN;
  #isPart = false;
  /** Around the rows that were left out; no number where no time could be read. */
  #before = Number.NaN;
  #after = Number.NaN;

  /** `newest`: rows that are kept beside the header; left out: all. */
  constructor(newest = Number.POSITIVE_INFINITY) {
    this.#newest = newest;
  }

  /** The header, and the rows that are kept: by their times, or in the order in which they came where all are kept. */
  get all(): readonly Row[] {
    return this.#rows;
  }

  /** There were rows here that were not looked at. */
  leftOut(): void {
    this.#isPart = true;
    this.#before = this.#lastTime;
    this.#lastTime = Number.NaN;
  }

  /** Whether those with the latest times are among the rows that came: the others are before them where times only rise. */
  get hasLatest(): boolean {
    return !this.#isPart || (this.#before <= this.#after && this.#after <= this.#lastTime);
  }

  /** Returns false where the row is not kept. */
  add(row: Row): boolean {
    if (this.#rows.length === 0 || this.#newest === Number.POSITIVE_INFINITY) {
      this.#rows.push(row);
      return true;
    }
    // Rows are in order, mostly, but no specification says so. One without a time that can be read is the first to go.
    const time = readTimestamp(row[0], noProblems());
    if (time !== undefined) this.#sawTime(time);
    const at = time ?? Number.NEGATIVE_INFINITY;
    const before = this.#times.findLastIndex((time) => time <= at) + 1;
    if (before === 0 && this.#times.length >= this.#newest) return false;
    this.#times.splice(before, 0, at);
    this.#rows.splice(before + 1, 0, row);
    if (this.#times.length <= this.#newest) return true;
    this.#times.shift();
    this.#rows.splice(1, 1);
    return true;
  }

  #sawTime(time: number): void {
    if (this.#isPart && Number.isNaN(this.#after)) this.#after = time;
    this.#lastTime = time;
  }
}
