/**
 * The order of first runs: the tree before everything that refers to it, so that the first page is right at once. Collectors of one
 * line start together: a slow status list must not delay values.
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

/** Pause when the process is busy. `prtg_up` and the first page do not need them. */
export const EXTRA_COLLECTORS = ["limits", "details", "timeseries"] as const satisfies readonly CollectorName[];
/** Defer reads to a later run. */
export const DEFERRED_COLLECTORS = ["timeseries"] as const satisfies readonly CollectorName[];

/**
 * One run of a collector: reads from the server into the state.
 * @throws the error that left nothing to write, or the signal's reason
 */
export type Poll = (signal: AbortSignal) => Promise<PollResult>;

export interface PollResult {
  /** Every object was read. */
  readonly complete: boolean;
  /** Lists refer to objects that no list contains. */
  readonly needsTree?: boolean;
  /** The error of a part. The state has the other parts. */
  readonly error?: unknown;
}

/** Decides when a collector is due. */
export interface Timetable {
  /**
   * @param tick Must not throw.
   * @param lastTickAt Of a timetable with the same schedule, which this one continues.
   * @returns whether a tick was due since `lastTickAt`; the timetable does not repeat it
   */
  start(tick: () => void, lastTickAt?: number): boolean;
  stop(): void;
  /** Ticks up to this time were handled: monotonic ms for an interval, ms since the epoch for cron. */
  readonly lastTickAt: number;
  /** Milliseconds until the next tick. */
  msToNext(): number;
  /** Milliseconds until the third tick from now. */
  msToThird(): number;
  /** Milliseconds between the next two ticks. */
  period(): number;
}
