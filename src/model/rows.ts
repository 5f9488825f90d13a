/** Small numbers for objects, so that flat arrays can hold their data. Reuses released numbers. */
export class Rows {
  readonly #free: number[] = [];
  #next = 0;

  take(): number {
    return this.#free.pop() ?? this.#next++;
  }

  release(row: number): void {
    this.#free.push(row);
  }
}

/** Small, because hundreds of small servers have their own blocks. */
const ROWS_PER_BLOCK = 128;

/** A fixed count of numbers per object, NaN for none. As members of objects, each number would take 16 bytes more. */
export class NumberRows {
  readonly #width: number;
  readonly #rows = new Rows();
  readonly #blocks: Float64Array[] = [];
  #begun = 0;

  constructor(width: number) {
    this.#width = width;
  }

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

  release(row: number): void {
    this.#rows.release(row);
  }
}

export interface NumberRow {
  readonly row: number;
  readonly block: Float64Array;
}

export function startOfRow(row: number, width: number): number {
  return (row % ROWS_PER_BLOCK) * width;
}

export function numberAt(block: Float64Array, index: number): number | undefined {
  const value = block[index] ?? Number.NaN;
  return Number.isNaN(value) ? undefined : value;
}
