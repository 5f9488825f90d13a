import { noProblems, readTimestamp } from "./values.ts";

type Row = readonly unknown[];

/**
 * The rows of a time series as they arrive, the header first: all of them, or those with the latest times. A live series can have
 * 1,440 rows. Keeping all of them where only the newest value matters left garbage that had lived for long.
 */
export class SeriesRows {
  readonly #newest: number;
  readonly #rows: Row[] = [];
  /** Of the rows after the header, ascending. Empty if all are kept. */
  readonly #times: number[] = [];

  /** @param newest Rows to keep after the header. Default: all. */
  constructor(newest = Number.POSITIVE_INFINITY) {
    this.#newest = newest;
  }

  /** The header and the rows, in the order of their times, or as they arrived if all are kept. */
  get all(): readonly Row[] {
    return this.#rows;
  }

  /** Returns the row that is dropped for it, which can be the row itself. */
  add(row: Row): Row | undefined {
    if (this.#rows.length === 0 || this.#newest === Number.POSITIVE_INFINITY) {
      this.#rows.push(row);
      return undefined;
    }
    // Rows are mostly in order, but the specification does not promise it. A row without a readable time goes first.
    const at = readTimestamp(row[0], noProblems()) ?? Number.NEGATIVE_INFINITY;
    const before = this.#times.findLastIndex((time) => time <= at) + 1;
    if (before === 0 && this.#times.length >= this.#newest) return row;
    this.#times.splice(before, 0, at);
    this.#rows.splice(before + 1, 0, row);
    if (this.#times.length <= this.#newest) return undefined;
    this.#times.shift();
    return this.#rows.splice(1, 1)[0];
  }
}
