import type { TimeSeries, TimeSeriesRow } from "../prtg/records.ts";
import { SERIES_TYPES, SERIES_WINDOW_MS, type SeriesType } from "../prtg/series-types.ts";
import { coverageEnd, isMeasured, type MeasurementRow, type Resolution } from "./measurement.ts";

/** Windows move while requests wait. */
const WINDOW_MARGIN_MS = 2 * 60_000;

/** Later times in the server's future are mistakes. Rows with one wait: a watermark there would hold back everything else. */
export const FUTURE_SLACK_MS = 60 * 60_000;

/** An average may include a measurement this long before the live series has it. */
const LIVE_LAG_MS = 60_000;

export interface ReadingNeed {
  /** Everything before was sent or is queued. `undefined`: start with `live`. */
  readonly covered: number | undefined;
  /** The newest measurement in lists. `undefined`: unreliable. */
  readonly newest: number | undefined;
  readonly now: number;
}

/** The series that fill the time from `covered` until now, finest first, because its oldest rows leave first. */
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
  /** The last sent measurement may be this far from `covered` in the series. 0: it came from the series. */
  readonly sameWithinMs: number;
  readonly now: number;
  readonly upTo: number;
  /** An average that begins before the last repeat would be out of order. */
  readonly repeatedAt?: number | undefined;
}

/**
 * The rows to send, oldest first, without overlap.
 * Sends all live rows. Averages fill the time before them, coarsest first, up to the begin of a finer series. An
 * average is sent only if its whole span is free, because its measurements cannot be taken out: this loses less than
 * one step at each end. Waits for averages that may still change, or whose measurements the live series may still show.
 */
export function mergeSeries(
  series: ReadonlyMap<SeriesType, TimeSeries>,
  { sensorId, covered, sameWithinMs, now, upTo, repeatedAt = Number.NEGATIVE_INFINITY }: Merging,
): MeasurementRow[] {
  const merged: MeasurementRow[] = [];
  // The last sent measurement may have a later time in the series.
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

/** The nearest row within a distance. */
function nearest(rows: readonly TimeSeriesRow[], at: number, withinMs: number): TimeSeriesRow | undefined {
  let found: TimeSeriesRow | undefined;
  for (const row of rows) {
    const distance = Math.abs(row.at - at);
    if (distance <= withinMs && distance < Math.abs((found?.at ?? Number.POSITIVE_INFINITY) - at)) found = row;
  }
  return found;
}

/** The first row that is not covered, of averages finer than `type`. */
function firstAfter(cursor: number, series: ReadonlyMap<SeriesType, TimeSeries>, type: SeriesType): number {
  const finer = SERIES_TYPES.slice(1, SERIES_TYPES.indexOf(type));
  const firsts = finer.map((name) => series.get(name)?.rows.find((row) => row.at > cursor)?.at);
  return Math.min(...firsts.map((at) => at ?? Number.POSITIVE_INFINITY));
}

const MAX_SPACINGS = 9;
const MIN_SPACINGS = 3;

/** The scanning interval: the median distance of the last rows, milliseconds. `undefined` if there are too few. */
export function medianSpacing(rows: readonly TimeSeriesRow[]): number | undefined {
  const times = rows.slice(-MAX_SPACINGS - 1).map(({ at }) => at);
  if (times.length <= MIN_SPACINGS) return undefined;
  const spacings = times.slice(1).map((at, index) => at - (times[index] ?? at));
  return spacings.sort((a, b) => a - b)[Math.floor(spacings.length / 2)];
}

export interface KnownChannels {
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
}

/** A request for some channels must save this part of the rows. */
const MIN_PART_SAVED = 1 / 2;

/**
 * The channels to request from a time series. `undefined`: all. Includes at least one measured channel: while a sensor
 * is down only Downtime has values, and a series of only Downtime has rows where a full one has gaps.
 */
export function planChannels(known: KnownChannels | undefined): readonly string[] | undefined {
  if (known === undefined) return undefined;
  const { kept, dropped } = known;
  const measured = kept.find(isMeasured) ?? dropped.find(isMeasured);
  if (measured === undefined) return undefined;
  const channels = kept.includes(measured) ? kept : [...kept, measured];
  return channels.length <= (kept.length + dropped.length) * (1 - MIN_PART_SAVED) ? channels : undefined;
}
