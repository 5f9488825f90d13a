import { isMarkedAsUntransferable } from "node:worker_threads";

/** Smaller buffers are merged up to this size. */
const SMALL = 256 * 1_024;

/** Merges small buffers, because each one costs a call to write and read. */
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

export function totalLength(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** Frees the memory of a buffer at once. Buffers that share memory, which Node.js marks, stay as they are. */
export function detach({ buffer }: Pick<Buffer, "buffer">): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && !isMarkedAsUntransferable(buffer)) buffer.transfer(0);
}
