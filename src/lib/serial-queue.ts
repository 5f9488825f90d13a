/** Runs one piece of work at a time, in the order in which they were asked for. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #size = 0;

  /** Pieces of work that run or wait. */
  get size(): number {
    return this.#size;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#size++;
    const result = this.#last.then(work).finally(() => {
      this.#size--;
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}
