import { setTimeout as wait } from "node:timers/promises";

/** Time, handed in so that tests can own it. */
export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch; may jump. */
  now(): number;
  /** Milliseconds since an arbitrary origin; never jumps. */
  monotonic(): number;
  /** Rejects when the signal aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }),
};
