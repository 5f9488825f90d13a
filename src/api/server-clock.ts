import type { Clock } from "../clock.ts";

/** `Date` is cut to whole seconds: on average the truth lies half a second later. */
const MEAN_TRUNCATION_MS = 500;

/** How far the server's clock is from ours, from the `Date` header of its last answer. */
export class ServerClock {
  readonly #clock: Clock;
  #offsetMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Server's clock minus ours, milliseconds, true to about half a second; 0 until known. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** To be called as soon as the head of an answer is there. */
  heard(dateMs: number | undefined): void {
    if (dateMs !== undefined) this.#offsetMs = dateMs + MEAN_TRUNCATION_MS - this.#clock.now();
  }
}
