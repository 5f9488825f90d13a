import { setImmediate } from "node:timers";
import type { Clock } from "./clock.ts";

/** How long work may hold the event loop, and how many steps go by between looks at the clock. */
const SLICE_MS = 8;
const STEPS_PER_LOOK = 256;

const waiting: (() => void)[] = [];

/**
 * Waits until the event loop has looked after everything else. Of all the long work that waits like this, one piece is
 * done a turn, so that however much goes on at a time, a turn takes as long as the longest piece and not as all of them.
 * For work that knows how long its pieces take; otherwise see `TimeSlices`.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Cuts long work into slices of 8 ms: scrapes and requests get the event loop in between. */
export class TimeSlices {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #steps = 0;
  #sliceBegan: number;

  /** `signal` ends the work between two slices: what is waited for rejects with its reason. */
  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#sliceBegan = clock.monotonic();
  }

  /** Call after each small step; wait for the promise, if there is one. */
  step(): Promise<void> | undefined {
    this.#steps++;
    return this.#steps % STEPS_PER_LOOK === 0 ? this.longStep() : undefined;
  }

  /** As `step`, for steps that take long themselves. */
  longStep(): Promise<void> | undefined {
    if (this.#clock.monotonic() - this.#sliceBegan < SLICE_MS) return undefined;
    return this.#yield();
  }

  async #yield(): Promise<void> {
    await yieldToEventLoop();
    this.#signal?.throwIfAborted();
    this.#sliceBegan = this.#clock.monotonic();
  }
}

/** What long work calls after each small step; a test may count. */
export type Steps = Pick<TimeSlices, "step">;
