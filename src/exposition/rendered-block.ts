import { mapEntry } from "../lib/map-entry.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import { ABSENT, type SeriesBlock } from "../store/series-block.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { LineBuffer } from "./line-buffer.ts";
import { formatLabels } from "./text-format.ts";

/** Stands before the value of a line, and not in it. */
const SPACE = 0x20;

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
  readonly shardKeys: Uint32Array;
  /** The servers of the series, each once. */
  readonly servers: readonly string[];
  /** Which of `servers` each series is of; undefined where there is but one. */
  readonly serverOf: Uint16Array | undefined;
}

/** The lines of a family, block by block; without header, so they read the same in every format. */
export interface RenderedFamily {
  readonly family: MetricFamily;
  /** Of the table that was rendered. */
  readonly version: number;
  /** Samples. */
  readonly size: number;
  readonly blocks: readonly RenderedBlock[];
}

/** All lines of the store as they were at one moment. Never changes: it may be sent for as long as that takes. */
export interface RenderedStore {
  /** Of the store. */
  readonly version: number;
  readonly families: readonly RenderedFamily[];
}

/**
 * Renders a block. Labels are the larger part of a line and hardly ever change: they are copied from the lines of last time, which
 * takes a tenth of writing them anew.
 */
export function renderBlock(
  table: SeriesTable,
  block: SeriesBlock,
  previous: RenderedBlock | undefined,
  lines: LineBuffer,
): RenderedBlock {
  const { name, labels: names } = table.family;
  const { labels, expiresAt, values, used } = block;
  const starts = new Uint32Array(used + 1);
  let series = 0;
  // There is more in it where a rendering failed.
  lines.clear();
  for (let at = 0; at < used; at++) {
    starts[at] = lines.length;
    if (expiresAt[at] === ABSENT) continue;
    series++;
    const start = previous?.starts[at] ?? 0;
    const end = previous?.starts[at + 1] ?? 0;
    const hasSameLabels = previous !== undefined && (block.labelledAt[at] ?? 0) <= previous.labelled;
    if (hasSameLabels && start < end) lines.copy(previous.bytes, start, previous.bytes.lastIndexOf(SPACE, end - 1) + 1);
    else lines.text(`${name}${formatLabels(names, labels[at] ?? [])} `);
    lines.value(values[at] ?? Number.NaN);
  }
  starts[used] = lines.length;
  return {
    bytes: lines.take(),
    series,
    version: block.version,
    labelled: table.labelled,
    starts,
    shardKeys: block.shardKeys.slice(0, used),
    ...serversIn(labels, names.indexOf("server")),
  };
}

/** `column`: of the label `server`; -1 where there is none. */
function serversIn(labels: SeriesBlock["labels"], column: number): Pick<RenderedBlock, "servers" | "serverOf"> {
  const numbers = new Map<string, number>();
  const serverOf = Uint16Array.from(labels, (values) => mapEntry(numbers, values[column] ?? "", () => numbers.size));
  return { servers: [...numbers.keys()], serverOf: numbers.size > 1 ? serverOf : undefined };
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
