import type { Clock } from "../../src/lib/clock.ts";

/** Wall clock at the start of a test clock, milliseconds since the epoch. */
export const CLOCK_START = Date.UTC(2026, 0, 15, 12);

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** `advance` wakes sleepers in order and runs their work, including new sleeps. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  readonly #sleepers = new Set<Sleeper>();

  /** @param now initial wall clock, milliseconds since the epoch. */
  constructor(now = CLOCK_START) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, act: () => void): () => void {
    const sleeper: Sleeper = {
      until: this.#monotonic + ms,
      wake: () => {
        this.#sleepers.delete(sleeper);
        act();
      },
    };
    this.#sleepers.add(sleeper);
    return () => void this.#sleepers.delete(sleeper);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (!(ms > 0)) return resolve();
      const abort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(ms, () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Advances both clocks. */
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

  /** Nothing runs, as in a busy process. The next `advance` wakes due sleepers. */
  skip(ms: number): void {
    this.#passUntil(this.#monotonic + ms);
  }

  /** Like an administrator or NTP: the monotonic clock continues. */
  setWallClock(now: number): void {
    this.#now = now;
  }

  /** Remaining milliseconds per sleeper, soonest first. */
  get pending(): readonly number[] {
    return [...this.#sleepers].map(({ until }) => until - this.#monotonic).sort((a, b) => a - b);
  }

  /** A matching sleep starts, such as after a real socket's exchange. */
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

/** Resolves when all work that needs no time or input is done. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
