/**
 * The order of first runs: the tree before what hangs on it, so that the first page is right at once. What stands together
 * begins together: a slow status list must not keep the values back.
 */
export const FIRST_RUNS = [
  ["health"],
  ["tree"],
  ["status", "channels"],
  ["limits"],
  ["details"],
  ["timeseries"],
] as const;
/** In the order of their first runs. */
export const COLLECTOR_NAMES = FIRST_RUNS.flat();
export type CollectorName = (typeof COLLECTOR_NAMES)[number];

/** Reads one kind of thing from a server into its state. */
export interface Collector {
  readonly name: CollectorName;
  /**
   * One run. What could be read is shown even when the run then rejects, because a part of it failed.
   * @throws the signal's reason when it aborts
   */
  run(signal: AbortSignal): Promise<RunResult>;
}

export interface RunResult {
  /** True when every object was seen. */
  readonly complete: boolean;
}

/** When a collector is due. */
export interface Timetable {
  /**
   * Ticks from now on; a tick only tells, and must not throw.
   * @param handledUntil Of a timetable of the same schedule, which this one goes on with.
   * @returns whether a tick was due since `handledUntil`, which is then not made up for
   */
  start(tick: () => void, handledUntil?: number): boolean;
  stop(): void;
  /** Ticks up to this time were handled: monotonic ms for an interval, ms since the epoch for cron. */
  readonly handledUntil: number;
  /** Milliseconds until the next tick. */
  untilNext(): number;
  /** Milliseconds from now in which the next three ticks fall due: three periods, however uneven they are. */
  untilThird(): number;
  /** Milliseconds between the next two ticks. */
  period(): number;
}
