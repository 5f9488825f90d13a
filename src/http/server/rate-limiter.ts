import type { RateLimit } from "../web-config/load.ts";

/** A bucket of tokens, one more each interval. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** `now`: monotonic milliseconds. */
  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
    this.#tokens = limit.burst;
    this.#filledAt = now();
  }

  /** False when there is none. */
  take(): boolean {
    const { intervalMs, burst } = this.#limit;
    const now = this.#now();
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#filledAt) / intervalMs);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Until the next token. */
  get waitMs(): number {
    return Math.max(0, (1 - this.#tokens) * this.#limit.intervalMs);
  }
}
