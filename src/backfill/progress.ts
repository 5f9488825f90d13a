import type { Clock } from "../lib/clock.ts";

export interface BackfillProgress {
  /** @param done Of an earlier run. */
  begin(what: "sensors" | "days" | "values", total: number, done: number): void;
  /** @param done A fraction for requests of sensors that are not finished. */
  advance(done: number): void;
  /** Ends the display. */
  end(): void;
}

/** An outage says nothing about the time left. A slow request is not one. */
const MAX_STEP_MS = 30_000;

/**
 * For an estimate of the time left. Covers the whole run: neighbouring sensors are alike, so the last minute says little
 * about the rest.
 */
export class ProgressRate {
  readonly #clock: Clock;
  readonly #first: number;
  #lastAt: number;
  #activeMs = 0;

  constructor(clock: Clock, done: number) {
    this.#clock = clock;
    this.#first = done;
    this.#lastAt = clock.monotonic();
  }

  /** Call it with each progress. `undefined` while unknown. */
  perSecond(done: number): number | undefined {
    const now = this.#clock.monotonic();
    this.#activeMs += Math.min(now - this.#lastAt, MAX_STEP_MS);
    this.#lastAt = now;
    if (this.#activeMs === 0 || done <= this.#first) return undefined;
    return ((done - this.#first) * 1000) / this.#activeMs;
  }
}
