/**
 * Small numbers for the objects of one kind: what belongs to an object can then be kept in flat arrays. The number of an
 * object that is gone is given again.
 */
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
