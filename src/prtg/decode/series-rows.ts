import { noProblems, readTimestamp } from "./values.ts";

type Row = readonly unknown[];

export class SeriesRows {
  readonly #newest: number;
  readonly #rows: Row[] = [];
  /** After the header, ascending. Empty if all rows are kept. */
  readonly #times: number[] = [];

  /** @param newest Rows to keep after the header. Default: all. */
  constructor(newest = Number.POSITIVE_INFINITY) {
    this.#newest = newest;
  }

  /** The header and the rows, by time if only the newest are kept. */
  get all(): readonly Row[] {
    return this.#rows;
  }

  add(row: Row): Row | undefined {
    if (this.#rows.length === 0 || this.#newest === Number.POSITIVE_INFINITY) {
      this.#rows.push(row);
      return undefined;
    }
    // The specification promises no order. A row without a readable time is dropped first.
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
