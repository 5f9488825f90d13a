import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { RETRIES, retryDelayMs } from "../lib/retry-delay.ts";

/** Longer pauses would look like an outage. */
const MAX_REQUESTED_PAUSE_MS = 15 * 60_000;
/** The metrics count all failures. */
const REMIND_EVERY_MS = 10 * 60_000;

export interface BackoffOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly random: () => number;
}

export interface Pause {
  /** Milliseconds until the next attempt. */
  readonly ms: number;
  /** The part that the receiver asked for, bounded. `undefined`: it asked for none. */
  readonly requestedMs: number | undefined;
  /** Number of failures since the receiver accepted something. */
  readonly failures: number;
  /** The failure is worth a log line. */
  readonly isNews: boolean;
}

/** Pauses between attempts while a receiver accepts nothing. */
export class Backoff {
  readonly #random: () => number;
  readonly #log: LogOnChange;
  #failures = 0;

  constructor({ clock, random }: BackoffOptions) {
    this.#random = random;
    this.#log = new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => clock.monotonic() });
  }

  /** The receiver accepted something. */
  accepted(): void {
    this.#failures = 0;
  }

  /** The receiver accepted everything. Returns the number of failures before. */
  recovered(): number {
    this.#failures = 0;
    return this.#log.over();
  }

  /** Adds jitter, so that exporters do not retry in step. */
  failed(retryAfterMs: number | undefined): Pause {
    const random = this.#random();
    const common = { failures: ++this.#failures, isNews: this.#log.record() !== undefined };
    if (retryAfterMs === undefined)
      return { ms: retryDelayMs(RETRIES.delivery, this.#failures, random), requestedMs: undefined, ...common };
    const requestedMs = Math.min(retryAfterMs, MAX_REQUESTED_PAUSE_MS);
    return { ms: requestedMs + RETRIES.delivery.firstMs * random, requestedMs, ...common };
  }
}
