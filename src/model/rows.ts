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
