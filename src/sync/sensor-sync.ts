import { SERIES_WINDOW_MS } from "../prtg/series-types.ts";
import type { MeasurementRow } from "./measurement.ts";
import { coverageEnd, isEndOfAverage } from "./measurement.ts";
import { FUTURE_SLACK_MS } from "./plan.ts";

/** Which sensors have their time series read: those with a gap, all of them, or none. */
export type SyncMode = "auto" | "all" | "off";

/** A measurement as a list of channels shows it. */
export interface ListMeasurement {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly values: MeasurementRow["values"];
}

/** When the channels of a sensor were measured, the first and the last of them, as a list shows it. */
export interface ChannelTimes {
  readonly oldest: number;
  readonly newest: number;
}

/** What a measurement in a list is to a sensor: sent or queued already, the next in line, or the far side of a gap. */
export type SequencePosition = "known" | "next" | "gap";

export interface ListContext {
  readonly mode: SyncMode;
  /** Measurements are pushed, so that none may be missing; else only the newest matters. */
  readonly pushes: boolean;
  /** The server's clock, milliseconds since the epoch. */
  readonly now: number;
  /** Time of the newest measurement in the list; undefined: it is this one. */
  readonly newestAt?: number | undefined;
}

/** Where the last row that was sent or queued came from; of a measurement, a restart does not know. */
type Origin = "list" | "series" | "average" | "unknown";

/** More than this many scanning intervals without a measurement are a gap: one may be late, two may not be missing. */
const GAP_INTERVALS = 1.5;
/** Lists and series may give one measurement slightly different times. */
const SAME_WITHIN_INTERVALS = 0.5;
/**
 * What is further in the server's future was measured while its clock was ahead. Less is no proof: a clock that went ahead is
 * believed only after a minute, and a list may be older than the series that was read meanwhile.
 */
const AHEAD_MS = 15 * 60_000;
/** The product's own default, where neither the server nor the series tells. */
const ASSUMED_INTERVAL_MS = 60_000;
/**
 * Lists in a row that skipped a measurement show a sensor that scans faster than they come. A single one, after a poll
 * that failed or a sensor that paused, matters to a receiver only: the list itself has the newest measurement.
 */
const SKIPS_OF_FAST_SENSORS = 2;
/** A server whose series still lack what its list shows when asked this often does not have it. */
const MAX_FRUITLESS_READS = 2;
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 60 * 60_000;

/**
 * How far one sensor is in step. Times are milliseconds since the epoch, server's clock, but for those marked
 * monotonic.
 */
export class SensorSync {
  readonly sensorId: string;
  /** Number of the last list that showed the sensor. */
  lastList = 0;
  /** When that list was requested: monotonic; undefined before the first. */
  listRequestedAt: number | undefined;
  /** Monotonic; undefined before the first. */
  lastReadAt: number | undefined;
  #covered: number | undefined;
  #origin: Origin = "unknown";
  /** The last row sent came from a series, and a list showed that same measurement since. */
  #seenInList = false;
  /** As `#covered` was when the last list had been taken over: the next one may have been read before what came since. */
  #coveredAtList: number | undefined;
  /** A list seemed to show that the server's clock went back: its newest time, and what was covered then. */
  #seemedBack: { readonly at: number; readonly covered: number } | undefined;
  /** What was sent while the server's clock was ahead reaches until then, which has not come yet. */
  #sentAhead: number | undefined;
  #gap = false;
  #newest: ListMeasurement | undefined;
  /** Lists in a row between which more than one measurement was taken. */
  #skips = 0;
  /** The newest time in the last list, if that one was torn. */
  #tornAt: number | undefined;
  #intervalMs: number | undefined;
  #learnedIntervalMs: number | undefined;
  #fruitless = 0;
  #failures = 0;
  /** Monotonic. */
  #retryAt = Number.NEGATIVE_INFINITY;

  /** @param watermark Everything until then has been acknowledged. */
  constructor(sensorId: string, watermark: number | undefined) {
    this.sensorId = sensorId;
    this.#covered = watermark;
    this.#coveredAtList = watermark;
    this.#origin = originOf(watermark);
  }

  /** Everything until then has been sent or is queued. */
  get covered(): number | undefined {
    return this.#covered;
  }

  /** Nothing newer may leave before the series have been read. */
  get hasGap(): boolean {
    return this.#gap;
  }

  get newest(): ListMeasurement | undefined {
    return this.#newest;
  }

  /** What the last list showed of it is complete, and nothing newer has to be read or was sent. */
  get isInStep(): boolean {
    return !this.#gap && this.#tornAt === undefined && this.#sentAhead === undefined;
  }

  /** What was sent last is an average. */
  get endsInAverage(): boolean {
    return this.#origin === "average";
  }

  /** The newest time that a list showed, torn lists included, whose values are not to be relied on. Undefined before the first. */
  get newestListTime(): number | undefined {
    const newest = this.#newest?.at;
    return newest === undefined ? undefined : Math.max(newest, this.#tornAt ?? newest);
  }

  get intervalMs(): number {
    return this.#intervalMs ?? this.#learnedIntervalMs ?? ASSUMED_INTERVAL_MS;
  }

  /**
   * How far a row of a series may be off and still be the measurement that was sent last. A list point may always be
   * off: the series, averages included, has that measurement at its own time.
   */
  get sameInSeriesWithinMs(): number {
    return this.#origin === "list" || this.#origin === "unknown" ? this.#sameWithinMs : 0;
  }

  get #sameWithinMs(): number {
    return SAME_WITHIN_INTERVALS * this.intervalMs;
  }

  /** What the server says; undefined when it does not. */
  setInterval(intervalMs: number | undefined): void {
    this.#intervalMs = intervalMs;
  }

  /** Takes the interval from the distance between measurements, for a server that does not tell it. */
  learnInterval(intervalMs: number | undefined): void {
    this.#learnedIntervalMs = intervalMs ?? this.#learnedIntervalMs;
  }

  /** Channels that a list shows with an older time had no part in the last measurement that was known when it was read. */
  get knownSince(): number {
    const none = Number.NEGATIVE_INFINITY;
    const covered = Math.min(this.#covered ?? none, this.#coveredAtList ?? none);
    return Math.max(this.#newest?.at ?? none, covered) - this.#sameWithinMs;
  }

  /**
   * Whether to take what a list shows of the sensor. Pages are read one after the other, and a scan may come in between:
   * then the list is torn, it has some channels as of that scan and others as of the one before, and what it lacks of
   * either would never be sent. The next list has them all. If that one is torn by another scan, the series has to tell.
   * @param times Of the channels since `knownSince`.
   */
  takesList({ oldest, newest }: ChannelTimes, mode: SyncMode): boolean {
    const before = this.#tornAt;
    this.#tornAt = newest - oldest > this.#sameWithinMs ? newest : undefined;
    // The same once more: some channels were not measured that time.
    if (this.#tornAt === undefined || before === newest) return true;
    if (before === undefined) return false;
    if (mode === "auto") this.#gap = true;
    return mode === "off";
  }

  /** A list shows this as the newest measurement; it is no older than what lists showed before. */
  observe(point: ListMeasurement, context: ListContext): SequencePosition {
    this.#countSkip(point.at);
    // Without a receiver the values are not needed again, and those of 200,000 channels take 30 MB.
    this.#newest = context.pushes ? point : { at: point.at, values: [] };
    const position = this.#positionOf(point.at, context);
    // Of an earlier scan a list has only the channels that were not measured since.
    const { mode, pushes, newestAt = point.at } = context;
    const isPart = mode === "auto" && pushes && newestAt - point.at > this.#sameWithinMs;
    if (position === "known" || (position === "next" && !isPart)) return position;
    this.#gap = true;
    return "gap";
  }

  #positionOf(at: number, { mode, pushes, now }: ListContext): SequencePosition {
    // Only the series may speak where it is read anyway: a list skips what was measured between two polls.
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
    if (mode === "off" || at - covered <= GAP_INTERVALS * this.intervalMs) return "next";
    return pushes || this.#skips >= SKIPS_OF_FAST_SENSORS ? "gap" : "next";
  }

  #countSkip(at: number): void {
    const stepMs = at - (this.#newest?.at ?? at);
    // The same measurement once more, or channels that were not measured at the very same time.
    if (stepMs <= this.#sameWithinMs) return;
    this.#skips = stepMs > GAP_INTERVALS * this.intervalMs ? this.#skips + 1 : 0;
  }

  /** A row was sent or queued. */
  take(row: MeasurementRow, source: "list" | "series"): void {
    this.#covered = coverageEnd(row);
    this.#origin = row.resolution === "live" ? source : "average";
    const { at } = this.#newest ?? { at: Number.NEGATIVE_INFINITY };
    this.#seenInList = Math.abs(at - this.#covered) <= this.#sameWithinMs;
  }

  /** Rows were dropped: what comes after this time is to be read again. */
  fallBack(covered: number | undefined): void {
    if (covered !== this.#covered) {
      this.#origin = originOf(covered);
      this.#seenInList = false;
    }
    this.#covered = covered;
    this.#gap = true;
  }

  /** All that a list shows of the sensor has been taken over. The next list is read after this. */
  endList(): void {
    this.#coveredAtList = this.#covered;
  }

  /** Up to this time rows of a series may be sent now. */
  sendsUpTo(now: number): number {
    // Rows from when the clock was ahead are still there, and were sent.
    return this.#sentAhead === undefined ? now + FUTURE_SLACK_MS : now;
  }

  /** Whether `followClock` has something to do. */
  isAhead(now: number): boolean {
    const known = Math.max(this.#covered ?? Number.NEGATIVE_INFINITY, this.#newest?.at ?? Number.NEGATIVE_INFINITY);
    return this.#sentAhead !== undefined || known > now + AHEAD_MS;
  }

  /**
   * Follows a server whose clock was ahead for a while and went back: that lists show older measurements again than what
   * was sent is what proves it. These are new, and sending goes on from there. The watermark stays: nothing that was sent
   * goes out again, neither now nor when the clock is ahead once more. A list proves nothing about what a series brought
   * while it was read: the next one does.
   * @param newestAt The newest time in the list.
   */
  followClock(newestAt: number, now: number): void {
    if (this.#sentAhead !== undefined && newestAt > this.#sentAhead) this.#catchUp(this.#sentAhead);
    if (newestAt > now + AHEAD_MS) return;
    const wentBack = (known: number): boolean => known > now + AHEAD_MS && newestAt < known - this.#sameWithinMs;
    if (this.#newest !== undefined && wentBack(this.#newest.at)) this.#newest = undefined;
    const covered = this.#covered;
    if (covered === undefined || !wentBack(covered)) return;
    // What the list before showed was not taken either.
    const at = Math.min(newestAt, this.#seemedBack?.covered === covered ? this.#seemedBack.at : newestAt);
    if (covered !== this.#coveredAtList) this.#seemedBack = { at, covered };
    else this.#goBack(covered, at);
  }

  #goBack(covered: number, backAt: number): void {
    this.#seemedBack = undefined;
    this.#sentAhead = Math.max(this.#sentAhead ?? covered, covered);
    // Nothing that is on record counts as the same measurement.
    this.#covered = backAt - Math.ceil(this.#sameWithinMs) - 1;
    this.#origin = "list";
    this.#seenInList = false;
    this.#gap = false;
  }

  #catchUp(sentAhead: number): void {
    this.#sentAhead = undefined;
    if (this.#covered !== undefined && this.#covered >= sentAhead) return;
    this.#covered = sentAhead;
    this.#origin = originOf(sentAhead);
    this.#seenInList = false;
  }

  /**
   * All that the series had is sent or queued. True when the newest measurement of the lists, as it was before the
   * reading, is the next in line now, or never comes in the series: then it is to be sent as the list shows it.
   * @param progressed The series held something that was not sent yet.
   * @param reachedAt Time of the last row of the series, one that marks a gap included: until then it lacks nothing. While a
   * sensor is down lists show its Downtime, and series nothing but a gap.
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

  readWorked(): void {
    this.#failures = 0;
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  /** The series could not be read: tried again after a minute, then ever more rarely, at last each hour. */
  readFailed(monotonic: number): void {
    this.#retryAt = monotonic + Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LAST_RETRY_MS);
    this.#failures++;
  }

  mayBeRead(monotonic: number): boolean {
    return monotonic >= this.#retryAt;
  }
}

function originOf(covered: number | undefined): Origin {
  return covered !== undefined && isEndOfAverage(covered) ? "average" : "unknown";
}
