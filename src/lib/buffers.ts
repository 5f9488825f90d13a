import { isMarkedAsUntransferable } from "node:worker_threads";

/** Buffers below this size are put together, up to this size. Each is memory of its own, which takes time to get. */
const SMALL = 256 * 1_024;

/** The same bytes in fewer buffers: a small one costs writers and readers as many calls as a large one. */
export function mergeSmall(buffers: readonly Buffer[]): readonly Buffer[] {
  const merged: Buffer[] = [];
  let small: Buffer[] = [];
  let length = 0;
  const flush = () => {
    if (small.length > 0) merged.push(small.length === 1 && small[0] !== undefined ? small[0] : Buffer.concat(small));
    small = [];
    length = 0;
  };
  for (const buffer of buffers) {
    if (length + buffer.length > SMALL) flush();
    if (buffer.length > SMALL) merged.push(buffer);
    else {
      small.push(buffer);
      length += buffer.length;
    }
  }
  flush();
  return merged;
}

/** Bytes of all of them together. */
export function totalLength(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Frees the memory of a buffer, or an array of numbers, that has its own, at once; it is empty afterwards. One that shares memory
 * with others, which Node.js marks, stays as it is.
 */
export function detach({ buffer }: Pick<Buffer, "buffer">): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && !isMarkedAsUntransferable(buffer)) buffer.transfer(0);
}
