import type { Extras } from "../lib/extra-work.ts";
import type { CollectorName } from "./collector.ts";

export interface ExtraRun<Result> {
  readonly collector: CollectorName;
  /** Part of the start, which waits for nothing. */
  readonly isFirst: boolean;
  readonly poll: () => Promise<Result>;
}

/**
 * Runs a collector of extras. It goes before time series, and is never deferred.
 * @throws the signal's reason, and what `poll` throws
 */
export async function runExtra<Result>(
  extras: Extras,
  { collector, isFirst, poll }: ExtraRun<Result>,
  signal: AbortSignal,
): Promise<Result> {
  if (isFirst) return poll();
  const read = { collector, ageMs: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY };
  const end = await extras.acquire(read, signal);
  try {
    return await poll();
  } finally {
    end?.();
  }
}
