import { MAX_COLUMNS } from "../answer-bounds.ts";
import type { TimeSeries, TimeSeriesRow } from "../records.ts";
import { readNumber } from "./displayed.ts";
import { type DecodeProblems, idOf, isAbsent, noProblems, readTimestamp } from "./values.ts";

type ChannelValue = readonly [channelId: string, value: number];

/** Channel ids. `undefined` for unusable columns. */
type Columns = readonly (string | undefined)[];

/**
 * Decodes a header (`time`, then `<sensor>.<channel>`) and rows of a timestamp and values. A row without values is a
 * gap. Short rows keep their values, and are counted. Skips and counts unreadable and longer rows, because their values
 * have no channel. `undefined` if there are rows but no header.
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

function channelOf(cell: unknown, sensorId: string): string | undefined {
  const id = idOf(cell);
  if (id === undefined || !id.startsWith(`${sensorId}.`)) return undefined;
  const channelId = id.slice(sensorId.length + 1);
  return channelId === "" ? undefined : channelId;
}

/** Rows with more cells than the header are unusable. */
function readTime(cells: unknown, columns: Columns, problems: DecodeProblems): number | undefined {
  if (!Array.isArray(cells) || cells.length === 0 || cells.length > columns.length + 1) {
    problems.record++;
    return undefined;
  }
  const before = problems.timestamp;
  const at = readTimestamp(cells[0], problems);
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

/** Ascending, each time once, because the specification promises no order. */
function inOrder(rows: TimeSeriesRow[]): readonly TimeSeriesRow[] {
  let ascending = true;
  for (let index = 1; index < rows.length && ascending; index++) {
    ascending = (rows[index - 1]?.at ?? 0) < (rows[index]?.at ?? 0);
  }
  if (ascending) return rows;
  const merged: TimeSeriesRow[] = [];
  // The sort is stable: of equal times the first stays first.
  for (const row of rows.sort((a, b) => a.at - b.at)) {
    const last = merged.at(-1);
    if (last?.at === row.at) merged[merged.length - 1] = { at: row.at, values: union(last.values, row.values) };
    else merged.push(row);
  }
  return merged;
}

function union(first: readonly ChannelValue[], second: readonly ChannelValue[]): readonly ChannelValue[] {
  const known = new Set(first.map(([channelId]) => channelId));
  return [...first, ...second.filter(([channelId]) => !known.has(channelId))];
}

type Row = readonly unknown[];

export class SeriesRows {
  readonly #newest: number;
  /** The header and the rows, by time if only the newest are kept. */
  readonly all: Row[] = [];
  /** After the header, ascending. Empty if all rows are kept. */
  readonly #times: number[] = [];
  readonly #ignored = noProblems();

  /** @param newest Rows to keep after the header. Default: all. */
  constructor(newest = Number.POSITIVE_INFINITY) {
    this.#newest = newest;
  }

  add(row: Row): Row | undefined {
    if (this.all.length === 0 || this.#newest === Number.POSITIVE_INFINITY) {
      this.all.push(row);
      return undefined;
    }
    // The specification promises no order. A row without a readable time is dropped first.
    const at = readTimestamp(row[0], this.#ignored) ?? Number.NEGATIVE_INFINITY;
    const before = this.#times.findLastIndex((time) => time <= at) + 1;
    if (before === 0 && this.#times.length >= this.#newest) return row;
    if (before === this.#times.length) {
      this.#times.push(at);
      this.all.push(row);
    } else {
      this.#times.splice(before, 0, at);
      this.all.splice(before + 1, 0, row);
    }
    if (this.#times.length <= this.#newest) return undefined;
    this.#times.shift();
    return this.all.splice(1, 1)[0];
  }
}
