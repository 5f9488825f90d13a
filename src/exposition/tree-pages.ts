import type { MetricFamily } from "../mapping/metric-table.ts";
import { nextTurn } from "../next-turn.ts";
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

/** Renders the store, and of it only the blocks that changed. */
export class TreePages {
  readonly #store: Store;
  readonly #reclaimer: Reclaimer;
  readonly #lines = new LineBuffer();
  #rendered: ReadonlyMap<SeriesTable, FamilyLines> = new Map();
  #version = -1;
  #replaced: BlockLines[] = [];

  constructor(store: Store, reclaimer: Reclaimer) {
    this.#store = store;
    this.#reclaimer = reclaimer;
  }

  /** As of the last refresh. */
  get page(): TreePage {
    return { version: this.#version, families: [...this.#rendered.values()] };
  }

  /** Bytes of the lines that are no longer on the page, and were not taken before. */
  takeReplaced(): Buffer[] {
    const replaced = this.#replaced.map(({ piece }) => piece.bytes);
    this.#replaced = [];
    return replaced;
  }

  /** Brings every changed block up to date, in slices that yield, while nobody writes to the store. */
  refresh(): Promise<void> {
    return this.#store.read(async () => {
      // Anew each time: the store may have other tables by now.
      const rendered = new Map<SeriesTable, FamilyLines>();
      for (const table of this.#store.tables) rendered.set(table, await this.#familyOf(table));
      const shown = new Set(blocksOf(rendered));
      for (const block of blocksOf(this.#rendered)) if (!shown.has(block)) this.#replaced.push(block);
      this.#rendered = rendered;
      this.#version = this.#store.version;
    });
  }

  async #familyOf(table: SeriesTable): Promise<FamilyLines> {
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
      const lines = renderBlock(table, index, block, before, this.#lines);
      this.#reclaimer.adopt(lines.piece.bytes);
      blocks.push(lines);
      // A block takes about a millisecond. Whoever reads a page meanwhile needs many turns, so they have to be short.
      await nextTurn();
    }
    return { family, version, size, blocks };
  }
}

function blocksOf(families: ReadonlyMap<SeriesTable, FamilyLines>): BlockLines[] {
  return [...families.values()].flatMap(({ blocks }) => blocks);
}
