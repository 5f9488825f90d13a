import { yieldToEventLoop } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/metric-table.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import { type BlockLines, renderBlock } from "./block-lines.ts";
import { LineBuffer } from "./line-buffer.ts";
import type { Reclaimer } from "./reclaimer.ts";

/** The lines of a family, block by block; without header, so they read the same in every format. */
export interface FamilyLines {
  readonly family: MetricFamily;
  /** Of the table that was rendered. */
  readonly version: number;
  /** Samples. */
  readonly size: number;
  readonly blocks: readonly BlockLines[];
}

/** All lines of the store as they were at one moment. Never changes: whoever sends it may take as long as it takes. */
export interface TreePage {
  /** Of the store. */
  readonly version: number;
  readonly families: readonly FamilyLines[];
}

/**
 * Renders the store, and of it only the blocks that changed. Lines that were replaced are given back at once where no
 * ready page is made of them, so that there is no second page of 90 MB while a poll replaces the first.
 */
export class TreePages {
  readonly #store: Store;
  readonly #reclaimer: Reclaimer;
  readonly #lines = new LineBuffer();
  #page: TreePage = { version: -1, families: [] };
  #rendered: ReadonlyMap<SeriesTable, FamilyLines> = new Map();
  #replaced: Buffer[] = [];

  constructor(store: Store, reclaimer: Reclaimer) {
    this.#store = store;
    this.#reclaimer = reclaimer;
  }

  /** Bytes of the lines that are no longer on the page, were not given back, and not taken before. */
  takeReplaced(): readonly Buffer[] {
    const replaced = this.#replaced;
    this.#replaced = [];
    return replaced;
  }

  /**
   * Brings every changed block up to date, in slices that yield, while nobody writes to the store. `areShown` is asked
   * whether lines have to stay until `takeReplaced`. `look` is given the page before anybody can replace it: who needs
   * its lines for longer enters the reclaimer there.
   */
  refresh<Result>(areShown: () => boolean, look: (page: TreePage) => Result): Promise<Result> {
    return this.#store.read(async () => {
      const { version } = this.#store;
      if (version !== this.#page.version) await this.#render(version, areShown());
      return look(this.#page);
    });
  }

  async #render(version: number, areShown: boolean): Promise<void> {
    const replaced: Buffer[] = [];
    const replace = (lines: BlockLines) => {
      if (areShown) replaced.push(lines.piece.bytes);
      else this.#reclaimer.retire([lines.piece.bytes]);
    };
    // Anew each time: the store may have other tables by now.
    const rendered = new Map<SeriesTable, FamilyLines>();
    for (const table of this.#store.tables) rendered.set(table, await this.#familyOf(table, replace));
    for (const [table, { blocks }] of this.#rendered) if (!rendered.has(table)) blocks.forEach(replace);
    this.#rendered = rendered;
    this.#page = { version, families: [...rendered.values()] };
    this.#replaced.push(...replaced);
  }

  async #familyOf(table: SeriesTable, replace: (lines: BlockLines) => void): Promise<FamilyLines> {
    const { family, version, size } = table;
    const known = this.#rendered.get(table);
    if (known?.version === version) return known;
    const blocks: BlockLines[] = [];
    for (const [index, block] of table.blocks.entries()) {
      const before = known?.blocks[index];
      if (before?.version === block.version) {
        blocks.push(before);
        continue;
      }
      // What was given back when a rendering failed cannot be copied from.
      const held = before !== undefined && before.piece.bytes.length > 0 ? before : undefined;
      const lines = renderBlock(table, index, block, held, this.#lines);
      this.#reclaimer.adopt(lines.piece.bytes);
      blocks.push(lines);
      if (before !== undefined) replace(before);
      // A block takes about a millisecond. Whoever reads a page meanwhile needs many turns, so they have to be short.
      await yieldToEventLoop();
    }
    return { family, version, size, blocks };
  }
}
