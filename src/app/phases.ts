const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/** Servers that have a phase together: their series are neighbours in the store, so that one refresh of the page shows all. */
const TOGETHER = 8;

/**
 * Where in their periods the servers are polled, a few together as they come: each time one of the widest gaps between
 * those before is filled, so that they are spread evenly however many there will be. All at once would be a few seconds of full
 * load each half minute, with scrapes waiting behind it, and hundreds of half-read answers in memory.
 */
export class Phases {
  #given = 0;

  /** From 0, which the first ones have, to below 1. */
  next(): number {
    return (GOLDEN_RATIO * Math.floor(this.#given++ / TOGETHER)) % 1;
  }
}
