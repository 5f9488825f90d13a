import { type DeflatedChunk, joinDeflated } from "./gzip.ts";

/** Chunks that are put together: a block of series takes some 25 kB, and each buffer costs writers and readers a call. */
const GROUP = 16;

/** A run of chunks in one buffer. It knows them by number, so that it does not keep those alive that are not on the page any more. */
interface Group {
  readonly members: readonly number[];
  readonly joined: DeflatedChunk;
}

const numbers = new WeakMap<DeflatedChunk, number>();
let lastNumber = 0;

/**
 * A compressed page. Its chunks are put together when it is sent for the first time, and of these only what differs from the page
 * that was sent before: with many servers there is another page each second, and most of them are never sent. Copied each time,
 * their bytes were most of the garbage, which is outside of the heap and makes the collector look through all of it.
 */
export class CompressedPage {
  /** As they go over the wire. */
  readonly bytes: number;
  readonly uncompressedBytes: number;
  #chunks: readonly DeflatedChunk[];
  /** Of this page, or while it was not sent, of one before. */
  #groups: readonly Group[];
  #joined: DeflatedChunk | undefined;

  /** `before`: which this one takes the place of. */
  constructor(chunks: readonly DeflatedChunk[], before?: CompressedPage) {
    let [bytes, length] = [0, 0];
    for (const chunk of chunks) {
      length += chunk.length;
      for (const buffer of chunk.buffers) bytes += buffer.length;
    }
    this.bytes = bytes;
    this.uncompressedBytes = length;
    this.#chunks = chunks;
    this.#groups = before === undefined ? [] : before.#groups;
  }

  /** All of it, in few buffers: the same each time. */
  joined(): DeflatedChunk {
    this.#joined ??= this.#join();
    return this.#joined;
  }

  #join(): DeflatedChunk {
    const before = this.#groups;
    const groups: Group[] = [];
    for (let from = 0; from < this.#chunks.length; from += GROUP) {
      const chunks = this.#chunks.slice(from, from + GROUP);
      const members = chunks.map(numberOf);
      const known = before[groups.length];
      groups.push(known !== undefined && isSame(known.members, members) ? known : { members, joined: inOne(chunks) });
    }
    this.#groups = groups;
    this.#chunks = [];
    return joinDeflated(groups.map(({ joined }) => joined));
  }
}

function numberOf(chunk: DeflatedChunk): number {
  const known = numbers.get(chunk);
  if (known !== undefined) return known;
  lastNumber++;
  numbers.set(chunk, lastNumber);
  return lastNumber;
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((number, at) => number === others[at]);
}

function inOne(chunks: readonly DeflatedChunk[]): DeflatedChunk {
  const { buffers, crc, length } = joinDeflated(chunks);
  return { buffers: [Buffer.concat(buffers)], crc, length };
}
