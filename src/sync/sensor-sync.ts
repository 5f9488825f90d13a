import { RETRIES, retryDelayMs } from "../lib/retry-delay.ts";
import { SERIES_WINDOW_MS } from "../prtg/series-types.ts";
import { type Coverage, coverageOf, type MeasurementRow } from "./measurement.ts";
import { FUTURE_SLACK_MS, isMeasured } from "./plan.ts";

/** Reads the time series of sensors with a gap, of all sensors, or of none. */
export type SyncMode = "auto" | "all" | "off";

export interface ListMeasurement {
  readonly at: number;
  readonly values: MeasurementRow["values"];
}

export interface ChannelTimes {
  readonly oldest: number;
  readonly newest: number;
}

/** Sent or queued already, next in line, or after a gap. */
export type SequencePosition = "known" | "next" | "gap";

export interface ListContext {
  readonly mode: SyncMode;
  /** Measurements are pushed, so none may be missing. Otherwise only the newest matters. */
  readonly pushes: boolean;
  readonly now: number;
  /** Default: this one. */
  readonly newestAt?: number | undefined;
}

/** Source of the last sent row. Unknown after a restart. */
type Origin = "list" | "series" | "average" | "unknown";

/**
 * More intervals without a measurement are a gap. After a scan that was late by half an interval, the next but one comes
 * after one and a half. Seen in the PRTG Open Dataset, like the next two.
 */
const GAP_INTERVALS = 1.25;
/** Lists and series may give a measurement slightly different times. Scans lie closer than half an interval at times. */
const SAME_WITHIN_INTERVALS = 0.3;
/** PRTG repeats a failed scan within this time. Lists may show the failure, then the next scan, not the repetition. */
const REPEATED_WITHIN_MS = 15_000;
/**
 * Later times come from a clock that was ahead. Less is no proof: the client follows a clock only after a minute, and a
 * list may be older than the series.
 */
const AHEAD_MS = 15 * 60_000;
/** PRTG's default. */
const ASSUMED_INTERVAL_MS = 60_000;
/**
 * If so many successive lists skip a measurement, the sensor scans faster than lists are read. A single skip matters
 * only to a receiver.
 */
const SKIPS_OF_FAST_SENSORS = 2;
/** After so many reads the series does not have what the list shows. */
const MAX_FRUITLESS_READS = 2;

/** The state of one sensor. Times are milliseconds since the epoch, server's clock, unless marked monotonic. */
export class SensorSync {
  readonly sensorId: string;
  /** Number of the last list with the sensor. */
  lastList = 0;
  listRequestedAt: number | undefined;
  lastReadAt: number | undefined;
  #covered: number | undefined;
  #origin: Origin = "unknown";
  /** Successive rows of failed scans, which the series does not have, at the end of what was sent. */
  #failed = 0;
  /** A list showed the last row, which came from a series. */
  #seenInList = false;
  /** `#covered` at the end of the last list. The next list may be older than what came since. */
  #coveredAtList: number | undefined;
  /** A list that seems to show a clock that went back. */
  #seemedBack: { readonly at: number; readonly covered: number } | undefined;
  /** Covered by rows sent while the server's clock was ahead. */
  #sentAhead: Coverage | undefined;
  #gap = false;
  #newest: ListMeasurement | undefined;
  /** Successive lists that skipped a measurement. */
  #skips = 0;
  /** Newest time in the last list, if that was torn. */
  #tornAt: number | undefined;
  #intervalMs: number | undefined;
  #learnedIntervalMs: number | undefined;
  #fruitless = 0;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;

  /** @param watermark End of what the receiver acknowledged. */
  constructor(sensorId: string, watermark: Coverage | undefined) {
    this.sensorId = sensorId;
    this.#covered = watermark?.until;
    this.#coveredAtList = watermark?.until;
    this.#origin = originOf(watermark);
  }

  /** End of what was sent or queued. */
  get covered(): number | undefined {
    return this.#covered;
  }

  /** Nothing newer may be sent before the series are read. */
  get hasGap(): boolean {
    return this.#gap;
  }

  get newest(): ListMeasurement | undefined {
    return this.#newest;
  }

  /** The last list was complete, and nothing is left to read. */
  get isInStep(): boolean {
    return !this.#gap && this.#tornAt === undefined && this.#sentAhead === undefined;
  }

  get endsInAverage(): boolean {
    return this.#origin === "average";
  }

  get newestListTime(): number | undefined {
    const newest = this.#newest?.at;
    return newest === undefined ? undefined : Math.max(newest, this.#tornAt ?? newest);
  }

  get intervalMs(): number {
    return this.#intervalMs ?? this.#learnedIntervalMs ?? ASSUMED_INTERVAL_MS;
  }

  /**
   * Maximum difference between a row of a series and the last sent measurement. Series have their own times for
   * measurements of lists.
   */
  get sameInSeriesWithinMs(): number {
    if (this.#failed > 0) return 0;
    return this.#origin === "list" || this.#origin === "unknown" ? this.#sameWithinMs : 0;
  }

  get #sameWithinMs(): number {
    return SAME_WITHIN_INTERVALS * this.intervalMs;
  }

  /** `undefined` if the server does not say. */
  setInterval(intervalMs: number | undefined): void {
    this.#intervalMs = intervalMs;
  }

  /** For servers that do not report it. */
  learnInterval(intervalMs: number | undefined): void {
    this.#learnedIntervalMs = intervalMs ?? this.#learnedIntervalMs;
  }

  /** Channels with an older time had no part in the last known measurement. */
  get knownSince(): number {
    const none = Number.NEGATIVE_INFINITY;
    const covered = Math.min(this.#covered ?? none, this.#coveredAtList ?? none);
    return Math.max(this.#newest?.at ?? none, covered) - this.#sameWithinMs;
  }

  /**
   * Whether to use the list. A scan between two pages tears it: some channels are older, and missing values would never
   * be sent. The next list has them. If that is torn too, the series is read.
   * @param times Of channels since `knownSince`.
   */
  takesList({ oldest, newest }: ChannelTimes, mode: SyncMode): boolean {
    const before = this.#tornAt;
    this.#tornAt = newest - oldest > this.#sameWithinMs ? newest : undefined;
    // The same times again: some channels were not measured.
    if (this.#tornAt === undefined || before === newest) return true;
    if (before === undefined) return false;
    if (mode === "auto") this.#gap = true;
    return mode === "off";
  }

  /** @param point The newest measurement of a list. */
  observe(point: ListMeasurement, context: ListContext): SequencePosition {
    this.#countSkip(point.at);
    // Saves 30 MB for 200,000 channels.
    this.#newest = context.pushes ? point : { at: point.at, values: [] };
    // Series cannot close it.
    if (context.mode === "off") this.#gap = false;
    const position = this.#positionOf(point.at, context);
    // The list has only those channels of an earlier scan that were not measured since.
    const { mode, pushes, newestAt = point.at } = context;
    const isPart = mode === "auto" && pushes && newestAt - point.at > this.#sameWithinMs;
    if (position === "known" || (position === "next" && !isPart)) return position;
    this.#gap = true;
    return "gap";
  }

  #positionOf(at: number, { mode, pushes, now }: ListContext): SequencePosition {
    // The series is read anyway, and lists skip measurements.
    if (mode === "all") return "known";
    if (this.#gap) return "gap";
    const covered = this.#covered;
    if (covered === undefined) {
      if (mode === "off" || !pushes) return "next";
      return at >= now - SERIES_WINDOW_MS.live ? "gap" : "known";
    }
    const canBeSame = this.#origin !== "list" && !this.#seenInList;
    if (canBeSame && Math.abs(at - covered) <= this.#sameWithinMs) {
      this.#seenInList = true;
      return "known";
    }
    if (at <= covered) return "known";
    if (mode === "auto" && pushes && this.#failed === 1 && at - covered > REPEATED_WITHIN_MS) return "gap";
    if (mode === "off" || at - covered <= GAP_INTERVALS * this.intervalMs) return "next";
    return pushes || this.#skips >= SKIPS_OF_FAST_SENSORS ? "gap" : "next";
  }

  #countSkip(at: number): void {
    const stepMs = at - (this.#newest?.at ?? at);
    // The same measurement, or channels that differ slightly.
    if (stepMs <= this.#sameWithinMs) return;
    this.#skips = stepMs > GAP_INTERVALS * this.intervalMs ? this.#skips + 1 : 0;
  }

  take(row: MeasurementRow, source: "list" | "series"): void {
    const { until, isAverage } = coverageOf(row);
    this.#covered = until;
    this.#origin = isAverage ? "average" : source;
    this.#failed = row.values.some(([channelId]) => isMeasured(channelId)) ? 0 : this.#failed + 1;
    const { at } = this.#newest ?? { at: Number.NEGATIVE_INFINITY };
    this.#seenInList = Math.abs(at - until) <= this.#sameWithinMs;
  }

  /** Rows were dropped: reads the time after `covered` again. */
  fallBack(covered: Coverage | undefined): void {
    if (covered?.until !== this.#covered) {
      this.#origin = originOf(covered);
      this.#failed = 0;
      this.#seenInList = false;
    }
    this.#covered = covered?.until;
    this.#gap = true;
  }

  /** Call at the end of each list. */
  endList(): void {
    this.#coveredAtList = this.#covered;
  }

  /** Rows after this time wait. */
  sendsUpTo(now: number): number {
    // Rows from when the clock was ahead were already sent.
    return this.#sentAhead === undefined ? now + FUTURE_SLACK_MS : now;
  }

  isAhead(now: number): boolean {
    const known = Math.max(this.#covered ?? Number.NEGATIVE_INFINITY, this.#newest?.at ?? Number.NEGATIVE_INFINITY);
    return this.#sentAhead !== undefined || known > now + AHEAD_MS;
  }

  /**
   * Follows a server whose clock was ahead and went back, which a list with older measurements proves. Sending
   * continues from there. The watermark stays, so nothing is sent twice. A list proves nothing about a series that was
   * read meanwhile.
   */
  followClock(newestAt: number, now: number): void {
    if (this.#sentAhead !== undefined && newestAt > this.#sentAhead.until) this.#catchUp(this.#sentAhead);
    if (newestAt > now + AHEAD_MS) return;
    const wentBack = (known: number): boolean => known > now + AHEAD_MS && newestAt < known - this.#sameWithinMs;
    if (this.#newest !== undefined && wentBack(this.#newest.at)) this.#newest = undefined;
    const covered = this.#covered;
    if (covered === undefined || !wentBack(covered)) return;
    // The previous list was not used.
    const at = Math.min(newestAt, this.#seemedBack?.covered === covered ? this.#seemedBack.at : newestAt);
    if (covered !== this.#coveredAtList) this.#seemedBack = { at, covered };
    else this.#goBack(covered, at);
  }

  #goBack(covered: number, backAt: number): void {
    this.#seemedBack = undefined;
    if (this.#sentAhead === undefined || covered > this.#sentAhead.until)
      this.#sentAhead = { until: covered, isAverage: this.endsInAverage };
    // No known measurement counts as the same.
    this.#covered = backAt - Math.ceil(this.#sameWithinMs) - 1;
    this.#origin = "list";
    this.#seenInList = false;
    this.#gap = false;
  }

  #catchUp(sentAhead: Coverage): void {
    this.#sentAhead = undefined;
    if (this.#covered !== undefined && this.#covered >= sentAhead.until) return;
    this.#covered = sentAhead.until;
    this.#origin = originOf(sentAhead);
    this.#seenInList = false;
  }

  /**
   * Call after a read. True if the newest listed measurement is next, or never comes in the series: then it is sent
   * from the list.
   * @param progressed The series had something new.
   * @param reachedAt End of the series, gaps included. While a sensor is down, lists have its Downtime and series a
   * gap.
   */
  readThrough(newestAt: number, progressed: boolean, reachedAt = Number.NEGATIVE_INFINITY): boolean {
    const missingMs = newestAt - (this.#covered ?? Number.NEGATIVE_INFINITY);
    if (missingMs <= this.#sameWithinMs) {
      this.#close();
      return false;
    }
    this.#fruitless = progressed ? 0 : this.#fruitless + 1;
    const isThere = reachedAt >= newestAt - this.#sameWithinMs;
    if (!isThere && missingMs > GAP_INTERVALS * this.intervalMs && this.#fruitless < MAX_FRUITLESS_READS) return false;
    this.#close();
    return true;
  }

  #close(): void {
    this.#gap = false;
    this.#fruitless = 0;
  }

  recordRead(): void {
    this.#failures = 0;
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  recordFailure(monotonic: number): void {
    this.#retryAt = monotonic + retryDelayMs(RETRIES.series, ++this.#failures);
  }

  mayBeRead(monotonic: number): boolean {
    return monotonic >= this.#retryAt;
  }
}

function originOf(covered: Coverage | undefined): Origin {
  return covered?.isAverage === true ? "average" : "unknown";
}
