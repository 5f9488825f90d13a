import { yieldToEventLoop } from "../lib/yielding.ts";
import type { MetricFamily } from "../mapping/metric-table.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import { LineBuffer } from "./line-buffer.ts";
import type { LineMemory } from "./reader-memory.ts";
import { type RenderedBlock, renderBlock } from "./rendered-block.ts";

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
 * Renders the store, and of it only the blocks that changed. Lines that were replaced are freed at once where no
 * representation consists of them, so that there is no second page of 90 MB while a poll replaces the first.
 */
export class StoreRenderer {
  readonly #store: Store;
  readonly #lines: LineMemory;
  readonly #buffer = new LineBuffer();
  #page: RenderedStore = { version: -1, families: [] };
  #rendered: ReadonlyMap<SeriesTable, RenderedFamily> = new Map();
  #replaced: Buffer[] = [];

  constructor(store: Store, lines: LineMemory) {
    this.#store = store;
    this.#lines = lines;
  }

  /** Lines that are no longer on the page, were not freed, and not taken before. */
  takeReplaced(): readonly Buffer[] {
    const replaced = this.#replaced;
    this.#replaced = [];
    return replaced;
  }

  /**
   * Brings every changed block up to date, in slices that yield, while the store is not written to. `areShown` is asked
   * whether lines have to stay until `takeReplaced`. `look` is given the page before it can be replaced: a caller that
   * needs its lines for longer enters the line memory there.
   */
  refresh<Result>(areShown: () => boolean, look: (page: RenderedStore) => Result): Promise<Result> {
    return this.#store.read(async () => {
      const { version } = this.#store;
      if (version !== this.#page.version) await this.#render(version, areShown());
      return look(this.#page);
    });
  }

  async #render(version: number, areShown: boolean): Promise<void> {
    const replaced: Buffer[] = [];
    const replace = (lines: RenderedBlock) => {
      if (areShown) replaced.push(lines.bytes);
      else this.#lines.retire([lines.bytes]);
    };
    // Anew each time: the store may have other tables by now.
    const rendered = new Map<SeriesTable, RenderedFamily>();
    for (const table of this.#store.tables) rendered.set(table, await this.#familyOf(table, replace));
    for (const [table, { blocks }] of this.#rendered) if (!rendered.has(table)) blocks.forEach(replace);
    this.#rendered = rendered;
    this.#page = { version, families: [...rendered.values()] };
    this.#replaced.push(...replaced);
  }

  async #familyOf(table: SeriesTable, replace: (lines: RenderedBlock) => void): Promise<RenderedFamily> {
    const { family, version, size } = table;
    const known = this.#rendered.get(table);
    if (known?.version === version) return known;
    const blocks: RenderedBlock[] = [];
    for (const [index, block] of table.blocks.entries()) {
      const before = known?.blocks[index];
      if (before?.version === block.version) {
        blocks.push(before);
        continue;
      }
      // What was freed when a rendering failed cannot be copied from.
      const held = before !== undefined && before.bytes.length > 0 ? before : undefined;
      const lines = renderBlock(table, block, held, this.#buffer);
      this.#lines.adopt(lines.bytes);
      blocks.push(lines);
      if (before !== undefined) replace(before);
      // A block takes about a millisecond. A page that is read meanwhile takes many turns, so these have to be short.
      await yieldToEventLoop(this.#store.lane);
    }
    return { family, version, size, blocks };
  }
}
