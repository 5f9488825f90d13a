import { RETRIES, retryDelayMs } from "../lib/retry-delay.ts";
import { SERIES_WINDOW_MS } from "../prtg/series-types.ts";
import { type Coverage, coverageOf, hasFailed, type MeasurementRow } from "./measurement.ts";
import { FUTURE_SLACK_MS } from "./plan.ts";

/** Reads the time series of sensors with a gap, of all sensors, or of none. */
export type MeasurementMode = "auto" | "all" | "off";

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
  readonly mode: MeasurementMode;
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

/** The last row that was sent or queued. */
interface Sent {
  /** The last covered millisecond. */
  readonly until: number;
  readonly origin: Origin;
  /** Successive rows of failed scans, which the series does not have, up to this one. */
  readonly failed: number;
  /** A list showed the row, which came from a series. */
  readonly seenInList: boolean;
}

/** Nothing newer may be sent before the series are read. */
interface Gap {
  readonly isOpen: boolean;
  /** Successive reads without anything new. */
  readonly fruitless: number;
}

/** The next read after failures. `at`: monotonic milliseconds. */
const NO_RETRY = { failures: 0, at: Number.NEGATIVE_INFINITY };

const CLOSED: Gap = { isOpen: false, fruitless: 0 };

/** What the last lists showed. */
interface Lists {
  newest?: ListMeasurement | undefined;
  /** Newest time in the last list, if that was torn. */
  tornAt?: number | undefined;
  /** End of what was sent when the last list ended. The next list may be older than what came since. */
  covered: number | undefined;
  /** Successive lists that skipped a measurement. */
  skips: number;
}

/** A server's clock that was ahead. */
interface WrongClock {
  /** A list that seems to show that the clock went back. */
  seemedBack?: { readonly at: number; readonly covered: number } | undefined;
  /** Covered by rows sent before the clock went back. */
  sentAhead?: Coverage | undefined;
}

/** The state of one sensor. Times are milliseconds since the epoch, server's clock, unless marked monotonic. */
export class SensorMeasurements {
  readonly sensorId: string;
  /** Number of the last list with the sensor. */
  lastList = 0;
  listRequestedAt: number | undefined;
  lastReadAt: number | undefined;
  #sent: Sent | undefined;
  #gap = CLOSED;
  readonly #lists: Lists;
  readonly #clock: WrongClock = {};
  readonly #interval: { reportedMs?: number | undefined; learnedMs?: number | undefined } = {};
  #retry = NO_RETRY;

  /** @param watermark End of what the receiver acknowledged. */
  constructor(sensorId: string, watermark: Coverage | undefined) {
    this.sensorId = sensorId;
    this.#sent = watermark && sentUntil(watermark);
    this.#lists = { covered: watermark?.until, skips: 0 };
  }

  /** End of what was sent or queued. */
  get covered(): number | undefined {
    return this.#sent?.until;
  }

  get hasGap(): boolean {
    return this.#gap.isOpen;
  }

  get newest(): ListMeasurement | undefined {
    return this.#lists.newest;
  }

  /** The last list was complete, and nothing is left to read. */
  get isInStep(): boolean {
    return !this.hasGap && this.#lists.tornAt === undefined && this.#clock.sentAhead === undefined;
  }

  get endsInAverage(): boolean {
    return this.#sent?.origin === "average";
  }

  get newestListTime(): number | undefined {
    const { newest, tornAt } = this.#lists;
    return newest && Math.max(newest.at, tornAt ?? newest.at);
  }

  get intervalMs(): number {
    return this.#interval.reportedMs ?? this.#interval.learnedMs ?? ASSUMED_INTERVAL_MS;
  }

  /**
   * Maximum difference between a row of a series and the last sent measurement. Series have their own times for
   * measurements of lists.
   */
  get sameInSeriesWithinMs(): number {
    const { origin = "unknown", failed = 0 } = this.#sent ?? {};
    return failed === 0 && (origin === "list" || origin === "unknown") ? this.#sameWithinMs : 0;
  }

  get #sameWithinMs(): number {
    return SAME_WITHIN_INTERVALS * this.intervalMs;
  }

  /** `undefined` if the server does not say. */
  setInterval(intervalMs: number | undefined): void {
    this.#interval.reportedMs = intervalMs;
  }

  /** Learns the interval if the server does not report it. */
  learnInterval(intervalMs: number | undefined): void {
    this.#interval.learnedMs = intervalMs ?? this.#interval.learnedMs;
  }

  /** Channels with an older time had no part in the last known measurement. */
  get knownSince(): number {
    const none = Number.NEGATIVE_INFINITY;
    const covered = Math.min(this.covered ?? none, this.#lists.covered ?? none);
    return Math.max(this.newest?.at ?? none, covered) - this.#sameWithinMs;
  }

  /**
   * Whether to use the list. A scan between two pages tears it: some channels are older, and missing values would never
   * be sent. The next list has them. If that is torn too, the series is read.
   * @param times Times of channels since `knownSince`.
   */
  takesList({ oldest, newest }: ChannelTimes, mode: MeasurementMode): boolean {
    const before = this.#lists.tornAt;
    const isTorn = newest - oldest > this.#sameWithinMs;
    this.#lists.tornAt = isTorn ? newest : undefined;
    // The same times again: some channels were not measured.
    if (!isTorn || before === newest) return true;
    if (before === undefined) return false;
    if (mode === "auto") this.#openGap();
    return mode === "off";
  }

  /** @param point The newest measurement of a list. */
  observe(point: ListMeasurement, context: ListContext): SequencePosition {
    this.#countSkip(point.at);
    // Saves 30 MB for 200,000 channels.
    this.#lists.newest = context.pushes ? point : { at: point.at, values: [] };
    // Series cannot close it.
    if (context.mode === "off") this.#gap = { ...this.#gap, isOpen: false };
    const position = this.#positionOf(point.at, context);
    // The list has only those channels of an earlier scan that were not measured since.
    const { mode, pushes, newestAt = point.at } = context;
    const isPart = mode === "auto" && pushes && newestAt - point.at > this.#sameWithinMs;
    if (position === "known" || (position === "next" && !isPart)) return position;
    this.#openGap();
    return "gap";
  }

  #openGap(): void {
    this.#gap = { ...this.#gap, isOpen: true };
  }

  #positionOf(at: number, { mode, pushes, now }: ListContext): SequencePosition {
    // The series is read anyway, and lists skip measurements.
    if (mode === "all") return "known";
    if (this.hasGap) return "gap";
    const sent = this.#sent;
    if (sent === undefined) {
      if (mode === "off" || !pushes) return "next";
      return at >= now - SERIES_WINDOW_MS.live ? "gap" : "known";
    }
    const sinceMs = at - sent.until;
    const canBeSame = sent.origin !== "list" && !sent.seenInList;
    if (canBeSame && Math.abs(sinceMs) <= this.#sameWithinMs) {
      this.#sent = { ...sent, seenInList: true };
      return "known";
    }
    if (sinceMs <= 0) return "known";
    if (mode === "auto" && pushes && sent.failed === 1 && sinceMs > REPEATED_WITHIN_MS) return "gap";
    if (mode === "off" || sinceMs <= GAP_INTERVALS * this.intervalMs) return "next";
    return pushes || this.#lists.skips >= SKIPS_OF_FAST_SENSORS ? "gap" : "next";
  }

  #countSkip(at: number): void {
    const stepMs = at - (this.newest?.at ?? at);
    // The same measurement, or channels that differ slightly.
    if (stepMs <= this.#sameWithinMs) return;
    this.#lists.skips = stepMs > GAP_INTERVALS * this.intervalMs ? this.#lists.skips + 1 : 0;
  }

  take(row: MeasurementRow, source: "list" | "series"): void {
    const { until, kind } = coverageOf(row);
    const listedAt = this.newest?.at ?? Number.NEGATIVE_INFINITY;
    this.#sent = {
      until,
      origin: kind === "average" ? "average" : source,
      failed: hasFailed(row) ? (this.#sent?.failed ?? 0) + 1 : 0,
      seenInList: Math.abs(listedAt - until) <= this.#sameWithinMs,
    };
  }

  /** Rows were dropped: reads the time after `covered` again. */
  fallBack(covered: Coverage | undefined): void {
    if (covered?.until !== this.covered) this.#sent = covered && sentUntil(covered);
    this.#openGap();
  }

  /** Call at the end of each list. */
  endList(): void {
    this.#lists.covered = this.covered;
  }

  /** Rows after this time wait. */
  sendsUpTo(now: number): number {
    // Rows from when the clock was ahead were already sent.
    return this.#clock.sentAhead === undefined ? now + FUTURE_SLACK_MS : now;
  }

  isAhead(now: number): boolean {
    const known = Math.max(this.covered ?? Number.NEGATIVE_INFINITY, this.newest?.at ?? Number.NEGATIVE_INFINITY);
    return this.#clock.sentAhead !== undefined || known > now + AHEAD_MS;
  }

  /**
   * Follows a server whose clock was ahead and went back, which a list with older measurements proves. Sending
   * continues from there. The watermark stays, so nothing is sent twice. A list proves nothing about a series that was
   * read meanwhile.
   */
  followClock(newestAt: number, now: number): void {
    const { sentAhead, seemedBack } = this.#clock;
    if (sentAhead !== undefined && newestAt > sentAhead.until) this.#catchUp(sentAhead);
    if (newestAt > now + AHEAD_MS) return;
    const wentBack = (known: number): boolean => known > now + AHEAD_MS && newestAt < known - this.#sameWithinMs;
    if (this.newest !== undefined && wentBack(this.newest.at)) this.#lists.newest = undefined;
    const { covered } = this;
    if (this.#sent === undefined || covered === undefined || !wentBack(covered)) return;
    // The previous list was not used.
    const at = Math.min(newestAt, seemedBack?.covered === covered ? seemedBack.at : newestAt);
    if (covered !== this.#lists.covered) this.#clock.seemedBack = { at, covered };
    else this.#goBack(this.#sent, at);
  }

  #goBack(sent: Sent, backAt: number): void {
    const { sentAhead = { until: Number.NEGATIVE_INFINITY } } = this.#clock;
    this.#clock.seemedBack = undefined;
    if (sent.until > sentAhead.until)
      this.#clock.sentAhead = { until: sent.until, kind: this.endsInAverage ? "average" : "scan" };
    // No known measurement counts as the same.
    this.#sent = { ...sent, until: backAt - Math.ceil(this.#sameWithinMs) - 1, origin: "list", seenInList: false };
    this.#gap = { ...this.#gap, isOpen: false };
  }

  #catchUp(sentAhead: Coverage): void {
    this.#clock.sentAhead = undefined;
    if (this.#sent !== undefined && this.#sent.until >= sentAhead.until) return;
    this.#sent = { ...sentUntil(sentAhead), failed: this.#sent?.failed ?? 0 };
  }

  /**
   * Call after a read. True if the newest listed measurement is next, or never comes in the series: then it is sent
   * from the list.
   * @param progressed The series had something new.
   * @param reachedAt End of the series, gaps included. While a sensor is down, lists have its Downtime and series a
   * gap.
   */
  readThrough(newestAt: number, progressed: boolean, reachedAt = Number.NEGATIVE_INFINITY): boolean {
    const missingMs = newestAt - (this.covered ?? Number.NEGATIVE_INFINITY);
    if (missingMs <= this.#sameWithinMs) {
      this.#gap = CLOSED;
      return false;
    }
    const fruitless = progressed ? 0 : this.#gap.fruitless + 1;
    this.#gap = { ...this.#gap, fruitless };
    const isThere = reachedAt >= newestAt - this.#sameWithinMs;
    if (!isThere && missingMs > GAP_INTERVALS * this.intervalMs && fruitless < MAX_FRUITLESS_READS) return false;
    this.#gap = CLOSED;
    return true;
  }

  recordRead(): void {
    this.#retry = NO_RETRY;
  }

  recordFailure(monotonic: number): void {
    const failures = this.#retry.failures + 1;
    this.#retry = { failures, at: monotonic + retryDelayMs(RETRIES.series, failures) };
  }

  mayBeRead(monotonic: number): boolean {
    return monotonic >= this.#retry.at;
  }
}

function sentUntil({ until, kind }: Coverage): Sent {
  // Its repetition is not the same measurement.
  if (kind === "failed scan") return { until, origin: "list", failed: 1, seenInList: false };
  return { until, origin: kind === "average" ? "average" : "unknown", failed: 0, seenInList: false };
}
