import { isMarkedAsUntransferable } from "node:worker_threads";

/**
 * Gives the memory of chunks of a body back as soon as they are read. Each that comes from a socket has 64 kB of its own outside
 * of the heap; left to the garbage collector, the hundred megabytes of a large list make it go through the whole heap three
 * times, which is a third of the processor time of a poll.
 */
export class SpentChunks {
  #last: ArrayBuffer | undefined;

  /**
   * Call with each chunk before it is read, where nothing else will look at it or at those before. Parts of the same memory come
   * one after the other, so that of the last chunk goes when one comes that is elsewhere.
   */
  arrived({ buffer }: Buffer): void {
    if (this.#last === buffer) return;
    this.#last?.transfer(0);
    // Small buffers share memory with others, which Node.js marks.
    this.#last = buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer) ? buffer : undefined;
  }
}
