/** Line and column, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Lines and columns of offsets in one text. */
export class LinePositions {
  /** Offsets at which lines begin. */
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    // Editors do not show a byte order mark.
    if (text.startsWith("\uFEFF")) this.#starts[0] = 1;
    for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) this.#starts.push(index + end.length);
  }

  at(offset: number): Position {
    const within = Math.max(this.#starts[0] ?? 0, Math.min(offset, this.#length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= within) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: within - (this.#starts[low] ?? 0) + 1 };
  }
}
