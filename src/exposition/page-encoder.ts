import { mapEntry } from "../lib/map-entry.ts";
import { type SharedLane, yieldToEventLoop } from "../lib/yielding.ts";
import { SERVER_WIDE, type ShardKey } from "../store/shard-key.ts";
import { type DeflatedChunk, deflateChunk } from "./gzip.ts";
import type { ContentEncoding } from "./negotiate.ts";
import type { CurrentPage, PageCut } from "./page-source.ts";
import { CompressedReaders, FreedLines, LineMemory, type PageReader } from "./reader-memory.ts";
import { LineBuffer, type RenderedBlock, type RenderedStore, selectLines } from "./rendered-block.ts";
import {
  type Content,
  compressedContent,
  isInShard,
  isWhole,
  plainContent,
  type RepresentationKey,
  type Shard,
  shardName,
} from "./representation.ts";
import { type ExpositionFormat, formatHeader } from "./text-format.ts";

/** Encodes pages. Frees encoded parts that no representation and no reader uses. */
export class PageEncoder {
  readonly lines: LineMemory;
  readonly #compressedReaders: CompressedReaders;
  readonly #plain: ShardEncoders<Buffer>;
  readonly #compressed: ShardEncoders<DeflatedChunk>;
  /** Lines copied for shards. */
  #copies = new Set<Buffer>();

  /** `maxHeld`: bytes of old pages that readers may hold, per encoding. */
  constructor(maxHeld: () => number, lane: SharedLane) {
    this.lines = new LineMemory(maxHeld);
    this.#compressedReaders = new CompressedReaders(maxHeld);
    this.#compressed = new ShardEncoders(({ bytes }) => deflateChunk(bytes), lane);
    this.#plain = new ShardEncoders(({ bytes, isCopy }) => {
      if (isCopy) {
        this.lines.adopt(bytes);
        this.#copies.add(bytes);
      }
      return bytes;
    }, lane);
  }

  /** @throws the reason of the signal */
  async encode(
    { format, encoding, shard }: RepresentationKey,
    { page, cut }: CurrentPage,
    signal?: AbortSignal,
  ): Promise<Content> {
    return encoding === "gzip"
      ? compressedContent(await this.#compressed.of(shard, cut).encode(page, format, signal))
      : plainContent(await this.#plain.of(shard, cut).encode(page, format, signal), shard);
  }

  /** The lines of the content stay valid while the reader reads. */
  enter(content: Content, reader: PageReader | undefined): void {
    if (content.compressed !== undefined) {
      // Compressed content has no lines.
      if (reader === undefined) return;
      const leave = this.#compressedReaders.enter(content, reader.cut);
      void reader.used.finally(leave);
      return;
    }
    if (reader?.isExact !== true) this.lines.keep();
    if (reader === undefined) return;
    const leave = this.lines.enter(reader.cut);
    void reader.used.finally(leave);
  }

  retain(kept: (encoding: ContentEncoding) => ReadonlySet<string>): void {
    const [plain, compressed] = [kept("identity"), kept("gzip")];
    this.#plain.retain((name) => plain.has(name));
    this.#compressed.retain((name) => compressed.has(name));
  }

  freeUnused(contents: Iterable<Content>): void {
    const held = new Set<Buffer | undefined>(this.#plain.cached());
    for (const { buffers } of contents) for (const buffer of buffers) held.add(buffer);
    const unused = this.#copies.difference(held);
    this.#copies = this.#copies.intersection(held);
    if (unused.size > 0) this.lines.retire([...unused]);
  }
}

interface Piece {
  readonly bytes: Buffer;
  /** A copy of lines for a shard. */
  readonly isCopy: boolean;
}

/** Encoders for the page and its shards in one encoding. */
class ShardEncoders<Encoded> {
  readonly #encode: (piece: Piece) => Encoded;
  readonly #lane: SharedLane;
  readonly #encoders = new Map<string, { readonly shard: string; readonly encoder: ShardEncoder<Encoded> }>();

  constructor(encode: (piece: Piece) => Encoded, lane: SharedLane) {
    this.#encode = encode;
    this.#lane = lane;
  }

  *cached(): Iterable<Encoded | undefined> {
    for (const { encoder } of this.#encoders.values()) yield* encoder.cached;
  }

  /** `cut`: `undefined` if the page is within its limits. */
  of(shard: Shard, cut: PageCut | undefined): ShardEncoder<Encoded> {
    const highest = cut?.highest ?? Number.POSITIVE_INFINITY;
    const ofShard = shardName(shard);
    const name = `${ofShard} up to ${highest}`;
    const known = this.#encoders.get(name);
    if (known !== undefined) return known.encoder;
    const selection = isWhole(shard) && cut === undefined ? undefined : selectionOf(shard, highest);
    const encoder = new ShardEncoder(selection, this.#encode, this.#lane);
    // A shard has one cut at a time.
    this.retain((other) => other !== ofShard);
    this.#encoders.set(name, { shard: ofShard, encoder });
    return encoder;
  }

  retain(keep: (shard: string) => boolean): void {
    for (const [name, { shard }] of this.#encoders) {
      if (!keep(shard)) this.#encoders.delete(name);
    }
  }
}

/** Selects the series of a shard in a block. `undefined`: none. */
type Selection = (block: RenderedBlock) => ((at: number) => boolean) | undefined;

function selectionOf(shard: Shard, highest: ShardKey): Selection {
  const included = shard.servers && new Set(shard.servers);
  return ({ shardKeys, servers, serverOf }) => {
    const isInPart = (at: number) => {
      const shardKey = shardKeys[at] ?? SERVER_WIDE;
      return shardKey <= highest && isInShard(shard, shardKey);
    };
    if (included === undefined) return isInPart;
    const isIncluded = servers.map((server) => included.has(server));
    if (!isIncluded.includes(true)) return undefined;
    return serverOf === undefined ? isInPart : (at) => isIncluded[serverOf[at] ?? 0] === true && isInPart(at);
  };
}

/** Encodes a page or shard. Caches encoded blocks, so that a page costs only what changed. */
class ShardEncoder<Encoded> {
  readonly #selection: Selection | undefined;
  readonly #encode: (piece: Piece) => Encoded;
  readonly #lines = new LineBuffer();
  readonly #lane: SharedLane;
  /** `undefined`: the block has no series of the shard. */
  #blocks = new Map<RenderedBlock, Encoded | undefined>();
  readonly #headers = new Map<string, Encoded>();

  /** `selection`: `undefined` for all series. */
  constructor(selection: Selection | undefined, encode: (piece: Piece) => Encoded, lane: SharedLane) {
    this.#selection = selection;
    this.#encode = encode;
    this.#lane = lane;
  }

  get cached(): Iterable<Encoded | undefined> {
    return this.#blocks.values();
  }

  /** One page at a time. @throws the reason of the signal, between two blocks */
  async encode(page: RenderedStore, format: ExpositionFormat, signal?: AbortSignal): Promise<Encoded[]> {
    const before = this.#blocks;
    this.#blocks = new Map();
    // Keeps the rest of the cache if the encoding is aborted.
    for (const block of page.families.flatMap(({ blocks }) => blocks)) {
      if (before.has(block)) this.#blocks.set(block, before.get(block));
    }
    const all: Encoded[] = [];
    for (const { family, size, blocks } of page.families) {
      if (size === 0) continue;
      const encoded: Encoded[] = [];
      for (const block of blocks) {
        const known = this.#blocks.has(block) ? this.#blocks.get(block) : await this.#encodeNew(block, signal);
        if (known !== undefined) encoded.push(known);
      }
      if (encoded.length > 0) all.push(this.#header(formatHeader(format, family)), ...encoded);
    }
    return all;
  }

  async #encodeNew(block: RenderedBlock, signal: AbortSignal | undefined): Promise<Encoded | undefined> {
    const takes = this.#selection?.(block);
    if (this.#selection !== undefined && takes === undefined) return undefined;
    signal?.throwIfAborted();
    if (block.series > 0 && block.bytes.length === 0) throw new FreedLines();
    const lines = takes === undefined ? block : selectLines(block, takes, this.#lines);
    const encoded = lines.series === 0 ? undefined : this.#encode({ bytes: lines.bytes, isCopy: lines !== block });
    this.#blocks.set(block, encoded);
    await yieldToEventLoop(this.#lane);
    return encoded;
  }

  #header(text: string): Encoded {
    return mapEntry(this.#headers, text, () => this.#encode({ bytes: Buffer.from(text), isCopy: false }));
  }
}
