import { Rows } from "./rows.ts";

/** Few, as each of hundreds of small servers has blocks of its own. */
const ROWS_PER_BLOCK = 128;

/**
 * Numbers of the objects of one kind, so many to each; NaN stands for none. As members of an object each would be an
 * object of its own on the heap: 16 bytes more a number, and millions of them for the collector of garbage to look at.
 */
export class NumberRows {
  readonly #width: number;
  readonly #rows = new Rows();
  readonly #blocks: Float64Array[] = [];
  /** Rows from here on have no numbers yet. */
  #begun = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /** A row without numbers. */
  take(): NumberRow {
    const row = this.#rows.take();
    const index = Math.floor(row / ROWS_PER_BLOCK);
    const block = this.#blocks[index] ?? new Float64Array(ROWS_PER_BLOCK * this.#width).fill(Number.NaN);
    this.#blocks[index] = block;
    if (row < this.#begun) {
      const at = startOfRow(row, this.#width);
      block.fill(Number.NaN, at, at + this.#width);
    } else this.#begun = row + 1;
    return { row, block };
  }

  /** The row will be another object's. */
  release(row: number): void {
    this.#rows.release(row);
  }
}

/** A row of `width` numbers in a block that it shares with others. */
export interface NumberRow {
  readonly row: number;
  readonly block: Float64Array;
}

/** Where in its block a row of `width` numbers begins. */
export function startOfRow(row: number, width: number): number {
  return (row % ROWS_PER_BLOCK) * width;
}

/** Undefined: none. */
export function numberAt(block: Float64Array, index: number): number | undefined {
  const value = block[index] ?? Number.NaN;
  return Number.isNaN(value) ? undefined : value;
}
