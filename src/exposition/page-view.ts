import { yieldToEventLoop } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/metric-table.ts";
import type { Owner } from "../store/owner.ts";
import { type BlockLines, selectLines } from "./block-lines.ts";
import { type BodyFormat, formatHeader } from "./format.ts";
import { LineBuffer } from "./line-buffer.ts";
import type { PagePiece } from "./page-piece.ts";
import type { TreePage } from "./tree-pages.ts";

/** Pieces made at the same time: zlib takes a quarter of a megabyte for each that it compresses. */
const MADE_AT_ONCE = 2;

/**
 * A page, or a part of it, in one encoding. What was made of a block stays as long as the block is on the page, so a page
 * after a change costs as much as what changed.
 */
export class PageView<Made> {
  readonly #takes: ((owner: Owner) => boolean) | undefined;
  readonly #make: (bytes: Buffer) => Promise<Made>;
  readonly #lines = new LineBuffer();
  readonly #owns: (lines: Buffer) => void;
  /** Undefined: nothing of the block is in the part. */
  #made = new Map<BlockLines, Promise<Made | undefined>>();
  readonly #headers = new WeakMap<MetricFamily, Map<BodyFormat, Promise<Made>>>();

  /**
   * `takes`: whose series are in the part; undefined where all are. `make` does the encoding. `owns` is told of lines that
   * were copied for the part.
   */
  constructor(
    takes: ((owner: Owner) => boolean) | undefined,
    make: (bytes: Buffer) => Promise<Made>,
    owns: (lines: Buffer) => void,
  ) {
    this.#takes = takes;
    this.#make = make;
    this.#owns = owns;
  }

  /** What is kept of the blocks of the page that was put together last. */
  get made(): Iterable<Promise<Made | undefined>> {
    return this.#made.values();
  }

  /**
   * Headers and lines in the order of the page. One page at a time.
   * @throws the reason of the signal, between two blocks
   */
  async assemble(page: TreePage, format: BodyFormat, signal?: AbortSignal): Promise<Made[]> {
    const families = page.families.filter(({ size }) => size > 0);
    const before = this.#made;
    this.#made = new Map();
    for (const block of families.flatMap(({ blocks }) => blocks)) {
      const made = before.get(block);
      if (made !== undefined) this.#made.set(block, made);
    }
    await this.#makeAll(
      families.flatMap(({ blocks }) => blocks),
      signal,
    );
    const all: Made[] = [];
    for (const { family, blocks } of families) {
      const made = await Promise.all(blocks.map((block) => this.#made.get(block)));
      const present = made.filter((one) => one !== undefined);
      if (present.length > 0) all.push(await this.#header(family, format), ...present);
    }
    return all;
  }

  async #makeAll(blocks: readonly BlockLines[], signal: AbortSignal | undefined): Promise<void> {
    const pending = blocks.values();
    const work = async () => {
      for (const block of pending) {
        if (this.#made.has(block)) continue;
        signal?.throwIfAborted();
        await this.#ofBlock(block);
        await yieldToEventLoop();
      }
    };
    const workers = Array.from({ length: MADE_AT_ONCE }, work);
    // A thread may still look at lines of one when the other one ends early: until then they are not to be given back.
    await Promise.allSettled(workers);
    await Promise.all(workers);
  }

  #ofBlock(block: BlockLines): Promise<Made | undefined> {
    const known = this.#made.get(block);
    if (known !== undefined) return known;
    const piece = this.#pieceOf(block);
    const made = piece.series === 0 ? Promise.resolve(undefined) : this.#make(piece.bytes);
    this.#made.set(block, made);
    return made;
  }

  #pieceOf(block: BlockLines): PagePiece {
    if (this.#takes === undefined) return block.piece;
    const piece = selectLines(block, this.#takes, this.#lines);
    if (piece !== block.piece) this.#owns(piece.bytes);
    return piece;
  }

  #header(family: MetricFamily, format: BodyFormat): Promise<Made> {
    const known = this.#headers.get(family) ?? new Map<BodyFormat, Promise<Made>>();
    this.#headers.set(family, known);
    const made = known.get(format) ?? this.#make(Buffer.from(formatHeader(format, family)));
    known.set(format, made);
    return made;
  }
}
