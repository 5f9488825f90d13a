import type { TimeSeries, TimeSeriesRow } from "../prtg/records.ts";
import { SERIES_TYPES, SERIES_WINDOW_MS, type SeriesType } from "../prtg/series-types.ts";
import { coverageEnd, type MeasurementRow, type Resolution } from "./measurement.ts";

/** Windows move while requests wait their turn: what is about to leave one counts as having left. */
const WINDOW_MARGIN_MS = 2 * 60_000;

/**
 * Times further in the server's future than this are mistakes. Rows that bear one wait until it has come: a watermark
 * that they moved would keep everything else back until then.
 */
export const FUTURE_SLACK_MS = 60 * 60_000;

/** A measurement may be part of an average so long before the live series has it. */
const LIVE_LAG_MS = 60_000;

/** What is known of a sensor before its series are read. Times are milliseconds since the epoch, server's clock. */
export interface ReadingNeed {
  /** Everything until then has been sent or is queued; undefined: nothing, and the sensor starts from `live`. */
  readonly covered: number | undefined;
  /** Its newest measurement as a list shows it; undefined when that is not to be relied on. */
  readonly newest: number | undefined;
  readonly now: number;
}

/** Which series fill the time from `covered` until now, the finest first: its oldest rows are the first to go. */
export function planReading({ covered, newest, now }: ReadingNeed): readonly SeriesType[] {
  const hasRows = (type: SeriesType): boolean =>
    newest === undefined || newest >= now - SERIES_WINDOW_MS[type] - WINDOW_MARGIN_MS;
  return SERIES_TYPES.filter((type, index) => {
    const finer = SERIES_TYPES[index - 1];
    if (finer === undefined) return hasRows(type);
    if (covered === undefined || !hasRows(type)) return false;
    return covered < now - SERIES_WINDOW_MS[finer] + WINDOW_MARGIN_MS;
  });
}

export interface Merging {
  readonly sensorId: string;
  readonly covered: number | undefined;
  /**
   * How far the measurement that was sent last may be from `covered` in the series; 0 when the time is exact, because
   * that one came from the series, too.
   */
  readonly sameWithinMs: number;
  readonly now: number;
  /** Rows that are later wait until their time has come. */
  readonly upTo: number;
  /** Time of the last repeat: an average that begins before it would be out of order. */
  readonly repeatedAt?: number | undefined;
}

/**
 * The rows that are still to be sent, oldest first; no moment is covered twice.
 *
 * Live rows are all sent. Averages fill the time before the first of them, the coarsest first, each up to where a finer
 * series begins. An average goes out only when its whole span is free: it begins after all that was sent, and ends
 * before the first live row. The measurements in an average cannot be taken out of it, so one that is partly covered
 * would count some of them twice; what it alone holds, less than one step at each end, is given up instead. An average
 * whose span is not over yet would still change, and one whose span has just ended may hold a measurement that the live series
 * is about to show: neither is sent yet.
 */
export function mergeSeries(
  series: ReadonlyMap<SeriesType, TimeSeries>,
  { sensorId, covered, sameWithinMs, now, upTo, repeatedAt = Number.NEGATIVE_INFINITY }: Merging,
): MeasurementRow[] {
  const merged: MeasurementRow[] = [];
  // The measurement that was sent last may bear a later time in the series, and be part of an average there.
  let cursor = Math.max((covered ?? Number.NEGATIVE_INFINITY) + sameWithinMs, repeatedAt);
  const send = (resolution: Resolution, { at, values }: TimeSeriesRow): void => {
    const row: MeasurementRow = { sensorId, at, resolution, values };
    merged.push(row);
    cursor = coverageEnd(row);
  };
  const live = liveRows(series.get("live")?.rows ?? [], covered, sameWithinMs, upTo);
  const firstLive = live[0]?.at ?? Number.POSITIVE_INFINITY;
  for (const type of ["long", "medium", "short"] as const) {
    const finerFrom = Math.min(firstLive, firstAfter(cursor, series, type));
    for (const row of series.get(type)?.rows ?? []) {
      if (row.at <= cursor) continue;
      const end = coverageEnd({ at: row.at, resolution: type });
      if (row.at >= finerFrom || end >= Math.min(firstLive, now - LIVE_LAG_MS)) break;
      send(type, row);
    }
  }
  for (const row of live) send("live", row);
  return merged;
}

function liveRows(
  rows: readonly TimeSeriesRow[],
  covered: number | undefined,
  sameWithinMs: number,
  upTo: number,
): readonly TimeSeriesRow[] {
  const same = covered === undefined ? undefined : nearest(rows, covered, sameWithinMs);
  return rows.filter((row) => row.at > (covered ?? 0) && row !== same && row.at <= upTo);
}

/** The row nearest to a time, on either side of it, if one is near enough. */
function nearest(rows: readonly TimeSeriesRow[], at: number, withinMs: number): TimeSeriesRow | undefined {
  let found: TimeSeriesRow | undefined;
  for (const row of rows) {
    const distance = Math.abs(row.at - at);
    if (distance <= withinMs && distance < Math.abs((found?.at ?? Number.POSITIVE_INFINITY) - at)) found = row;
  }
  return found;
}

/** When the first row of the averages finer than `type` begins, of those that are not covered. */
function firstAfter(cursor: number, series: ReadonlyMap<SeriesType, TimeSeries>, type: SeriesType): number {
  const finer = SERIES_TYPES.slice(1, SERIES_TYPES.indexOf(type));
  const firsts = finer.map((name) => series.get(name)?.rows.find((row) => row.at > cursor)?.at);
  return Math.min(...firsts.map((at) => at ?? Number.POSITIVE_INFINITY));
}

const MAX_SPACINGS = 9;
const MIN_SPACINGS = 3;

/** The scanning interval as the median distance between the last rows, milliseconds: gaps and extra scans do not sway it. Undefined for too few. */
export function medianSpacing(rows: readonly TimeSeriesRow[]): number | undefined {
  const times = rows.slice(-MAX_SPACINGS - 1).map(({ at }) => at);
  if (times.length <= MIN_SPACINGS) return undefined;
  const spacings = times.slice(1).map((at, index) => at - (times[index] ?? at));
  return spacings.sort((a, b) => a - b)[Math.floor(spacings.length / 2)];
}

/** The channels of one sensor, ids without that of the sensor. */
export interface KnownChannels {
  /** Their measurements go to a receiver or onto the page. */
  readonly kept: readonly string[];
  /** Rules drop them. */
  readonly dropped: readonly string[];
}

/** A question for some channels has to leave out so much of the rows. */
const MIN_PART_SAVED = 1 / 2;

/**
 * The channels that a time series is to be asked for; undefined: all. A row needs one measured channel at least: while a sensor
 * is down, Downtime alone has values, and a series of nothing else has rows where one of all channels has a gap.
 */
export function planChannels(known: KnownChannels | undefined): readonly string[] | undefined {
  if (known === undefined) return undefined;
  const { kept, dropped } = known;
  const measured = kept.find(isMeasured) ?? dropped.find(isMeasured);
  if (measured === undefined) return undefined;
  const channels = kept.includes(measured) ? kept : [...kept, measured];
  return channels.length <= (kept.length + dropped.length) * (1 - MIN_PART_SAVED) ? channels : undefined;
}

/** Channels of the product itself, such as Downtime, have negative numbers. */
function isMeasured(channelId: string): boolean {
  return !channelId.startsWith("-");
}
