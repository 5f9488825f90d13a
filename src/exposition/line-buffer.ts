import { formatValue } from "./text-format.ts";

const FIRST_CAPACITY = 64 * 1_024;
/** Maximum UTF-8 bytes of a UTF-16 code unit. */
const BYTES_PER_UNIT = 3;

/** A reusable buffer for lines. */
export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#length += this.#bytes.write(text, this.#length);
  }

  value(value: number): void {
    this.text(`${formatValue(value)}\n`);
  }

  copy(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    this.#length += from.copy(this.#bytes, this.#length, start, end);
  }

  /** A copy of exact size. Clears the buffer. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
