import type { Clock } from "../lib/clock.ts";
import { TimeSlices } from "../lib/yielding.ts";
import type { Store } from "../store/store.ts";
import { cutToLimits, type PageCut, type PageLimits } from "./page-limit.ts";
import type { LineMemory } from "./reader-memory.ts";
import { type RenderedStore, StoreRenderer } from "./store-renderer.ts";

/** The page at one version of the store. */
export interface CurrentPage {
  readonly page: RenderedStore;
  /** Undefined where it keeps within its limits. */
  readonly cut: PageCut | undefined;
}

const NONE_DROPPED: ReadonlyMap<string, number> = new Map();

/** The page as the store has it, and where its limits cut it. */
export class PageSource {
  readonly #store: Store;
  readonly #renderer: StoreRenderer;
  readonly #clock: Clock;
  readonly #onDropped: ((series: ReadonlyMap<string, number>) => void) | undefined;
  #limits: PageLimits;
  #current: CurrentPage | undefined;
  #bytes = 0;

  /** `onDropped` is told of series dropped from the page, by family, for each page that may differ from the one before. */
  constructor(
    store: Store,
    lines: LineMemory,
    clock: Clock,
    limits: PageLimits,
    onDropped: ((series: ReadonlyMap<string, number>) => void) | undefined,
  ) {
    this.#store = store;
    this.#renderer = new StoreRenderer(store, lines);
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

  /** Lines that left the page, and were kept because a representation consists of them. */
  takeReplaced(): readonly Buffer[] {
    return this.#renderer.takeReplaced();
  }

  /**
   * The page as it is now. `areShown`: whether a representation consists of lines, so that they have to stay until
   * `takeReplaced`. `onRendered` is called before the page can be replaced. One at a time.
   */
  async current(areShown: () => boolean, onRendered: () => void = () => undefined): Promise<CurrentPage> {
    const limits = this.#limits;
    const page = await this.#renderer.refresh(areShown, (rendered) => {
      onRendered();
      return rendered;
    });
    if (this.#current?.page.version === page.version) return this.#current;
    const cut = await cutToLimits(page, limits, new TimeSlices(this.#clock, undefined, this.#store.lane));
    const current = { page, cut };
    this.#bytes = bytesOf(page);
    this.#current = current;
    this.#onDropped?.(cut?.dropped ?? NONE_DROPPED);
    return current;
  }
}

function bytesOf({ families }: RenderedStore): number {
  let sum = 0;
  for (const { blocks } of families) for (const { bytes } of blocks) sum += bytes.length;
  return sum;
}
