import { isMarkedAsUntransferable } from "node:worker_threads";

export function totalLength(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** Frees the memory of a buffer at once. Buffers that share memory, which Node.js marks, stay as they are. */
export function detach({ buffer }: Pick<Buffer, "buffer">): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && !isMarkedAsUntransferable(buffer)) buffer.transfer(0);
}
