import type { SimStatus } from "./model.ts";
import type { ChannelNode } from "./nodes.ts";
import type { Episode } from "./rota.ts";

/** A channel that measures what was arranged. */
export interface Reading {
  readonly channel: ChannelNode;
  /** Display value at a moment, as it is served. */
  readonly valueAt: (at: number) => number;
}

/** What puts a node into a state for a while. `start` belongs to it, `end` does not. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly status: SimStatus;
  /** Nothing is scanned while it lasts, and it is seen at once; what does not halt is seen at the next scan. */
  readonly halts: boolean;
  /** Where several are on, the highest one shows. */
  readonly rank: number;
  /** A channel runs out of its limits; without it a sensor that is down measures nothing. */
  readonly byLimit: boolean;
  readonly draw: number;
  /** What somebody gave as the reason. */
  readonly message: string | undefined;
  /** Undefined unless a value was arranged: then the status of a scan follows from it. */
  readonly reading: Reading | undefined;
}

export const RANK = {
  force: 100,
  order: 80,
  paused: 70,
  schedule: 69,
  dependency: 60,
  disconnected: 50,
  never: 45,
  waiting: 40,
  incident: 37,
  reading: 36,
  outage: 30,
  trouble: 28,
  trend: 20,
  chronic: 15,
  nuisance: 10,
} as const;

/** While one of these lasts nothing is scanned. */
export const HALTING: ReadonlySet<SimStatus> = new Set<SimStatus>([
  "none",
  "unknown",
  "collecting",
  "disconnected",
  "pausedbyuser",
  "pausedbydependency",
  "pausedbyschedule",
  "pausedbylicense",
  "pauseduntil",
]);

const UNREMARKED = { message: undefined, reading: undefined };

export function span(
  { start, end, draw }: Pick<Episode, "start" | "end" | "draw">,
  status: SimStatus,
  rank: number,
  byLimit = false,
): Span {
  return { start, end, status, rank, byLimit, draw, halts: HALTING.has(status), ...UNREMARKED };
}

/** The one that shows among those that are on at a moment. */
export function prevailing(spans: readonly Span[], at: number): Span | undefined {
  let best: Span | undefined;
  for (const one of spans) {
    if (one.start <= at && at < one.end && (best === undefined || one.rank > best.rank)) best = one;
  }
  return best;
}

/** The halt that a scan at a moment falls into, which then does not take place; one at the very moment when it begins still does. */
export function haltOfScan(spans: readonly Span[], at: number): Span | undefined {
  return spans.find((one) => one.halts && one.start < at && at < one.end);
}

/** What shows in a scan that takes place. */
export function behindScan(spans: readonly Span[], at: number): Span | undefined {
  return prevailing(
    spans.filter((one) => !one.halts),
    at,
  );
}
