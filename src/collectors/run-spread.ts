import type { Clock } from "../lib/clock.ts";
import type { CollectorName } from "./collector.ts";

/** Runs begin up to this part of the period after their ticks, so that collectors and exporters do not march in step. */
const JITTER = 0.05;
const MAX_JITTER_MS = 5_000;
/** Where there are many servers, the runs that are due within this time begin together. */
const BEAT_MS = 500;
/**
 * Where there are many servers, their collectors wait for this part of the longest wait in place of a random one: servers that have
 * a phase together are then read together, and what of the page they share is made anew once for all of them. Time series come
 * first: they take three seconds or so, and their values come with those of the list.
 */
const PART_OF_WAIT: Readonly<Record<CollectorName, number>> = {
  timeseries: 0,
  health: 0.2,
  tree: 0.4,
  status: 0.5,
  limits: 0.6,
  details: 0.8,
  channels: 1,
};

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
export function waitFromTick(name: CollectorName, periodMs: number, clock: Clock, spread: RunSpread): number {
  const longest = Math.min(JITTER * periodMs, MAX_JITTER_MS);
  if (spread.isOneOfMany?.() !== true) return spread.random() * longest;
  const beat = Math.min(BEAT_MS, longest);
  const now = clock.monotonic();
  return Math.ceil((now + PART_OF_WAIT[name] * longest) / beat) * beat - now;
}
