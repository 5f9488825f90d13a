import type { SeriesBlock } from "../store/series-block.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { StringPool } from "../store/string-pool.ts";
import type { LineBuffer } from "./line-buffer.ts";

/** No line was written yet. */
const NONE = -1;

/**
 * Writes the beginnings of the lines of a block, up to the value: `name{server="hq",id="40"} `. Each is the one before with other
 * label values: all bytes between these are copied from there, and so are values that are the same, as most are with neighbours.
 */
export class LabelWriter {
  readonly #texts: Pick<StringPool, "text">;
  readonly #labels: Uint32Array;
  readonly #lines: LineBuffer;
  /** What is written before the value of each label, and behind the last one; names of metrics and labels are ASCII. */
  readonly #heads: readonly string[];
  readonly #headLengths: Uint32Array;
  readonly #end: string;
  /** Numbers of the label values in the line before. */
  readonly #before: Uint32Array;
  /** Where they end. */
  readonly #ends: Uint32Array;
  #start = NONE;

  /** For lines that are written to `lines` until these are taken. */
  constructor({ family, texts }: Pick<SeriesTable, "family" | "texts">, { labels }: SeriesBlock, lines: LineBuffer) {
    const { name, labels: names } = family;
    this.#texts = texts;
    this.#labels = labels;
    this.#lines = lines;
    this.#heads = names.map((label, column) => `${column === 0 ? `${name}{` : '",'}${label}="`);
    this.#headLengths = Uint32Array.from(this.#heads, ({ length }) => length);
    this.#end = names.length === 0 ? `${name} ` : '"} ';
    this.#before = new Uint32Array(names.length);
    this.#ends = new Uint32Array(names.length);
  }

  /** Of the series at a place of the block. */
  write(at: number): void {
    const start = this.#lines.length;
    if (this.#start === NONE) this.#writeWhole(at);
    else this.#writeChanges(at);
    this.#start = start;
  }

  #writeWhole(at: number): void {
    const [lines, heads] = [this.#lines, this.#heads];
    for (const [column, head] of heads.entries()) {
      lines.text(head);
      this.#writeValue(at * heads.length + column, column);
    }
    lines.text(this.#end);
  }

  #writeChanges(at: number): void {
    const [lines, labels, before, ends] = [this.#lines, this.#labels, this.#before, this.#ends];
    const headLengths = this.#headLengths;
    const width = headLengths.length;
    const first = at * width;
    /** From here on the line before is still to be copied. */
    let from = this.#start;
    let endBefore = this.#start;
    for (let column = 0; column < width; column++) {
      const end = ends[column] ?? 0;
      if (labels[first + column] === before[column]) ends[column] = lines.length + end - from;
      else {
        lines.again(from, endBefore + (headLengths[column] ?? 0));
        this.#writeValue(first + column, column);
        from = end;
      }
      endBefore = end;
    }
    lines.again(from, endBefore + this.#end.length);
  }

  #writeValue(place: number, column: number): void {
    const id = this.#labels[place] ?? StringPool.EMPTY;
    this.#lines.label(this.#texts.text(id));
    this.#before[column] = id;
    this.#ends[column] = this.#lines.length;
  }
}
