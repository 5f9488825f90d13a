/**
 * How many series are kept that are none of ours any more, only until a receiver knows that they have ended. Bounded: while
 * the receiver is down, objects may be renamed time and again.
 */
export class LeftSeries {
  readonly #max: number;
  #count = 0;
  #dropped = 0;

  /** @param max That are kept at a time, of all families together. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Whether there is room for one more, which is then taken; else it is counted as dropped. */
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

  /** Series that were dropped since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
