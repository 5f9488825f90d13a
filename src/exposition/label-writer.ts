import type { SeriesBlock } from "../store/series-block.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { StringPool } from "../store/string-pool.ts";
import type { LineBuffer } from "./line-buffer.ts";

/** No line was written yet. */
const NONE = -1;

/**
 * Writes the beginnings of the lines of a block, up to the value: `name{server="hq",id="40"} `. Neighbours have most of their labels
 * in common, so what is the same as in the line before is copied from there as bytes, and only the others are made of text.
 */
export class LabelWriter {
  readonly #texts: Pick<StringPool, "text">;
  readonly #labels: Uint32Array;
  readonly #lines: LineBuffer;
  /** What is written before the value of each label, and behind the last one. */
  readonly #heads: readonly string[];
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
    this.#end = names.length === 0 ? `${name} ` : '"} ';
    this.#before = new Uint32Array(names.length);
    this.#ends = new Uint32Array(names.length);
  }

  /** Of the series at a place of the block. */
  write(at: number): void {
    const [lines, labels, before, ends] = [this.#lines, this.#labels, this.#before, this.#ends];
    const width = before.length;
    const first = at * width;
    const start = lines.length;
    /** Labels that are the same, one after the other, which are copied at once. */
    let sameFrom = NONE;
    let sameTo = NONE;
    let endBefore = this.#start;
    for (let column = 0; column < width; column++) {
      const id = labels[first + column] ?? StringPool.EMPTY;
      const end = ends[column] ?? 0;
      if (this.#start !== NONE && id === before[column]) {
        if (sameFrom === NONE) sameFrom = endBefore;
        sameTo = end;
        ends[column] = lines.length + sameTo - sameFrom;
      } else {
        if (sameFrom !== NONE) lines.again(sameFrom, sameTo);
        sameFrom = NONE;
        lines.text(this.#heads[column] ?? "");
        lines.label(this.#texts.text(id));
        before[column] = id;
        ends[column] = lines.length;
      }
      endBefore = end;
    }
    if (sameFrom !== NONE) lines.again(sameFrom, sameTo);
    lines.text(this.#end);
    this.#start = start;
  }
}
