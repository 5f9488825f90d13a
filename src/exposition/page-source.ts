import type { Clock } from "../lib/clock.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { TimeSlices, yieldToEventLoop } from "../lib/yielding.ts";
import type { SeriesTable } from "../store/series-table.ts";
import { SERVER_WIDE, type ShardKey } from "../store/shard-key.ts";
import type { Store } from "../store/store.ts";
import { LineBuffer } from "./line-buffer.ts";
import { type RenderedBlock, type RenderedFamily, type RenderedStore, renderBlock } from "./rendered-block.ts";
import { formatHeader } from "./text-format.ts";

export interface CurrentPage {
  readonly page: RenderedStore;
  /** `undefined` if the page is within its limits. */
  readonly cut: PageCut | undefined;
  readonly renderedInMs: number;
}

const NONE_DROPPED: ReadonlyMap<string, number> = new Map();

/** Renders the blocks that changed since the last page and cuts the page to its limits. */
export class PageSource {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onDropped: ((series: ReadonlyMap<string, number>) => void) | undefined;
  readonly #buffer = new LineBuffer();
  #limits: PageLimits;
  #page: RenderedStore = { version: -1, families: [] };
  #rendered: ReadonlyMap<SeriesTable, RenderedFamily> = new Map();
  #current: CurrentPage | undefined;
  #bytes = 0;
  #renderedInMs = 0;

  /** `onDropped`: series by family that the limits exclude. */
  constructor(
    store: Store,
    clock: Clock,
    limits: PageLimits,
    onDropped?: (series: ReadonlyMap<string, number>) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#onDropped = onDropped;
  }

  /** Uncompressed, before the cut. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns whether the limits changed. */
  limit(limits: PageLimits): boolean {
    if (limits.maxSeries === this.#limits.maxSeries && limits.maxBytes === this.#limits.maxBytes) return false;
    this.#limits = limits;
    return true;
  }

  invalidate(): void {
    this.#current = undefined;
  }

  /** Renders in slices while the store is locked for writers. One call at a time. */
  async current(): Promise<CurrentPage> {
    const limits = this.#limits;
    const page = await this.#store.read(async () => {
      const { version } = this.#store;
      if (version !== this.#page.version) await this.#render(version);
      return this.#page;
    });
    if (this.#current?.page.version === page.version) return this.#current;
    const cut = await cutToLimits(page, limits, new TimeSlices(this.#clock, undefined, this.#store.lane));
    const current = { page, cut, renderedInMs: this.#renderedInMs };
    this.#bytes = bytesOf(page);
    this.#current = current;
    this.#onDropped?.(cut?.dropped ?? NONE_DROPPED);
    return current;
  }

  async #render(version: number): Promise<void> {
    const started = this.#clock.monotonic();
    // The store may have other tables now.
    const rendered = new Map<SeriesTable, RenderedFamily>();
    for (const table of this.#store.tables) rendered.set(table, await this.#familyOf(table));
    this.#rendered = rendered;
    this.#page = { version, families: [...rendered.values()] };
    this.#renderedInMs = this.#clock.monotonic() - started;
  }

  async #familyOf(table: SeriesTable): Promise<RenderedFamily> {
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
      blocks.push(renderBlock(table, block, before, this.#buffer));
      // A block takes about a millisecond.
      await yieldToEventLoop(this.#store.lane);
    }
    return { family, version, size, blocks };
  }
}

function bytesOf({ families }: RenderedStore): number {
  let sum = 0;
  for (const { blocks } of families) for (const { lines } of blocks) sum += lines.length;
  return sum;
}

/** Limits of all shards together, without the exporter's own metrics. */
export interface PageLimits {
  readonly maxSeries: number | undefined;
  /** Uncompressed. */
  readonly maxBytes: number | undefined;
}

export const UNLIMITED: PageLimits = { maxSeries: undefined, maxBytes: undefined };

export interface PageCut {
  /** The last shard key on the page. */
  readonly highest: ShardKey;
  /** Series by family. */
  readonly dropped: ReadonlyMap<string, number>;
}

interface Extent {
  series: number;
  bytes: number;
}

/**
 * Where to cut the page. Shard keys stay in ascending order while they fit, so the same devices stay, each with all
 * its series.
 */
export async function cutToLimits(
  page: RenderedStore,
  limits: PageLimits,
  slices: TimeSlices,
): Promise<PageCut | undefined> {
  const { maxSeries = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = limits;
  const fits = ({ series, bytes }: Extent) => series <= maxSeries && bytes <= maxBytes;
  const headers = headerBytes(page);
  if (fits(extentOf(page, headers))) return undefined;
  const extents = await extentsByShardKey(page, slices);
  const sum: Extent = { series: 0, bytes: headers };
  let highest = SERVER_WIDE;
  for (const shardKey of [...extents.keys()].sort((a, b) => a - b)) {
    const { series, bytes } = extents.get(shardKey) ?? sum;
    sum.series += series;
    sum.bytes += bytes;
    // Series about a whole server always stay.
    if (shardKey !== SERVER_WIDE && !fits(sum)) break;
    highest = shardKey;
  }
  return { highest, dropped: await countAbove(highest, page, slices) };
}

function headerBytes({ families }: RenderedStore): number {
  const headers = families.map(({ family, size }) => (size === 0 ? "" : formatHeader("openmetrics", family)));
  return Buffer.byteLength(headers.join(""));
}

function extentOf(page: RenderedStore, headers: number): Extent {
  const extent: Extent = { series: 0, bytes: headers };
  for (const { blocks } of page.families) {
    for (const { series, lines } of blocks) {
      extent.series += series;
      extent.bytes += lines.length;
    }
  }
  return extent;
}

async function extentsByShardKey(page: RenderedStore, slices: TimeSlices): Promise<ReadonlyMap<ShardKey, Extent>> {
  const extents = new Map<ShardKey, Extent>();
  for (const family of page.families) {
    await forEachSample(family, slices, (shardKey, bytes) => {
      const extent = mapEntry(extents, shardKey, () => ({ series: 0, bytes: 0 }));
      extent.series++;
      extent.bytes += bytes;
    });
  }
  return extents;
}

async function countAbove(
  highest: ShardKey,
  page: RenderedStore,
  slices: TimeSlices,
): Promise<ReadonlyMap<string, number>> {
  const dropped = new Map<string, number>();
  for (const lines of page.families) {
    let count = 0;
    await forEachSample(lines, slices, (shardKey) => {
      if (shardKey > highest) count++;
    });
    if (count > 0) dropped.set(lines.family.name, count);
  }
  return dropped;
}

async function forEachSample(
  { blocks }: RenderedFamily,
  slices: TimeSlices,
  visit: (shardKey: ShardKey, bytes: number) => void,
): Promise<void> {
  for (const { starts, shardKeys } of blocks) {
    for (const [at, shardKey] of shardKeys.entries()) {
      const bytes = (starts[at + 1] ?? 0) - (starts[at] ?? 0);
      if (bytes > 0) visit(shardKey, bytes);
    }
    const turn = slices.longStep();
    if (turn !== undefined) await turn;
  }
}
