import { mergeSmall, totalLength } from "../lib/buffers.ts";
import { type DeflatedChunk, joinDeflated } from "./gzip.ts";
import type { ContentEncoding } from "./negotiate.ts";
import { isWhole, type Shard, shardName, WHOLE_PAGE } from "./shard.ts";
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
