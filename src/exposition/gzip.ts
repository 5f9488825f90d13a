import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { detach, totalLength } from "../lib/buffers.ts";

/** The polynomial of CRC-32 (RFC 1952), bits reversed; polynomials below have their lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** x to the power of 2^n, modulo the polynomial. */
const POWERS = squares(0x40000000, 32);

const deflateAsync = promisify(deflateRaw);

/** Deflate's fastest level: on metrics pages the others gain a tenth in size for six times the work. */
const LEVEL = 1;
/** A compressed block of series fits in it, mostly; the allocator keeps what is below 64 kB for the next one. */
const DEFLATED_CHUNK = 48 * 1024;

/** What is not more than one in so many bytes of a page is sent sooner than compressed. */
const NEGLIGIBLE = 32;
/** RFC 1951, 3.2.4: bytes of a block that is not compressed, at most. */
const MAX_STORED = 0xffff;

/** RFC 1952: magic, deflate, no flags, no time, fastest level, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);

/** A compressed piece of a gzip member that other chunks can be put behind. */
export interface DeflatedChunk {
  readonly buffers: readonly Buffer[];
  readonly crc: number;
  /** Of what was compressed. */
  readonly length: number;
}

const NOTHING_DEFLATED: DeflatedChunk = { buffers: [], crc: 0, length: 0 };

/**
 * Compresses some hundred kilobytes. Ends on a byte boundary (sync flush) and refers to nothing before it, so chunks can
 * be put together in any order. Not in a thread: to hand it over takes a third of the time that it saves, and leaves buffers to
 * the garbage collector.
 */
export function deflateChunk(bytes: Buffer): DeflatedChunk {
  const options = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: DEFLATED_CHUNK };
  return { buffers: [compact(deflateRawSync(bytes, options))], crc: crc32(bytes), length: bytes.length };
}

export function joinDeflated(chunks: Iterable<DeflatedChunk>): DeflatedChunk {
  const buffers: Buffer[] = [];
  let { crc, length } = NOTHING_DEFLATED;
  for (const chunk of chunks) {
    buffers.push(...chunk.buffers);
    crc = combineCrc32(crc, chunk.crc, chunk.length);
    length += chunk.length;
  }
  return { buffers, crc, length };
}

/**
 * One gzip member out of a cached beginning and a fresh end. (Two members in a row are legal, but not every client
 * reads past the first.)
 */
export function gzipBeginning({ buffers }: DeflatedChunk): Buffer[] {
  return [GZIP_HEADER, ...buffers];
}

/** What comes behind `gzipBeginning(beginning)`: `end`, compressed where that matters, and the trailer. */
export async function gzipEnd(beginning: DeflatedChunk, end: readonly Buffer[]): Promise<Buffer[]> {
  const joined = Buffer.concat(end);
  const { length } = joined;
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(joined, beginning.crc), 0);
  trailer.writeUInt32LE((beginning.length + length) % 2 ** 32, 4);
  const isNegligible = length <= MAX_STORED && length * NEGLIGIBLE <= totalLength(beginning.buffers);
  return [...(isNegligible ? storedBlock(joined) : [await deflateEnd(joined)]), trailer];
}

/** Frees what it compresses. What is small is done before a thread would have begun. */
async function deflateEnd(end: Buffer): Promise<Buffer> {
  try {
    return await (end.length <= MAX_STORED
      ? deflateRawSync(end, { level: LEVEL })
      : deflateAsync(end, { level: LEVEL }));
  } finally {
    detach(end);
  }
}

/** RFC 1951, 3.2.4: the last block of a stream, as it is. */
function storedBlock(bytes: Buffer): Buffer[] {
  const header = Buffer.from([1, 0, 0, 0, 0]);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return [header, bytes];
}

/** In memory of just its size: zlib's result is a small view of a large buffer, which is freed here. */
function compact(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  detach(bytes);
  return copy;
}

/**
 * The CRC-32 of two byte sequences in a row from those of each: appending n bytes multiplies the first by x^8n. So a
 * page can be put together from chunks whose bytes were looked at once.
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  let shift = ONE;
  let power = 3;
  for (let rest = secondLength; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(POWERS[power % POWERS.length] ?? ONE, shift);
    power++;
  }
  return (multiply(shift, first) ^ second) >>> 0;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

function squares(base: number, count: number): readonly number[] {
  const powers = [base];
  while (powers.length < count) {
    const last = powers.at(-1) ?? ONE;
    powers.push(multiply(last, last));
  }
  return powers;
}
