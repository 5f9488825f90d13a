import type { Clock } from "../lib/clock.ts";

/** Runs begin up to this part of the period after their ticks, so that collectors and exporters do not march in step. */
const JITTER = 0.05;
const MAX_JITTER_MS = 5_000;
/** Where there are many servers, the runs that are due within this time begin together. */
const BEAT_MS = 500;

/** What spreads the runs of a server's collectors over time. */
export interface RunSpread {
  /** From 0 to below 1. */
  readonly random: () => number;
  /** See `createTimetable`: where there are many servers, each few have another one. */
  readonly phase?: number | undefined;
  /** Whether the process reads many servers. */
  readonly isOneOfMany?: (() => boolean) | undefined;
}

/**
 * Milliseconds from a tick to its run. With many servers, runs begin at beats of the monotonic clock, a few servers at each: a
 * process that wakes for one small answer at a time finds its code and data out of the processor's caches each time, which
 * takes a quarter more of the processor for all of them (docs/decisions.md).
 * @param periodMs From one tick to the next.
 */
export function waitFromTick(periodMs: number, clock: Clock, { random, isOneOfMany }: RunSpread): number {
  const longest = Math.min(JITTER * periodMs, MAX_JITTER_MS);
  const jitter = random() * longest;
  if (isOneOfMany?.() !== true) return jitter;
  const beat = Math.min(BEAT_MS, longest);
  const now = clock.monotonic();
  return Math.ceil((now + jitter) / beat) * beat - now;
}
