import type { Clock } from "../../lib/clock.ts";
import type { ApiError } from "../api-error.ts";

export interface BreakerSettings {
  /** Failures in a row that open it. */
  readonly threshold: number;
  /** How long it stays open the first time; doubles with each failed trial. */
  readonly firstHoldMs: number;
  readonly longestHoldMs: number;
}

/** For a server that cannot be reached or has lost its core server. */
export const SERVER_BREAKER: BreakerSettings = { threshold: 5, firstHoldMs: 5_000, longestHoldMs: 60_000 };
/** For one endpoint that is too slow or broken while the server as such works. */
export const ENDPOINT_BREAKER: BreakerSettings = { threshold: 3, firstHoldMs: 10_000, longestHoldMs: 30_000 };

/**
 * Closed: requests pass. Open: they are held back for a while. Half-open: that while is over, a trial may be made;
 * its success closes the breaker, its failure opens it for longer. What a trial is, is the caller's business.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #settings: BreakerSettings;
  readonly #changed: (open: boolean) => void;
  #failures = 0;
  #trials = 0;
  #openUntil: number | undefined;
  #lastFailure: ApiError | undefined;

  constructor(clock: Clock, random: () => number, settings: BreakerSettings, changed: (open: boolean) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#settings = settings;
    this.#changed = changed;
  }

  /** True while open or half-open. */
  get isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** Milliseconds for which requests are held back; 0 when closed or half-open. */
  heldForMs(): number {
    return this.#openUntil === undefined ? 0 : Math.max(0, this.#openUntil - this.#clock.monotonic());
  }

  /** What opened it; undefined when closed and sound. */
  get lastFailure(): ApiError | undefined {
    return this.#lastFailure;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#trials = 0;
    this.#lastFailure = undefined;
    if (this.#openUntil === undefined) return;
    this.#openUntil = undefined;
    this.#changed(false);
  }

  failed(failure: ApiError): void {
    this.#lastFailure = failure;
    // Requests that were under way when it opened say nothing new.
    if (this.heldForMs() > 0) return;
    this.#failures++;
    if (this.#openUntil === undefined && this.#failures < this.#settings.threshold) return;
    const { firstHoldMs, longestHoldMs } = this.#settings;
    const holdMs = Math.min(longestHoldMs, firstHoldMs * 2 ** this.#trials);
    // A tenth less at random, so that replicas do not come back in step.
    const jittered = holdMs * (1 - 0.1 * this.#random());
    const wasClosed = this.#openUntil === undefined;
    this.#openUntil = this.#clock.monotonic() + Math.max(jittered, failure.retryAfterMs ?? 0);
    this.#trials++;
    if (wasClosed) this.#changed(true);
  }
}
