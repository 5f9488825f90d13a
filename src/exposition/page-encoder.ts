import { mapEntry } from "../lib/map-entry.ts";
import { type SharedLane, yieldToEventLoop } from "../lib/yielding.ts";
import { SERVER_WIDE, type ShardKey } from "../store/shard-key.ts";
import { type DeflatedChunk, deflateChunk, inflateChunk } from "./gzip.ts";
import { LineBuffer } from "./line-buffer.ts";
import type { CurrentPage, PageCut } from "./page-source.ts";
import { type RenderedBlock, selectLines } from "./rendered-block.ts";
import {
  type Content,
  contentOf,
  isInShard,
  isWhole,
  type RepresentationKey,
  type Shard,
  shardName,
} from "./representation.ts";
import { type ExpositionFormat, formatHeader } from "./text-format.ts";

/** Makes the contents of pages and shards. Keeps what it compressed for shards, so that a page costs only what changed. */
export class PageEncoder {
  readonly #lane: SharedLane;
  readonly #buffer = new LineBuffer();
  readonly #headers = new Map<string, DeflatedChunk>();
  readonly #selections = new Map<string, ShardSelection>();

  constructor(lane: SharedLane) {
    this.#lane = lane;
  }

  /**
   * Call it before `content`, with the same page. Shards share the work of reading a block. @throws the reason of the
   * signal, between two blocks
   */
  async prepare(shards: Iterable<Shard>, { page, cut }: CurrentPage, signal?: AbortSignal): Promise<void> {
    const selections = [...new Set([...shards].map((shard) => this.#selectionOf(shard, cut)))];
    for (const block of page.families.flatMap(({ blocks }) => blocks)) {
      let lines: Buffer | undefined;
      for (const selection of selections) {
        if (selection === undefined || !selection.lacks(block)) continue;
        signal?.throwIfAborted();
        lines ??= inflateChunk(block.lines);
        selection.add(block, lines, this.#buffer);
        await yieldToEventLoop(this.#lane);
      }
    }
  }

  content({ format, shard }: RepresentationKey, { page, cut }: CurrentPage): Content {
    const selection = this.#selectionOf(shard, cut);
    const chunks: DeflatedChunk[] = [];
    for (const { family, size, blocks } of page.families) {
      if (size === 0) continue;
      const ofFamily = blocks.flatMap((block) => linesOf(block, selection));
      if (ofFamily.length > 0) chunks.push(this.#header(format, formatHeader(format, family)), ...ofFamily);
    }
    return contentOf(chunks);
  }

  retain(shards: Iterable<Shard>): void {
    const names = new Set([...shards].map(shardName));
    for (const [name, { shard }] of this.#selections) {
      if (!names.has(shardName(shard))) this.#selections.delete(name);
    }
  }

  /** `undefined`: all series. `cut`: `undefined` if the page is within its limits. */
  #selectionOf(shard: Shard, cut: PageCut | undefined): ShardSelection | undefined {
    if (isWhole(shard) && cut === undefined) return undefined;
    const highest = cut?.highest ?? Number.POSITIVE_INFINITY;
    const name = shardName(shard);
    const known = this.#selections.get(name);
    if (known?.highest === highest) return known;
    const selection = new ShardSelection(shard, highest);
    this.#selections.set(name, selection);
    return selection;
  }

  #header(format: ExpositionFormat, text: string): DeflatedChunk {
    return mapEntry(this.#headers, `${format} ${text}`, () => deflateChunk(Buffer.from(text)));
  }
}

function linesOf(block: RenderedBlock, selection: ShardSelection | undefined): readonly DeflatedChunk[] {
  const lines = selection === undefined ? block.lines : selection.get(block);
  return lines === undefined || lines.length === 0 ? [] : [lines];
}

/** The lines of a shard up to a shard key, compressed block by block. */
class ShardSelection {
  readonly shard: Shard;
  readonly highest: ShardKey;
  readonly #servers: ReadonlySet<string> | undefined;
  /** `undefined`: the block has no series of the shard. */
  readonly #chunks = new WeakMap<RenderedBlock, DeflatedChunk | undefined>();

  constructor(shard: Shard, highest: ShardKey) {
    this.shard = shard;
    this.highest = highest;
    this.#servers = shard.servers && new Set(shard.servers);
  }

  get(block: RenderedBlock): DeflatedChunk | undefined {
    return this.#chunks.get(block);
  }

  /** Whether `add` is needed before `get`. */
  lacks(block: RenderedBlock): boolean {
    return (
      !this.#chunks.has(block) && (this.#servers === undefined || block.servers.some((one) => this.#servers?.has(one)))
    );
  }

  /** `lines`: all of the block. */
  add(block: RenderedBlock, lines: Buffer, buffer: LineBuffer): void {
    this.#chunks.set(
      block,
      selectLines(block, lines, (at) => this.#takes(block, at), buffer),
    );
  }

  #takes({ shardKeys, servers, serverOf }: RenderedBlock, at: number): boolean {
    const shardKey = shardKeys[at] ?? SERVER_WIDE;
    if (shardKey > this.highest || !isInShard(this.shard, shardKey)) return false;
    return this.#servers === undefined || this.#servers.has(servers[serverOf?.[at] ?? 0] ?? "");
  }
}
