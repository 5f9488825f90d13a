import { detach } from "../../lib/buffers.ts";

/** Bytes that arrive in chunks and are needed in one piece, in memory that grows as they come. */
export class ArrivedBytes {
  #memory = Buffer.allocUnsafeSlow(0);
  #length = 0;
  readonly #smallest: number;

  /** `smallest`: bytes that there is room for from the first chunk on. */
  constructor(smallest = 0) {
    this.#smallest = smallest;
  }

  /** The bytes are at its beginning, `length` of them. Another one after the next call of a method. */
  get memory(): Buffer {
    return this.#memory;
  }

  get length(): number {
    return this.#length;
  }

  /** All that is there; the same memory. */
  all(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#memory.length, this.#smallest));
      this.#memory.copy(larger, 0, 0, this.#length);
      detach(this.#memory);
      this.#memory = larger;
    }
    chunk.copy(this.#memory, this.#length);
    this.#length = length;
  }

  /** The first `count` are not needed any more. */
  drop(count: number): void {
    this.#memory.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  /** At once: left to the garbage collector, the memory of hundreds of small answers would make it run early. */
  free(): void {
    detach(this.#memory);
    this.#memory = Buffer.allocUnsafeSlow(0);
    this.#length = 0;
  }
}
