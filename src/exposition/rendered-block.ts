import { ABSENT, BLOCK_SIZE, type SeriesBlock } from "../store/series-block.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { StringPool } from "../store/string-pool.ts";
import { formatValue } from "./text-format.ts";

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
  readonly values: Uint32Array;
  readonly shardKeys: Uint32Array;
  /** The servers of the series, each once. */
  readonly servers: readonly string[];
  /** Which of `servers` each series is of; undefined where there is but one. */
  readonly serverOf: Uint16Array | undefined;
}

/**
 * Renders block number `index`. Labels are the larger part of a line and hardly ever change: they are copied from the
 * lines of last time, which are the only place that holds them as text.
 */
export function renderBlock(
  table: SeriesTable,
  index: number,
  block: SeriesBlock,
  previous: RenderedBlock | undefined,
  lines: LineBuffer,
): RenderedBlock {
  const { name } = table.family;
  const starts = new Uint32Array(block.used + 1);
  const values = new Uint32Array(block.used);
  let series = 0;
  for (let at = 0; at < block.used; at++) {
    starts[at] = lines.length;
    if (block.expiresAt[at] === ABSENT) continue;
    const start = previous?.starts[at] ?? 0;
    const isKnown = start < (previous?.starts[at + 1] ?? 0) && (block.labelledAt[at] ?? 0) <= (previous?.labelled ?? 0);
    if (previous !== undefined && isKnown) lines.copy(previous.bytes, start, previous.values[at] ?? start);
    else lines.text(`${name}${table.labelText(index * BLOCK_SIZE + at)} `);
    values[at] = lines.length;
    lines.value(block.values[at] ?? Number.NaN);
    series++;
  }
  starts[block.used] = lines.length;
  return {
    bytes: lines.take(),
    series,
    version: block.version,
    labelled: table.labelled,
    starts,
    values,
    shardKeys: block.shardKeys.slice(0, block.used),
    ...serversIn(table, block),
  };
}

function serversIn(
  { family, texts }: SeriesTable,
  { labels, used }: SeriesBlock,
): Pick<RenderedBlock, "servers" | "serverOf"> {
  const width = family.labels.length;
  const column = family.labels.indexOf("server");
  const known = new Map<number, number>();
  const serverOf = new Uint16Array(used);
  for (let at = 0; column !== -1 && at < used; at++) {
    const id = labels[at * width + column] ?? StringPool.EMPTY;
    const number = known.get(id) ?? known.size;
    if (number === known.size) known.set(id, number);
    serverOf[at] = number;
  }
  const servers = [...known.keys()].map((id) => texts.text(id));
  return { servers, serverOf: servers.length > 1 ? serverOf : undefined };
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

const FIRST_CAPACITY = 64 * 1_024;
/** UTF-8 takes this many bytes at most for a UTF-16 code unit. */
const BYTES_PER_UNIT = 3;
const NEWLINE = 0x0a;

/** Bytes of lines under construction, in one buffer that is used again and again. */
export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#length += this.#bytes.write(text, this.#length);
  }

  copy(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    this.#length += from.copy(this.#bytes, this.#length, start, end);
  }

  /** A sample value and the end of its line. */
  value(value: number): void {
    const digits = formatValue(value);
    this.#reserve(digits.length + 1);
    // A call of `write` takes longer than a handful of digits.
    for (let index = 0; index < digits.length; index++) this.#bytes[this.#length++] = digits.charCodeAt(index);
    this.#bytes[this.#length++] = NEWLINE;
  }

  /** The bytes so far, in a buffer of just their size; begins anew. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
