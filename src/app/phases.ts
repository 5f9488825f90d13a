const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/**
 * Where in their periods the servers are polled, one after the other as they come: each falls into one of the widest gaps
 * between those before, so that they are spread evenly however many there will be. All at once would be a few seconds of full
 * load each half minute, with scrapes waiting behind it, and hundreds of half-read answers in memory.
 */
export class Phases {
  #given = 0;

  /** From 0, which is the first, to below 1. */
  next(): number {
    return (GOLDEN_RATIO * this.#given++) % 1;
  }
}
