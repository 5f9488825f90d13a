import { type Owner, SERVER_WIDE } from "../store/owner.ts";
import { ABSENT, BLOCK_SIZE, type SeriesBlock } from "../store/series-block.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { LineBuffer } from "./line-buffer.ts";
import type { PagePiece } from "./page-piece.ts";

/** The lines of a block of series, and where in them each series is. */
export interface BlockLines {
  readonly piece: PagePiece;
  /** Of the block, when it was rendered. */
  readonly version: number;
  /** `labelled` of the table, when it was rendered. */
  readonly labelled: number;
  /** Where the line of each series begins, and behind them where the last one ends; absent series have empty lines. */
  readonly starts: Uint32Array;
  /** Where the value of each series begins. */
  readonly values: Uint32Array;
  readonly owners: Uint32Array;
}

/**
 * Renders block number `index`. Labels are the larger part of a line and hardly ever change: they are copied from the
 * lines of last time, which are the only place that holds them as text.
 */
export function renderBlock(
  table: SeriesTable,
  index: number,
  block: SeriesBlock,
  previous: BlockLines | undefined,
  lines: LineBuffer,
): BlockLines {
  const { name } = table.family;
  const starts = new Uint32Array(block.used + 1);
  const values = new Uint32Array(block.used);
  let series = 0;
  for (let at = 0; at < block.used; at++) {
    starts[at] = lines.length;
    if (block.expiresAt[at] === ABSENT) continue;
    const start = previous?.starts[at] ?? 0;
    const isKnown = start < (previous?.starts[at + 1] ?? 0) && (block.labelledAt[at] ?? 0) <= (previous?.labelled ?? 0);
    if (previous !== undefined && isKnown) lines.copy(previous.piece.bytes, start, previous.values[at] ?? start);
    else lines.text(`${name}${table.labelText(index * BLOCK_SIZE + at)} `);
    values[at] = lines.length;
    lines.value(block.values[at] ?? Number.NaN);
    series++;
  }
  starts[block.used] = lines.length;
  return {
    piece: { bytes: lines.take(), series },
    version: block.version,
    labelled: table.labelled,
    starts,
    values,
    owners: block.owners.slice(0, block.used),
  };
}

/** The lines of the series that `takes` wants. */
export function selectLines(from: BlockLines, takes: (owner: Owner) => boolean, lines: LineBuffer): PagePiece {
  const { piece, starts, owners } = from;
  let series = 0;
  let runStart = 0;
  for (let at = 0; at < owners.length; at++) {
    const start = starts[at] ?? 0;
    const end = starts[at + 1] ?? 0;
    if (start === end) continue;
    if (takes(owners[at] ?? SERVER_WIDE)) {
      series++;
      continue;
    }
    if (start > runStart) lines.copy(piece.bytes, runStart, start);
    runStart = end;
  }
  const end = piece.bytes.length;
  if (series === piece.series) return piece;
  if (end > runStart) lines.copy(piece.bytes, runStart, end);
  return { bytes: lines.take(), series };
}
