import { type Clock, onAbort } from "./clock.ts";
import { type Pause, Pauses } from "./retry-delay.ts";

export interface BudgetLimits {
  readonly concurrency: number;
  /** Infinity: no pacing. */
  readonly requestsPerSecond: number;
}

interface Waiter {
  readonly admit: () => void;
  readonly signal: AbortSignal;
}

/**
 * Admits requests to one server with bounded concurrency and pace, in order. Uses the monotonic clock. A place is free
 * when its request has ended, not when it aborts.
 */
export class RequestBudget {
  readonly #clock: Clock;
  readonly #pause: Pause;
  #concurrency: number;
  #spacingMs: number;
  readonly #queue: Waiter[] = [];
  #inFlight = 0;
  /** Monotonic. */
  #nextStart = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  /** @param pause Shared by budgets of the same host. */
  constructor(clock: Clock, limits: BudgetLimits, pause = new Pauses(clock).of("")) {
    this.#clock = clock;
    this.#pause = pause;
    this.#concurrency = limits.concurrency;
    this.#spacingMs = 1000 / limits.requestsPerSecond;
  }

  limit(limits: BudgetLimits): void {
    this.#concurrency = limits.concurrency;
    this.#spacingMs = 1000 / limits.requestsPerSecond;
    this.#admitNext();
  }

  /** Resolves with the function that releases the place. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    // Listeners of signals are expensive.
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

  /** Starts no request for a while, as the server asked. */
  hold(ms: number): void {
    this.#pause.hold(ms);
  }

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
    if (isTimeAll) this.#cancelTimer ??= this.#clock.after(this.heldForMs(), () => this.#wake());
    else {
      // A timer would keep the process alive.
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
    }
  }

  #wake(): void {
    this.#cancelTimer = undefined;
    this.#admitNext();
  }
}
