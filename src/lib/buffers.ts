import { isMarkedAsUntransferable } from "node:worker_threads";

export function totalLength(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** Moves the first bytes to a larger buffer, and frees the other. */
export function enlarge(bytes: Buffer, used: number, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(size);
  bytes.copy(larger, 0, 0, used);
  detach(bytes);
  return larger;
}

/**
 * Frees the memory of a chunk from a socket at once, if no later chunk can share it: it ends where the memory ends.
 * Otherwise chunks that wait for a busy process reach V8's old space, and stay until a major collection.
 */
export function detachLast(chunk: Buffer): void {
  if (chunk.byteOffset + chunk.length === chunk.buffer.byteLength) detach(chunk);
}

/** Frees the memory of a buffer at once. Buffers that share memory, which Node.js marks, stay as they are. */
export function detach({ buffer }: Pick<Buffer, "buffer">): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && !isMarkedAsUntransferable(buffer)) buffer.transfer(0);
}
