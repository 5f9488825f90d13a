import { isMarkedAsUntransferable } from "node:worker_threads";
import { detach } from "../buffers.ts";

/**
 * Gives the memory of chunks of a body back as soon as they are read. Each that comes from a socket has 64 kB of its own outside
 * of the heap; left to the garbage collector, the hundred megabytes of a large list make it go through the whole heap three
 * times, which is a third of the processor time of a poll.
 */
export class SpentChunks {
  /** What was read to its end last. */
  #last: Buffer | undefined;

  /**
   * Call with each chunk before it is read, where nothing else will look at it or at those before. What a chunk lies in goes when
   * the next one comes, and only if the chunk reached its end: up to there a decoder may go on writing, or a parser reading, since
   * of what waits in a stream copies may have come.
   */
  arrived(chunk: Buffer): void {
    const { buffer, byteOffset, byteLength } = chunk;
    if (this.#last?.buffer === buffer) return;
    this.ended();
    const isEnd = byteOffset + byteLength === buffer.byteLength;
    // Small buffers share memory with others, which Node.js marks.
    const isOwn = buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer);
    this.#last = isEnd && isOwn ? chunk : undefined;
  }

  /** Call when no chunk comes any more and the last one is read. */
  ended(): void {
    if (this.#last !== undefined) detach(this.#last);
    this.#last = undefined;
  }
}
