import type { Clock } from "../../src/lib/clock.ts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * Time that stands still until a test moves it. Sleeping takes no time: `advance` wakes who is due, in order, and lets
 * what they set off run, sleeps included, before it goes on.
 */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  readonly #sleepers = new Set<Sleeper>();

  /** @param now Wall clock at the start, milliseconds since the epoch. */
  constructor(now = Date.UTC(2026, 0, 15, 12)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (!(ms > 0)) return resolve();
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        until: this.#monotonic + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Lets time pass for both clocks. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settled();
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.until > end) break;
      this.#passUntil(Math.max(next.until, this.#monotonic));
      next.wake();
      await settled();
    }
    this.#passUntil(end);
    await settled();
  }

  /** Lets time pass while nothing can run, as when the process is busy. Who is due meanwhile wakes with the next `advance`. */
  skip(ms: number): void {
    this.#passUntil(this.#monotonic + ms);
  }

  /** Sets the wall clock, as an administrator or NTP does; the monotonic clock goes on. */
  setWallClock(now: number): void {
    this.#now = now;
  }

  /** Milliseconds until each sleeper wakes, soonest first. */
  get pending(): readonly number[] {
    return [...this.#sleepers].map(({ until }) => until - this.#monotonic).sort((a, b) => a - b);
  }

  /** Resolves as soon as a sleep of a time that fits has begun, for example after an exchange over a real socket. */
  async sleeping(fits: (ms: number) => boolean = () => true): Promise<number> {
    for (;;) {
      const found = this.pending.find(fits);
      if (found !== undefined) return found;
      await settled();
    }
  }

  #next(): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (next === undefined || sleeper.until < next.until) next = sleeper;
    return next;
  }

  #passUntil(monotonic: number): void {
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}

/** Resolves when all that can run without time or input passing has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
