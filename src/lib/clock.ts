import { onAbort } from "./abort.ts";

/** Time as the program sees it; handed in everywhere, so that tests can own it. */
export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch; may jump. */
  now(): number;
  /** Milliseconds since an arbitrary origin; never jumps. For ages, deadlines and durations. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Not by `node:timers/promises`: most sleeps are broken off, and it makes an error with a stack trace of each.
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(() => {
        forget?.();
        resolve();
      }, ms);
      const forget =
        signal &&
        onAbort(signal, () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
    }),
};
