import type { RateLimit } from "../web-config/load.ts";

/** A token bucket that gains one token per interval. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** @param now Monotonic milliseconds. */
  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
    this.#tokens = limit.burst;
    this.#filledAt = now();
  }

  take(): boolean {
    const { intervalMs, burst } = this.#limit;
    const now = this.#now();
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#filledAt) / intervalMs);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Milliseconds to the next token. */
  get waitMs(): number {
    return Math.max(0, (1 - this.#tokens) * this.#limit.intervalMs);
  }
}

const RESERVED_FOR_SCRAPES = 1 / 4;
/** Reloads run one after another, so more of them only wait. */
const MAX_ACTIONS = 8;

/** Probes always get a place. Actions (POST) have a few of their own. */
export type RequestKind = "probe" | "action" | "scrape" | "page";

export class RequestPlaces {
  readonly #max: number;
  readonly #maxPages: number;
  readonly #taken: Record<RequestKind, number> = { probe: 0, action: 0, scrape: 0, page: 0 };

  /** @param max Scrapes and pages together. 0: no limit. */
  constructor(max: number) {
    this.#max = max;
    this.#maxPages = Math.max(1, max - Math.ceil(max * RESERVED_FOR_SCRAPES));
  }

  /** Returns the function that frees the place, or `undefined` if all places are in use. */
  take(kind: RequestKind): (() => void) | undefined {
    if (!this.#hasRoom(kind)) return undefined;
    this.#taken[kind]++;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken[kind]--;
      isTaken = false;
    };
  }

  #hasRoom(kind: RequestKind): boolean {
    const { action, scrape, page } = this.#taken;
    if (this.#max === 0 || kind === "probe") return true;
    if (kind === "action") return action < MAX_ACTIONS;
    return scrape + page < this.#max && (kind === "scrape" || page < this.#maxPages);
  }
}
