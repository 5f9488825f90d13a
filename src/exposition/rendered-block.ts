import { ABSENT, type SeriesBlock } from "../store/series-block.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { StringPool } from "../store/string-pool.ts";
import type { LineBuffer } from "./line-buffer.ts";
import { escapeLabelValue } from "./text-format.ts";

/** Whole lines of a page. They never change, so what was encoded of them stays valid. */
export interface Lines {
  readonly bytes: Buffer;
  /** Samples in them. */
  readonly series: number;
}

/** The lines of a block of series, and where in them each series is. */
export interface RenderedBlock extends Lines {
  /** Of the block, when it was rendered. */
  readonly version: number;
  /** `labelled` of the table, when it was rendered. */
  readonly labelled: number;
  /** Where the line of each series begins, and behind them where the last one ends; absent series have empty lines. */
  readonly starts: Uint32Array;
  /** Where the value of each series begins. */
  readonly valueStarts: Uint32Array;
  /** What it is. */
  readonly values: Float64Array;
  readonly shardKeys: Uint32Array;
  /** The servers of the series, each once. */
  readonly servers: readonly string[];
  /** Which of `servers` each series is of; undefined where there is but one. */
  readonly serverOf: Uint16Array | undefined;
}

/**
 * Renders a block. Labels are the larger part of a line and hardly ever change: they are copied from the lines of last time, and so
 * is a value that is the same as then.
 */
export function renderBlock(
  table: SeriesTable,
  block: SeriesBlock,
  previous: RenderedBlock | undefined,
  lines: LineBuffer,
): RenderedBlock {
  const { expiresAt, values, used } = block;
  const starts = new Uint32Array(used + 1);
  const valueStarts = new Uint32Array(used);
  let series = 0;
  // There is more in it where a rendering failed.
  lines.clear();
  for (let at = 0; at < used; at++) {
    starts[at] = lines.length;
    if (expiresAt[at] === ABSENT) continue;
    series++;
    const value = values[at] ?? Number.NaN;
    const start = previous?.starts[at] ?? 0;
    const end = previous?.starts[at + 1] ?? 0;
    if (previous === undefined || start >= end || !isLabelKnown(block, at, previous)) {
      lines.text(lineUpToValue(table, block, at));
      valueStarts[at] = lines.length;
      lines.value(value);
      continue;
    }
    const valueStart = previous.valueStarts[at] ?? start;
    valueStarts[at] = lines.length + (valueStart - start);
    if (isSameText(value, previous.values[at])) lines.copy(previous.bytes, start, end);
    else {
      lines.copy(previous.bytes, start, valueStart);
      lines.value(value);
    }
  }
  starts[used] = lines.length;
  return {
    bytes: lines.take(),
    series,
    version: block.version,
    labelled: table.labelled,
    starts,
    valueStarts,
    values: values.slice(0, used),
    ...(previous !== undefined && areLabelsKnown(block, previous) ? partsOf(previous) : partsIn(table, block)),
  };
}

/** `name{server="hq",id="40"} `, of the series at a place of the block. */
function lineUpToValue({ family, texts }: SeriesTable, { labels }: SeriesBlock, at: number): string {
  const names = family.labels;
  let line = family.name;
  for (let column = 0; column < names.length; column++) {
    const value = texts.text(labels[at * names.length + column] ?? StringPool.EMPTY);
    line += `${column === 0 ? "{" : ","}${names[column]}="${escapeLabelValue(value)}"`;
  }
  return names.length === 0 ? `${line} ` : `${line}} `;
}

function areLabelsKnown(block: SeriesBlock, previous: RenderedBlock): boolean {
  if (previous.shardKeys.length !== block.used) return false;
  for (let at = 0; at < block.used; at++) if (!isLabelKnown(block, at, previous)) return false;
  return true;
}

function isLabelKnown(block: SeriesBlock, at: number, previous: RenderedBlock): boolean {
  return (block.labelledAt[at] ?? 0) <= previous.labelled;
}

/** -0 is written as 0. */
function isSameText(one: number, other: number | undefined): boolean {
  return one === other || (Number.isNaN(one) && Number.isNaN(other));
}

type Parts = Pick<RenderedBlock, "shardKeys" | "servers" | "serverOf">;

/** What follows from labels alone. */
function partsOf({ shardKeys, servers, serverOf }: RenderedBlock): Parts {
  return { shardKeys, servers, serverOf };
}

function partsIn({ family, texts }: SeriesTable, { labels, shardKeys, used }: SeriesBlock): Parts {
  const width = family.labels.length;
  const column = family.labels.indexOf("server");
  const known = new Map<number, number>();
  const serverOf = new Uint16Array(used);
  let last: number | undefined;
  let number = 0;
  for (let at = 0; column !== -1 && at < used; at++) {
    const id = labels[at * width + column] ?? StringPool.EMPTY;
    // Series of one server come one after the other, mostly.
    if (id !== last) {
      last = id;
      number = known.get(id) ?? known.size;
      known.set(id, number);
    }
    serverOf[at] = number;
  }
  const servers = [...known.keys()].map((id) => texts.text(id));
  return { shardKeys: shardKeys.slice(0, used), servers, serverOf: servers.length > 1 ? serverOf : undefined };
}

/** The lines of the series at the places that `takes` wants: `from` itself where these are all. */
export function selectLines(from: RenderedBlock, takes: (at: number) => boolean, lines: LineBuffer): Lines {
  const { bytes, starts, shardKeys } = from;
  let series = 0;
  let runStart = 0;
  for (let at = 0; at < shardKeys.length; at++) {
    const start = starts[at] ?? 0;
    const end = starts[at + 1] ?? 0;
    if (start === end) continue;
    if (takes(at)) {
      series++;
      continue;
    }
    if (start > runStart) lines.copy(bytes, runStart, start);
    runStart = end;
  }
  const end = bytes.length;
  if (series === from.series) return from;
  if (end > runStart) lines.copy(bytes, runStart, end);
  return { bytes: lines.take(), series };
}
