import { onAbort } from "../../lib/abort.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Pause, Pauses } from "../../lib/pauses.ts";

export interface BudgetLimits {
  readonly concurrency: number;
  readonly requestsPerSecond: number;
}

interface Waiter {
  readonly admit: () => void;
  readonly signal: AbortSignal;
}

/**
 * Admits requests to one server: at most so many under way, evenly spaced in time, first come first served.
 * Paced by the monotonic clock, so that a wall clock set back cannot stall it; a place is free again only when its
 * holder says that the request has ended, not when it was aborted.
 */
export class RequestBudget {
  readonly #clock: Clock;
  readonly #pause: Pause;
  #concurrency: number;
  #spacingMs: number;
  readonly #queue: Waiter[] = [];
  #inFlight = 0;
  /** Monotonic time before which no request starts. */
  #nextStart = Number.NEGATIVE_INFINITY;
  #timer: AbortController | undefined;

  /** @param pause Shared with other budgets of the same host. */
  constructor(clock: Clock, limits: BudgetLimits, pause = new Pauses(clock).of("")) {
    this.#clock = clock;
    this.#pause = pause;
    this.#concurrency = limits.concurrency;
    this.#spacingMs = 1000 / limits.requestsPerSecond;
  }

  /** Other limits, for requests that are sent from now on. */
  limit(limits: BudgetLimits): void {
    this.#concurrency = limits.concurrency;
    this.#spacingMs = 1000 / limits.requestsPerSecond;
    this.#admitNext();
  }

  /**
   * Resolves when a request may be sent, with the function that gives the place back (further calls do nothing).
   * Rejects with the signal's reason when that aborts first.
   */
  acquire(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    // Most requests need not wait, and listeners of signals are dear.
    if (this.#queue.length === 0 && this.#isFree()) return Promise.resolve(this.#occupy());
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        this.#admitNext();
        reject(signal.reason);
      });
      const waiter: Waiter = {
        signal,
        admit: () => {
          forget();
          resolve(this.#occupy());
        },
      };
      this.#queue.push(waiter);
      this.#admitNext();
    });
  }

  /** Lets nothing start for a while, because the server asked for it. */
  hold(ms: number): void {
    this.#pause.hold(ms);
  }

  /** Milliseconds until the next request can start, as far as time alone decides. */
  heldForMs(): number {
    return Math.max(0, this.#nextStart - this.#clock.monotonic(), this.#pause.heldForMs());
  }

  #isFree(): boolean {
    return this.#inFlight < this.#concurrency && this.heldForMs() === 0;
  }

  #occupy(): () => void {
    this.#inFlight++;
    this.#nextStart = this.#clock.monotonic() + this.#spacingMs;
    let occupied = true;
    return () => {
      if (!occupied) return;
      occupied = false;
      this.#inFlight--;
      this.#admitNext();
    };
  }

  #admitNext(): void {
    while (this.#queue.length > 0 && this.#isFree()) this.#queue.shift()?.admit();
    const isTimeAll = this.#queue.length > 0 && this.#inFlight < this.#concurrency;
    if (isTimeAll && this.#timer === undefined) this.#wakeAfter(this.heldForMs());
    // No timer without need: it would keep the process from ending.
    if (!isTimeAll) {
      this.#timer?.abort();
      this.#timer = undefined;
    }
  }

  #wakeAfter(ms: number): void {
    const timer = new AbortController();
    this.#timer = timer;
    const wake = (): void => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#admitNext();
    };
    this.#clock.sleep(ms, timer.signal).then(wake, () => undefined);
  }
}
