import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { totalLength } from "./buffers.ts";
import { combineCrc32 } from "./crc32-combine.ts";

const deflateAsync = promisify(deflateRaw);

/** Deflate's fastest level: on metrics pages the others gain a tenth in size for six times the work. */
const LEVEL = 1;

/** What is not more than one part in so many of a page is sent sooner than compressed. */
const NEGLIGIBLE = 32;
/** RFC 1951, 3.2.4: bytes of a block that is not compressed, at most. */
const MAX_STORED = 0xffff;

/** RFC 1952: magic, deflate, no flags, no time, fastest level, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);

/** A compressed part of a gzip member that other parts can be put behind. */
export interface DeflatedPart {
  readonly buffers: readonly Buffer[];
  readonly crc: number;
  /** Of what was compressed. */
  readonly length: number;
}

export const NOTHING_DEFLATED: DeflatedPart = { buffers: [], crc: 0, length: 0 };

/**
 * Compresses off the main thread. Ends on a byte boundary (sync flush) and refers to nothing before it, so parts can
 * be put together in any order.
 */
export async function deflatePart(bytes: Buffer): Promise<DeflatedPart> {
  const deflated = await deflateAsync(bytes, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH });
  return { buffers: [compact(deflated)], crc: crc32(bytes), length: bytes.length };
}

export function joinDeflated(parts: Iterable<DeflatedPart>): DeflatedPart {
  const buffers: Buffer[] = [];
  let { crc, length } = NOTHING_DEFLATED;
  for (const part of parts) {
    buffers.push(...part.buffers);
    crc = combineCrc32(crc, part.crc, part.length);
    length += part.length;
  }
  return { buffers, crc, length };
}

/**
 * One gzip member out of a cached beginning and a fresh end. (Two members in a row are legal, but not every client
 * reads past the first.)
 */
export function gzipBeginning({ buffers }: DeflatedPart): Buffer[] {
  return [GZIP_HEADER, ...buffers];
}

/** What comes behind `gzipBeginning(beginning)`: `end`, compressed where that matters, and the trailer. */
export function gzipEnd(beginning: DeflatedPart, end: Buffer): Buffer[] {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(end, beginning.crc), 0);
  trailer.writeUInt32LE((beginning.length + end.length) % 2 ** 32, 4);
  const isNegligible = end.length <= MAX_STORED && end.length * NEGLIGIBLE <= totalLength(beginning.buffers);
  return [...(isNegligible ? storedBlock(end) : [deflateRawSync(end, { level: LEVEL })]), trailer];
}

/** RFC 1951, 3.2.4: the last block of a stream, as it is. */
function storedBlock(bytes: Buffer): Buffer[] {
  const header = Buffer.from([1, 0, 0, 0, 0]);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return [header, bytes];
}

/** zlib's result may be a small view of a large buffer, which would stay as long as the view. */
function compact(bytes: Buffer): Buffer {
  if (bytes.length * 1.25 >= bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
