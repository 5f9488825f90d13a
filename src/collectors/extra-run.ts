import type { Extras } from "../lib/load/extra-work.ts";
import type { CollectorName } from "./collector.ts";

export interface ExtraRun<Result> {
  readonly collector: CollectorName;
  /** That the last run took; undefined for the first one. */
  readonly requests: number | undefined;
  readonly poll: () => Promise<Result>;
}

/**
 * Runs what is not of the first rank, though a run is never given up. The first one is part of the start; later ones go before time series, and
 * leave them that much less of the time.
 * @throws the signal's reason, and what `poll` throws
 */
export async function runExtra<Result>(
  extras: Extras,
  { collector, requests, poll }: ExtraRun<Result>,
  signal: AbortSignal,
): Promise<Result> {
  if (requests === undefined) return poll();
  const request = { collector, ageMs: Number.POSITIVE_INFINITY, cost: requests, until: Number.POSITIVE_INFINITY };
  const leave = await extras.ask(request, signal);
  try {
    return await poll();
  } finally {
    leave?.end();
  }
}
