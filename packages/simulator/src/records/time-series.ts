import type { SimChannel, SimRow, SimSchedule } from "../world/model.ts";
import { idOf } from "../world/objects.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a time series has rows for, and how far back. */
export interface TimeSeriesType {
  readonly name: "live" | "short" | "medium" | "long";
  readonly windowMs: number;
  /** Length of what is averaged; undefined where each scan has a row. */
  readonly spanMs: number | undefined;
}

export const LIVE: TimeSeriesType = { name: "live", windowMs: 4 * HOUR_MS, spanMs: undefined };

/** Finest first. Windows are the specification's; of the spans only that of `medium` was seen, the others are the product's. */
export const TIME_SERIES_TYPES: readonly TimeSeriesType[] = [
  LIVE,
  { name: "short", windowMs: 2 * DAY_MS, spanMs: 5 * MINUTE_MS },
  { name: "medium", windowMs: 60 * DAY_MS, spanMs: HOUR_MS },
  { name: "long", windowMs: 365 * DAY_MS, spanMs: DAY_MS },
];

/**
 * The moments for which a time series from `from` to `to` has or lacks a row: the scans that were due, or the spans that
 * lie in it and in which at least one was. A span with none is no gap: a sensor that scans once an hour lacks nothing in between.
 */
export function* positions(
  schedule: SimSchedule,
  from: number,
  to: number,
  spanMs: number | undefined,
): Generator<number> {
  if (spanMs === undefined) {
    for (let at = dueAfter(schedule, from); at <= to; at = dueAfter(schedule, at + 1)) yield at;
    return;
  }
  let due = dueAfter(schedule, Math.ceil(from / spanMs) * spanMs);
  for (;;) {
    const start = Math.floor(due / spanMs) * spanMs;
    if (start + spanMs > to) return;
    yield start;
    due = dueAfter(schedule, start + spanMs);
  }
}

/** At or after `at`. */
function dueAfter({ first, everyMs, next }: SimSchedule, at: number): number {
  if (next !== undefined) return next(at);
  return at <= first ? first : first + Math.ceil((at - first) / everyMs) * everyMs;
}

/**
 * A time series, JSON. A row has "one integer or floating-point measurement per channel", or "only a timestamp", which
 * "marks a gap". So a gap is where at least one of the channels asked for has no measurement, whatever that comes from: a
 * pause, a sensor that was never scanned, a device that did not answer, where Downtime alone has a value. "Start and end of a
 * gap are each such a row": the first and the last row that is missing, as far as the series goes; one row where that is the same.
 * @param positions moments that have or lack a row, ascending
 * @param rows what there is, with values for all channels of the sensor
 */
export function renderTimeSeries(
  channels: readonly SimChannel[],
  positions: Iterable<number>,
  rows: readonly SimRow[],
): string {
  const columns = channels.map((channel) => channel.sensor.channels.indexOf(channel));
  const lines = [JSON.stringify(["time", ...channels.map(idOf)])];
  let gap: { readonly start: number; end: number } | undefined;
  const endGap = (): void => {
    if (gap === undefined) return;
    lines.push(`[${timestamp(gap.start)}]`);
    if (gap.end !== gap.start) lines.push(`[${timestamp(gap.end)}]`);
    gap = undefined;
  };
  let next = 0;
  for (const at of positions) {
    const row = rows[next];
    const found = row?.at === at ? row.displayValues : undefined;
    if (found !== undefined) next++;
    if (found === undefined || columns.some((column) => found[column] === null)) {
      gap ??= { start: at, end: at };
      gap.end = at;
      continue;
    }
    endGap();
    let line = `[${timestamp(at)}`;
    for (const column of columns) line += `,${found[column]}`;
    lines.push(`${line}]`);
  }
  endGap();
  return `[${lines.join(",")}]`;
}

/** "RFC 3339, `YYYY-MM-DDThh:mm:ssZ`", in both spellings. */
function timestamp(at: number): string {
  return `"${new Date(at).toISOString().slice(0, 19)}Z"`;
}
