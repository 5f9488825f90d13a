import { onAbort } from "./abort.ts";

export interface Clock {
  now(): number;
  /** Never jumps. For ages, deadlines and durations. */
  monotonic(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // `node:timers/promises` makes an error with a stack trace for each aborted sleep.
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
