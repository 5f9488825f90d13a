import { SERVER_WIDE, type ShardKey } from "../store/shard-key.ts";
import { type Checksum, checksumOf, type DeflatedChunk } from "./gzip.ts";
import type { ExpositionFormat } from "./text-format.ts";

/** Part `index` (from 0) of `count`, or the series of some servers. */
export interface Shard {
  readonly index: number;
  readonly count: number;
  /** Sorted and unique. `undefined`: all servers. */
  readonly servers?: readonly string[] | undefined;
}

export const WHOLE_PAGE: Shard = { index: 0, count: 1 };

/** Shards of 1 MB of the largest page. */
export const MAX_SHARDS = 100;

/** Reads `2/5` or `02/05`. */
export function parseShard(text: string): Shard | undefined {
  const match = /^(\d{1,3})\/(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const [index, count] = [Number(match[1]), Number(match[2])];
  return count <= MAX_SHARDS && index < count ? { index, count } : undefined;
}

/** The first shard has the series about a whole server. */
export function isInShard({ index, count }: Shard, shardKey: ShardKey): boolean {
  return shardKey === SERVER_WIDE ? index === 0 : shardKey % count === index;
}

export function isWhole({ count, servers }: Shard): boolean {
  return count === 1 && servers === undefined;
}

export function shardName({ index, count, servers }: Shard): string {
  return `${index}/${count}${servers === undefined ? "" : ` of ${JSON.stringify(servers)}`}`;
}

export function isSameShard(a: Shard, b: Shard): boolean {
  return shardName(a) === shardName(b);
}

/** The first shard has the exporter's own metrics. */
export function includesExporterMetrics({ index }: Shard): boolean {
  return index === 0;
}

export interface RepresentationKey {
  readonly format: ExpositionFormat;
  readonly shard: Shard;
}

/** A page without its end. The checksum is that of the lines. */
export interface Content extends Checksum {
  /** Separate, because joining them on each page costs more than sending hundreds of them. */
  readonly chunks: readonly DeflatedChunk[];
  /** Compressed. */
  readonly bytes: number;
}

export function contentOf(chunks: readonly DeflatedChunk[]): Content {
  return { ...checksumOf(chunks), chunks, bytes: chunks.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}

/** A representation of the page (RFC 9110). */
export interface Representation {
  readonly key: RepresentationKey;
  /** Version of the store. `OUTDATED` before the first page. */
  version: number;
  /** Monotonic ms. */
  readonly firstRequestedAt: number;
  /** Monotonic ms. */
  lastRequestedAt: number;
  content: Content;
}

export const OUTDATED = -1;
/** The default request of Prometheus. */
export const PROMETHEUS_DEFAULT: RepresentationKey = { format: "openmetrics", shard: WHOLE_PAGE };
export const NO_CONTENT = contentOf([]);

export function nameOf({ format, shard }: RepresentationKey): string {
  return `${format} ${shardName(shard)}`;
}

export interface StreamedPage {
  /** The ready part. */
  readonly beginning: Iterable<Buffer> | AsyncIterable<Buffer>;
  /** Call it after the beginning has been read. */
  readonly end: () => Promise<readonly Buffer[]>;
}

/** Milliseconds after the last request. */
export const CACHED_FOR_MS = 600_000;

/**
 * All shards of one page. With one less, scrapers that request them in turn would always find theirs
 * evicted.
 */
const MAX_CACHED_SHARDS = MAX_SHARDS;
/** One per server of a large installation. */
const MAX_CACHED_OF_SERVERS = 1_000;

/**
 * A scraper returns after this time and before `CACHED_FOR_MS`. Its shards are evicted last, so a client that tries
 * all shards does not evict them.
 */
const REGULAR_AFTER = 5_000;
const REGULAR_WITHIN = 150_000;

/** The representations of a shard share compressed blocks. */
interface CachedShard {
  readonly representations: readonly Representation[];
  readonly kind: "ofServers" | "ofAll";
  readonly isRegular: boolean;
  readonly lastRequestedAt: number;
  /** Before compression. */
  readonly bytes: number;
}

/** The representations that are kept ready. The whole page always may be. Shards have a bound. */
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

  /** Evicts representations without recent requests, and shards beyond `maxBytes`. */
  trim(now: number, maxBytes: number): void {
    for (const [name, { lastRequestedAt }] of this.#entries)
      if (now - lastRequestedAt > CACHED_FOR_MS) this.#entries.delete(name);
    const shardsOnly = this.values().filter(({ key }) => !isWhole(key.shard));
    const byShard = Map.groupBy(shardsOnly, ({ key: { shard } }) => shardName(shard));
    const shards = [...byShard.values()].map((each) => cachedShard(each, now)).sort(byWorth);
    let bytes = 0;
    const left = { ofServers: MAX_CACHED_OF_SERVERS, ofAll: MAX_CACHED_SHARDS };
    for (const shard of shards) {
      bytes += shard.bytes;
      if (left[shard.kind]-- > 0 && bytes <= maxBytes) continue;
      for (const { key } of shard.representations) this.#entries.delete(nameOf(key));
    }
  }

  get shards(): readonly Shard[] {
    return [...this.values().map(({ key }) => key.shard)];
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
    bytes: Math.max(...representations.map(({ content }) => content.length)),
  };
}

function byWorth(a: CachedShard, b: CachedShard): number {
  return Number(b.isRegular) - Number(a.isRegular) || b.lastRequestedAt - a.lastRequestedAt;
}
