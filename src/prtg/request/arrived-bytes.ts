import { detach } from "../../lib/buffers.ts";

export class ArrivedBytes {
  #memory = Buffer.allocUnsafeSlow(0);
  #length = 0;
  readonly #smallest: number;

  /** @param smallest Initial size in bytes. */
  constructor(smallest = 0) {
    this.#smallest = smallest;
  }

  /** Has the bytes at its begin. Changes with each call. */
  get memory(): Buffer {
    return this.#memory;
  }

  get length(): number {
    return this.#length;
  }

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

  /** Removes the first bytes. */
  drop(count: number): void {
    this.#memory.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  /** Otherwise hundreds of small answers would start the garbage collector early. */
  free(): void {
    detach(this.#memory);
    this.#memory = Buffer.allocUnsafeSlow(0);
    this.#length = 0;
  }
}
