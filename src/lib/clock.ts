import { setTimeout as delay } from "node:timers/promises";

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
  async sleep(ms, signal) {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
  },
};
