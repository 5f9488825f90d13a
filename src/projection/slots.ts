const ROWS_PER_BLOCK = 1_024;
const MIN_ROWS = 16;

/**
 * Where objects have their series in a table: a slot by row. Takes no memory for rows far from those that have one, and little
 * where there are few: there are some forty of these to a server, and hundreds of servers.
 */
export class Slots {
  static readonly NONE = -1;
  /** One more than the slot. A block is as long as its rows need. Undefined until there is one. */
  #blocks: Int32Array[] | undefined;

  of(row: number): number {
    const block = this.#blocks?.[Math.floor(row / ROWS_PER_BLOCK)];
    return block === undefined ? Slots.NONE : (block[row % ROWS_PER_BLOCK] ?? 0) - 1;
  }

  /** `slot` may be `NONE`. */
  set(row: number, slot: number): void {
    const index = Math.floor(row / ROWS_PER_BLOCK);
    const at = row % ROWS_PER_BLOCK;
    let block = this.#blocks?.[index] ?? NO_ROWS;
    if (at >= block.length) {
      if (slot === Slots.NONE) return;
      block = longer(block, at + 1);
      // A literal, as V8 gives an array that grows from nothing room for 17. Without holes it is the faster one.
      this.#blocks ??= [NO_ROWS];
      while (this.#blocks.length <= index) this.#blocks.push(NO_ROWS);
      this.#blocks[index] = block;
    }
    block[at] = slot + 1;
  }
}

const NO_ROWS = new Int32Array(0);

function longer(block: Int32Array, length: number): Int32Array {
  const grown = new Int32Array(Math.max(MIN_ROWS, 2 ** Math.ceil(Math.log2(length))));
  grown.set(block);
  return grown;
}
