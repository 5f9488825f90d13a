import { mergeSmall, totalLength } from "../lib/buffers.ts";
import { type DeflatedChunk, joinDeflated } from "./gzip.ts";
import type { ContentEncoding } from "./negotiate.ts";
import { isWhole, MAX_SHARDS, type Shard, shardName, WHOLE_PAGE } from "./shard.ts";
import type { ExpositionFormat } from "./text-format.ts";

/** What a representation of the page is requested by. */
export interface RepresentationKey {
  readonly format: ExpositionFormat;
  readonly encoding: ContentEncoding;
  readonly shard: Shard;
}

/** Bytes as they go over the wire, without the end of the page. */
export interface Content {
  /** Lines; none where it is compressed. */
  readonly buffers: readonly Buffer[];
  readonly compressed: DeflatedChunk | undefined;
  readonly bytes: number;
  readonly uncompressedBytes: number;
}

/** A representation of the page (RFC 9110) that is kept ready. */
export interface Representation {
  readonly key: RepresentationKey;
  /** Version of the store that `content` shows; `OUTDATED` before the first. */
  version: number;
  /** Monotonic. */
  readonly firstRequestedAt: number;
  /** Monotonic. */
  lastRequestedAt: number;
  content: Content;
}

/** A version older than any of the store. */
export const OUTDATED = -1;
/** What Prometheus requests unless told otherwise. */
export const PROMETHEUS_DEFAULT: RepresentationKey = { format: "openmetrics", encoding: "gzip", shard: WHOLE_PAGE };
export const NO_CONTENT: Content = { buffers: [], compressed: undefined, bytes: 0, uncompressedBytes: 0 };

export function nameOf({ format, encoding, shard }: RepresentationKey): string {
  return `${format} ${encoding} ${shardName(shard)}`;
}

/** Lines of the whole page are those of the page itself. Those of a shard are its own: a second copy would double it. */
export function plainContent(buffers: readonly Buffer[], shard: Shard): Content {
  const bytes = totalLength(buffers);
  return {
    buffers: isWhole(shard) ? mergeSmall(buffers) : buffers,
    compressed: undefined,
    bytes,
    uncompressedBytes: bytes,
  };
}

/**
 * In as many buffers as there are chunks, some hundreds. With many servers there is another page every few seconds: what is copied for it
 * is garbage outside of the heap, which has the collector look through all of it, and takes longer than to send the chunks one by one.
 */
export function compressedContent(chunks: readonly DeflatedChunk[]): Content {
  const compressed = joinDeflated(chunks);
  return { buffers: [], compressed, bytes: totalLength(compressed.buffers), uncompressedBytes: compressed.length };
}

/** The body of a page on its way to a reader. */
export interface StreamedPage {
  /** What is ready; where names are escaped anew, it is made as it is read. */
  readonly beginning: Iterable<Buffer> | AsyncIterable<Buffer>;
  /** To be called when the beginning has been read. */
  readonly end: () => Promise<readonly Buffer[]>;
}

/** A representation that was not requested in this time is no longer kept ready, milliseconds. */
export const CACHED_FOR_MS = 600_000;

/**
 * Shards in the cache at most, in each encoding: all of one page. With one less, each would be the one evicted when it
 * is requested again, as scrapers request them in turn.
 */
const MAX_CACHED_SHARDS = MAX_SHARDS;
/** The same for what is about some servers: each server's own, of an installation with many. */
const MAX_CACHED_OF_SERVERS = 1_000;

/**
 * A scraper comes back after this time and within that, milliseconds. Its shards are evicted last, so that a client that
 * tries one shard after the other does not evict them.
 */
const REGULAR_AFTER = 5_000;
const REGULAR_WITHIN = 150_000;

/** The representations of a shard in one encoding: they share encoded blocks, whatever their format. */
interface CachedShard {
  readonly representations: readonly Representation[];
  readonly kind: "ofServers" | "ofAll";
  readonly isRegular: boolean;
  readonly lastRequestedAt: number;
  /** Before compression. */
  readonly bytes: number;
}

/** The representations of the page that are kept ready. The whole page always may be; its shards have a bound. */
export class RepresentationCache {
  readonly #entries = new Map<string, Representation>();

  get size(): number {
    return this.#entries.size;
  }

  get(key: RepresentationKey): Representation | undefined {
    return this.#entries.get(nameOf(key));
  }

  set(representation: Representation): void {
    this.#entries.set(nameOf(representation.key), representation);
  }

  values(): IteratorObject<Representation, undefined> {
    return this.#entries.values();
  }

  /**
   * Evicts what was not requested lately, and shards beyond `maxBytes` in each encoding, counted before compression, as
   * each byte kept costs work at each change too.
   */
  trim(now: number, maxBytes: number): void {
    for (const [name, { lastRequestedAt }] of this.#entries)
      if (now - lastRequestedAt > CACHED_FOR_MS) this.#entries.delete(name);
    for (const encoding of ["identity", "gzip"] as const) {
      const representations = this.values().filter(({ key }) => key.encoding === encoding && !isWhole(key.shard));
      const byShard = Map.groupBy(representations, ({ key: { shard } }) => shardName(shard));
      const shards = [...byShard.values()].map((each) => cachedShard(each, now)).sort(byWorth);
      let bytes = 0;
      const left = { ofServers: MAX_CACHED_OF_SERVERS, ofAll: MAX_CACHED_SHARDS };
      for (const shard of shards) {
        bytes += shard.bytes;
        if (left[shard.kind]-- > 0 && bytes <= maxBytes) continue;
        for (const { key } of shard.representations) this.#entries.delete(nameOf(key));
      }
    }
  }

  /** Names of the shards, and of the page, that are kept in this encoding. */
  shardNames(encoding: ContentEncoding): ReadonlySet<string> {
    const kept = this.values().filter(({ key }) => key.encoding === encoding);
    return new Set(kept.map(({ key }) => shardName(key.shard)));
  }
}

function cachedShard(representations: readonly Representation[], now: number): CachedShard {
  return {
    representations,
    kind: representations.some(({ key }) => key.shard.servers !== undefined) ? "ofServers" : "ofAll",
    isRegular: representations.some(
      ({ firstRequestedAt, lastRequestedAt }) =>
        lastRequestedAt - firstRequestedAt >= REGULAR_AFTER && now - lastRequestedAt <= REGULAR_WITHIN,
    ),
    lastRequestedAt: Math.max(...representations.map(({ lastRequestedAt }) => lastRequestedAt)),
    bytes: Math.max(...representations.map(({ content }) => content.uncompressedBytes)),
  };
}

function byWorth(a: CachedShard, b: CachedShard): number {
  return Number(b.isRegular) - Number(a.isRegular) || b.lastRequestedAt - a.lastRequestedAt;
}
