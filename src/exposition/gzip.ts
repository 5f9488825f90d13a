import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import { detach } from "../lib/buffers.ts";

/** CRC-32 polynomial (RFC 1952), reversed: the lowest power is in the highest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
/** x^8, for one byte. */
const BYTE = 0x00800000;

const deflateAsync = promisify(deflateRaw);

/** Higher levels save a tenth of the size for six times the work. */
const LEVEL = 1;
/** Fits most compressed blocks. The allocator reuses memory below 64 kB. */
const DEFLATED_CHUNK = 48 * 1024;

/** If the end is a smaller part of the page, it is sent uncompressed. */
const NEGLIGIBLE = 32;
/** RFC 1951, 3.2.4: maximum size of a stored block. */
const MAX_STORED = 0xffff;

/** RFC 1952: magic, deflate, no flags, no time, fastest level, unknown system. */
export const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);

/** CRC-32 and length of uncompressed bytes. */
export interface Checksum {
  readonly crc: number;
  readonly length: number;
}

/** The checksum of a piece. */
export interface PieceChecksum extends Checksum {
  /** Moves the checksum of earlier pieces: x^8n modulo the polynomial for n bytes. */
  readonly shift: number;
}

/** A compressed piece of a gzip member. Other chunks can follow. */
export interface DeflatedChunk extends PieceChecksum {
  readonly bytes: Buffer;
}

/**
 * Compresses some hundred kilobytes. The chunk ends on a byte boundary and refers to no earlier bytes, so chunks
 * combine in any order. Synchronous: handing it to a thread costs a third of the saved time.
 */
export function deflateChunk(bytes: Buffer): DeflatedChunk {
  const options = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: DEFLATED_CHUNK };
  const { length } = bytes;
  return { bytes: compact(deflateRawSync(bytes, options)), crc: crc32(bytes), length, shift: shiftOf(length) };
}

export function inflateChunk({ bytes, length }: DeflatedChunk): Buffer {
  // One byte more than needed saves a second buffer.
  const chunkSize = Math.max(length + 1, constants.Z_MIN_CHUNK);
  return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize });
}

/**
 * Of joined pieces, without their bytes: reading each page again would block the event loop for 30 ms per 100 MB.
 * zlib has this as `crc32_combine`, but Node.js does not export it.
 */
export function checksumOf(pieces: Iterable<PieceChecksum>): Checksum {
  let [crc, length] = [0, 0];
  for (const piece of pieces) {
    crc = (multiply(piece.shift, crc) ^ piece.crc) >>> 0;
    length += piece.length;
  }
  return { crc, length };
}

/** The rest of one gzip member (not every client reads a second one) after `GZIP_HEADER` and chunks. */
export async function gzipEnd(beginning: Checksum, end: readonly Buffer[], beginningBytes: number): Promise<Buffer[]> {
  const joined = Buffer.concat(end);
  const { length } = joined;
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(joined, beginning.crc), 0);
  trailer.writeUInt32LE((beginning.length + length) % 2 ** 32, 4);
  if (length <= MAX_STORED && length * NEGLIGIBLE <= beginningBytes) return [...storedBlock(joined), trailer];
  const deflated = await deflateEnd(joined);
  detach(joined);
  return [deflated, trailer];
}

/** A thread is slower for a small input. */
async function deflateEnd(end: Buffer): Promise<Buffer> {
  return end.length <= MAX_STORED ? deflateRawSync(end, { level: LEVEL }) : deflateAsync(end, { level: LEVEL });
}

/** RFC 1951, 3.2.4: the last block, stored. */
function storedBlock(bytes: Buffer): Buffer[] {
  const header = Buffer.from([1, 0, 0, 0, 0]);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return [header, bytes];
}

/** zlib returns a small view of a large buffer. */
function compact(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  detach(bytes);
  return copy;
}

function shiftOf(length: number): number {
  let shift = ONE;
  let power = BYTE;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(power, shift);
    power = multiply(power, power);
  }
  return shift;
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
