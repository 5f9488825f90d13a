import { MAX_COLUMNS } from "../answer-bounds.ts";
import type { TimeSeries, TimeSeriesRow } from "../records.ts";
import { readNumber } from "./displayed.ts";
import { type DecodeProblems, idOf, isAbsent, readTimestamp } from "./values.ts";

type ChannelValue = readonly [channelId: string, value: number];

/** The columns of a series: ids of the sensor's channels; undefined for one that cannot be used. */
type Columns = readonly (string | undefined)[];

/**
 * A time series of the specification: a header (`time`, then `<sensor>.<channel>` for each channel), then rows of a
 * timestamp and a value per channel. Rows of a timestamp alone mark a gap; so do those whose cells are all null. A row that
 * lacks only some of its last values gives those that it has, and is counted. One that cannot be read, or is longer than the header, is skipped and counted:
 * nothing tells which of its values belongs to which channel. Undefined when the answer has rows, but no header: then no row can be read.
 */
export function decodeTimeSeries(
  answer: readonly unknown[],
  sensorId: string,
  problems: DecodeProblems,
): TimeSeries | undefined {
  if (answer.length === 0) return { rows: [], gaps: [], skipped: 0 };
  const columns = readHeader(answer[0], sensorId, problems);
  if (columns === undefined) return undefined;
  const rows: TimeSeriesRow[] = [];
  const gaps: number[] = [];
  let skipped = 0;
  for (let index = 1; index < answer.length; index++) {
    const cells = answer[index];
    const at = readTime(cells, columns, problems);
    if (at === undefined || !Array.isArray(cells)) skipped++;
    else {
      const isShort = cells.length <= columns.length;
      const values = readValues(cells, columns, problems);
      if (values.length > 0) rows.push({ at, values });
      else if (isShort || (columns.length > 0 && cells.slice(1).every(isAbsent))) gaps.push(at);
      if (isShort && cells.length > 1) problems.record++;
    }
  }
  return { rows: inOrder(rows), gaps: [...new Set(gaps)].sort((a, b) => a - b), skipped };
}

function readHeader(header: unknown, sensorId: string, problems: DecodeProblems): Columns | undefined {
  if (!Array.isArray(header) || typeof header[0] !== "string" || header[0].toLowerCase() !== "time") return undefined;
  const seen = new Set<string>();
  return header.slice(1).map((cell: unknown, column) => {
    const channelId = column < MAX_COLUMNS ? channelOf(cell, sensorId) : undefined;
    if (channelId === undefined || seen.has(channelId)) {
      problems[channelId === undefined ? "record" : "duplicate"]++;
      return undefined;
    }
    seen.add(channelId);
    return channelId;
  });
}

/** The part after the first dot: a channel number can be negative. Undefined for a channel of another sensor. */
function channelOf(cell: unknown, sensorId: string): string | undefined {
  const id = idOf(cell);
  if (id === undefined || !id.startsWith(`${sensorId}.`)) return undefined;
  const channelId = id.slice(sensorId.length + 1);
  return channelId === "" ? undefined : channelId;
}

/** Time of a row; undefined, and counted, when it is none or has more cells than the header, so that none can be told. */
function readTime(cells: unknown, columns: Columns, problems: DecodeProblems): number | undefined {
  if (!Array.isArray(cells) || cells.length === 0 || cells.length > columns.length + 1) {
    problems.record++;
    return undefined;
  }
  const before = problems.timestamp;
  const at = readTimestamp(cells[0], problems);
  // Absent and zero times are no problem elsewhere; a row without its time is.
  if (at === undefined && problems.timestamp === before) problems.timestamp++;
  return at;
}

function readValues(cells: readonly unknown[], columns: Columns, problems: DecodeProblems): ChannelValue[] {
  const values: ChannelValue[] = [];
  for (let column = 0; column < columns.length; column++) {
    const channelId = columns[column];
    const cell = cells[column + 1];
    if (channelId === undefined || isAbsent(cell)) continue;
    const value = readNumber(cell);
    if (value === undefined) problems.value++;
    else values.push([channelId, value]);
  }
  return values;
}

/** Ascending, each time once. The specification does not promise an order. */
function inOrder(rows: TimeSeriesRow[]): readonly TimeSeriesRow[] {
  let ascending = true;
  for (let index = 1; index < rows.length && ascending; index++) {
    ascending = (rows[index - 1]?.at ?? 0) < (rows[index]?.at ?? 0);
  }
  if (ascending) return rows;
  const merged: TimeSeriesRow[] = [];
  // The sort is stable: of two rows of the same time the first in the answer stays first.
  for (const row of rows.sort((a, b) => a.at - b.at)) {
    const last = merged.at(-1);
    if (last?.at === row.at) merged[merged.length - 1] = { at: row.at, values: union(last.values, row.values) };
    else merged.push(row);
  }
  return merged;
}

/** All channels of both; the first has the word on those that are in both. */
function union(first: readonly ChannelValue[], second: readonly ChannelValue[]): readonly ChannelValue[] {
  const known = new Set(first.map(([channelId]) => channelId));
  return [...first, ...second.filter(([channelId]) => !known.has(channelId))];
}
