import type { Clock } from "../lib/clock.ts";
import { TimeSlices, yieldToEventLoop } from "../lib/yielding.ts";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import { LineBuffer } from "./line-buffer.ts";
import { cutToLimits, type PageCut, type PageLimits } from "./page-limit.ts";
import type { LineMemory } from "./reader-memory.ts";
import { type RenderedBlock, type RenderedFamily, type RenderedStore, renderBlock } from "./rendered-block.ts";

/** The page at one version of the store. */
export interface CurrentPage {
  readonly page: RenderedStore;
  /** Undefined where it keeps within its limits. */
  readonly cut: PageCut | undefined;
}

const NONE_DROPPED: ReadonlyMap<string, number> = new Map();

/**
 * The page as the store has it, and where its limits cut it. Of the store only the blocks are rendered that changed. Lines that were
 * replaced are freed at once where no representation consists of them, so that there is no second page of 90 MB while a poll
 * replaces the first.
 */
export class PageSource {
  readonly #store: Store;
  readonly #lines: LineMemory;
  readonly #clock: Clock;
  readonly #onDropped: ((series: ReadonlyMap<string, number>) => void) | undefined;
  readonly #buffer = new LineBuffer();
  #limits: PageLimits;
  #page: RenderedStore = { version: -1, families: [] };
  #rendered: ReadonlyMap<SeriesTable, RenderedFamily> = new Map();
  #replaced: Buffer[] = [];
  #current: CurrentPage | undefined;
  #bytes = 0;

  /** `onDropped` is told of series dropped from the page, by family, for each page that may differ from the one before. */
  constructor(
    store: Store,
    lines: LineMemory,
    clock: Clock,
    limits: PageLimits,
    onDropped?: (series: ReadonlyMap<string, number>) => void,
  ) {
    this.#store = store;
    this.#lines = lines;
    this.#clock = clock;
    this.#limits = limits;
    this.#onDropped = onDropped;
  }

  /** Of the page rendered last, uncompressed and not cut. */
  get bytes(): number {
    return this.#bytes;
  }

  /** False where these are the limits already. */
  limit(limits: PageLimits): boolean {
    if (limits.maxSeries === this.#limits.maxSeries && limits.maxBytes === this.#limits.maxBytes) return false;
    this.#limits = limits;
    return true;
  }

  /** Has the next `current` look for the cut anew. */
  invalidate(): void {
    this.#current = undefined;
  }

  /** Lines that left the page, were kept because a representation consists of them, and not taken before. */
  takeReplaced(): readonly Buffer[] {
    const replaced = this.#replaced;
    this.#replaced = [];
    return replaced;
  }

  /**
   * The page as it is now; rendered in slices that yield, while the store is not written to. `areShown`: whether a representation
   * consists of lines, so that they have to stay until `takeReplaced`. `onRendered` is called before the page can be replaced: a
   * caller that needs its lines for longer enters the line memory there. One at a time.
   */
  async current(areShown: () => boolean, onRendered: () => void = () => undefined): Promise<CurrentPage> {
    const limits = this.#limits;
    const page = await this.#store.read(async () => {
      const { version } = this.#store;
      if (version !== this.#page.version) await this.#render(version, areShown());
      onRendered();
      return this.#page;
    });
    if (this.#current?.page.version === page.version) return this.#current;
    const cut = await cutToLimits(page, limits, new TimeSlices(this.#clock, undefined, this.#store.lane));
    const current = { page, cut };
    this.#bytes = bytesOf(page);
    this.#current = current;
    this.#onDropped?.(cut?.dropped ?? NONE_DROPPED);
    return current;
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

function bytesOf({ families }: RenderedStore): number {
  let sum = 0;
  for (const { blocks } of families) for (const { bytes } of blocks) sum += bytes.length;
  return sum;
}
