import type { SharedLane } from "../lib/yielding.ts";
import { type DeflatedChunk, deflateChunk } from "./gzip.ts";
import type { ContentEncoding } from "./negotiate.ts";
import type { CurrentPage } from "./page-source.ts";
import { CompressedReaders, LineMemory, type PageReader } from "./reader-memory.ts";
import { type Content, compressedContent, plainContent, type RepresentationKey } from "./representation.ts";
import { ShardEncoders } from "./shard-encoder.ts";

/** Encodes pages, and frees what was made for them when no representation consists of it and no reader is sent it. */
export class PageEncoder {
  readonly lines: LineMemory;
  readonly #compressedReaders: CompressedReaders;
  readonly #plain: ShardEncoders<Buffer>;
  readonly #compressed: ShardEncoders<DeflatedChunk>;
  /** Lines that were copied for shards, until they are freed. */
  #copies = new Set<Buffer>();

  /** `maxHeld`: bytes of old pages that readers may hold, in each encoding. */
  constructor(maxHeld: () => number, lane: SharedLane) {
    this.#compressed = new ShardEncoders((bytes) => Promise.resolve(deflateChunk(bytes)), undefined, lane);
    this.lines = new LineMemory(maxHeld);
    this.#compressedReaders = new CompressedReaders(maxHeld);
    this.#plain = new ShardEncoders(
      (bytes) => Promise.resolve(bytes),
      (copied) => {
        this.lines.adopt(copied);
        this.#copies.add(copied);
      },
      lane,
    );
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

  /** From now on the reader may look at the content, whose lines are not freed meanwhile. */
  enter(content: Content, reader: PageReader | undefined): void {
    if (content.compressed !== undefined) {
      // Compressed content does not consist of lines.
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

  /** Forgets all but these shards, which are given by their names. */
  retain(kept: (encoding: ContentEncoding) => ReadonlySet<string>): void {
    const [plain, compressed] = [kept("identity"), kept("gzip")];
    this.#plain.retain((name) => plain.has(name));
    this.#compressed.retain((name) => compressed.has(name));
  }

  /** Frees copied lines that neither encoders nor these contents hold. */
  async freeUnused(contents: Iterable<Content>): Promise<void> {
    const held = new Set<Buffer | undefined>();
    for (const cached of this.#plain.cached()) held.add(await cached);
    for (const { buffers } of contents) for (const buffer of buffers) held.add(buffer);
    const unused = this.#copies.difference(held);
    this.#copies = this.#copies.intersection(held);
    if (unused.size > 0) this.lines.retire([...unused]);
  }
}
