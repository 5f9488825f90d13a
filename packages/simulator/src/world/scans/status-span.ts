import type { SimStatus } from "../model.ts";
import type { ChannelNode } from "../nodes/nodes.ts";

/** The value that an incident sets a channel to. */
export interface ValueOverride {
  readonly channel: ChannelNode;
  /** Display value at a given time, as it is served. */
  readonly valueAt: (at: number) => number;
}

/** What puts a node into a state for a while. `start` belongs to it, `end` does not. */
export interface StatusSpan {
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
  /** The message that a user or an incident gave. */
  readonly message: string | undefined;
  /** Undefined unless an incident sets a value: then the status of a scan follows from it. */
  readonly valueOverride: ValueOverride | undefined;
}

export const RANK = {
  force: 100,
  manual: 80,
  paused: 70,
  schedule: 69,
  dependency: 60,
  disconnected: 50,
  never: 45,
  waiting: 40,
  incident: 37,
  value: 36,
  outage: 30,
  problem: 28,
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

const NO_DETAILS = { message: undefined, valueOverride: undefined };

export function statusSpan(
  { start, end, draw }: Pick<StatusSpan, "start" | "end" | "draw">,
  status: SimStatus,
  rank: number,
  byLimit = false,
): StatusSpan {
  return { start, end, status, rank, byLimit, draw, halts: HALTING.has(status), ...NO_DETAILS };
}

/** The one of the highest rank among those that are on at a given time. */
export function highestRanked(spans: readonly StatusSpan[], at: number): StatusSpan | undefined {
  let best: StatusSpan | undefined;
  for (const one of spans) {
    if (one.start <= at && at < one.end && (best === undefined || one.rank > best.rank)) best = one;
  }
  return best;
}

/** The halt that keeps a scan from taking place; a scan at the very time when a halt begins still takes place. */
export function haltOfScan(spans: readonly StatusSpan[], at: number): StatusSpan | undefined {
  return spans.find((one) => one.halts && one.start < at && at < one.end);
}

/** What shows in a scan that takes place. */
export function scanSpan(spans: readonly StatusSpan[], at: number): StatusSpan | undefined {
  return highestRanked(
    spans.filter((one) => !one.halts),
    at,
  );
}
