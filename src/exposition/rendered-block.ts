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
 * Renders block number `index`. Labels are the larger part of a line and hardly ever change: they are copied from the
 * lines of last time, which are the only place that holds them as text, and so is a value that is the same as then.
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
  const valueStarts = new Uint32Array(block.used);
  let series = 0;
  let areLabelsKnown = previous?.shardKeys.length === block.used;
  for (let at = 0; at < block.used; at++) {
    starts[at] = lines.length;
    const isLabelKnown = (block.labelledAt[at] ?? 0) <= (previous?.labelled ?? 0);
    areLabelsKnown &&= isLabelKnown;
    if (block.expiresAt[at] === ABSENT) continue;
    series++;
    const value = block.values[at] ?? Number.NaN;
    const start = previous?.starts[at] ?? 0;
    const end = previous?.starts[at + 1] ?? 0;
    if (previous === undefined || start >= end || !isLabelKnown) {
      lines.text(`${name}${table.labelText(index * BLOCK_SIZE + at)} `);
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
  starts[block.used] = lines.length;
  return {
    bytes: lines.take(),
    series,
    version: block.version,
    labelled: table.labelled,
    starts,
    valueStarts,
    values: block.values.slice(0, block.used),
    ...(previous !== undefined && areLabelsKnown ? partsOf(previous) : partsIn(table, block)),
  };
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
  for (let at = 0; column !== -1 && at < used; at++) {
    const id = labels[at * width + column] ?? StringPool.EMPTY;
    const number = known.get(id) ?? known.size;
    if (number === known.size) known.set(id, number);
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

const FIRST_CAPACITY = 64 * 1_024;
/** UTF-8 takes this many bytes at most for a UTF-16 code unit. */
const BYTES_PER_UNIT = 3;
const NEWLINE = 0x0a;

/**
 * Bytes of lines under construction, in one buffer that is used again and again. What is copied in a row from one place is
 * copied at once, when something else follows: a call takes as long as to copy some hundred bytes.
 */
export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #length = 0;
  #source: Buffer = this.#bytes;
  #copyFrom = 0;
  #copyTo = 0;

  get length(): number {
    return this.#length + this.#copyTo - this.#copyFrom;
  }

  text(text: string): void {
    this.#copyNow();
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** `from` has to stay as it is until `take`. */
  copy(from: Buffer, start: number, end: number): void {
    if (from !== this.#source || start !== this.#copyTo) {
      this.#copyNow();
      this.#source = from;
      this.#copyFrom = start;
    }
    this.#copyTo = end;
  }

  /** A sample value and the end of its line. */
  value(value: number): void {
    this.#copyNow();
    const digits = formatValue(value);
    this.#reserve(digits.length + 1);
    // A call of `write` takes longer than a handful of digits.
    for (let index = 0; index < digits.length; index++) this.#bytes[this.#length++] = digits.charCodeAt(index);
    this.#bytes[this.#length++] = NEWLINE;
  }

  /** The bytes so far, in a buffer of just their size; begins anew. */
  take(): Buffer {
    this.#copyNow();
    const bytes = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.#length = 0;
    this.#source = this.#bytes;
    return bytes;
  }

  #copyNow(): void {
    const count = this.#copyTo - this.#copyFrom;
    if (count > 0) {
      this.#reserve(count);
      this.#source.copy(this.#bytes, this.#length, this.#copyFrom, this.#copyTo);
      this.#length += count;
    }
    this.#copyFrom = this.#copyTo;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
