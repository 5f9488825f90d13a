export interface Clock {
  now(): number;
  /** Never jumps. For ages, deadlines and durations. */
  monotonic(): number;
  /** Calls `act` once, unless the returned function is called before. Lighter than `sleep` with a signal. */
  after(ms: number, act: () => void): () => void;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
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

/**
 * Calls `act` when the signal aborts, until the returned function is called, which also frees `act`. Node.js keeps a
 * removed listener reachable from its neighbour, so overlapping requests would keep each other's answers in memory
 * until a major collection.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  let handler: (() => void) | undefined = act;
  const listener = (): void => handler?.();
  signal.addEventListener("abort", listener, { once: true });
  return () => {
    handler = undefined;
    signal.removeEventListener("abort", listener);
  };
}
