/**
 * Counts ended series that wait for a staleness marker. The bound matters if the receiver is down while objects are
 * renamed again and again.
 */
export class EndedSeries {
  readonly #max: number;
  #count = 0;
  #dropped = 0;

  /** @param max Series of all families. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns false if there is no room. The caller drops the series. */
  take(): boolean {
    if (this.#count >= this.#max) {
      this.#dropped++;
      return false;
    }
    this.#count++;
    return true;
  }

  release(): void {
    this.#count--;
  }

  get count(): number {
    return this.#count;
  }

  /** Drops since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
