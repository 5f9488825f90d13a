const ROWS_PER_BLOCK = 1_024;

/** Where objects have their series in a table: a slot by row. Takes no memory for rows far from those that have one. */
export class Slots {
  static readonly NONE = -1;
  /** One more than the slot. */
  readonly #blocks: (Int32Array | undefined)[] = [];

  of(row: number): number {
    const block = this.#blocks[Math.floor(row / ROWS_PER_BLOCK)];
    return block === undefined ? Slots.NONE : (block[row % ROWS_PER_BLOCK] ?? 0) - 1;
  }

  /** `slot` may be `NONE`. */
  set(row: number, slot: number): void {
    const index = Math.floor(row / ROWS_PER_BLOCK);
    // An array without holes is the faster one.
    while (this.#blocks.length <= index) this.#blocks.push(undefined);
    const block = this.#blocks[index] ?? new Int32Array(ROWS_PER_BLOCK);
    this.#blocks[index] = block;
    block[row % ROWS_PER_BLOCK] = slot + 1;
  }
}
