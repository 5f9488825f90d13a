import { codeUnitAt } from "../lib/text-units.ts";

const SMALLEST_BUFFER = 4_096;
const MAX_VARINT = 5;
/** UTF-8 takes at most three bytes for one unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

/** Writes protobuf from its end to its beginning, so that the length of a message is known before it is written. */
export class BackwardWriter {
  #bytes: Buffer;
  #view: DataView;
  #at: number;

  /** @param expected Estimated bytes. The buffer grows if there are more. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(SMALLEST_BUFFER, Math.ceil(expected)));
    this.#view = viewOf(this.#bytes);
    this.#at = this.#bytes.length;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Call last: the writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  message(tag: number, write: () => void): void {
    const end = this.length;
    write();
    this.varint(this.length - end);
    this.byte(tag);
  }

  field(tag: number, text: string): void {
    const end = this.length;
    this.text(text);
    this.varint(this.length - end);
    this.byte(tag);
  }

  byte(value: number): void {
    this.#makeRoom(1);
    this.#bytes[--this.#at] = value;
  }

  /** @param value From 0 to below 2^32. */
  varint(value: number): void {
    this.#makeRoom(MAX_VARINT);
    if (value < 0x80) {
      this.#bytes[--this.#at] = value;
      return;
    }
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    this.#at -= size;
    let left = value;
    for (let index = 0; index < size - 1; index++) {
      this.#bytes[this.#at + index] = (left & 0x7f) | 0x80;
      left >>>= 7;
    }
    this.#bytes[this.#at + size - 1] = left;
  }

  double(value: number): void {
    this.#makeRoom(8);
    this.#at -= 8;
    this.#view.setFloat64(this.#at, value, true);
  }

  fixed64(value: bigint): void {
    this.#makeRoom(8);
    this.#at -= 8;
    this.#view.setBigUint64(this.#at, value, true);
  }

  text(text: string): void {
    this.#makeRoom(text.length * MAX_BYTES_PER_UNIT);
    let at = this.#at;
    for (let index = text.length - 1; index >= 0; index--) {
      const code = codeUnitAt(text, index);
      if (code > 0x7f) {
        at = this.#at - Buffer.byteLength(text);
        this.#bytes.write(text, at);
        break;
      }
      this.#bytes[--at] = code;
    }
    this.#at = at;
  }

  #makeRoom(size: number): void {
    if (this.#at >= size) return;
    const grown = Buffer.allocUnsafeSlow(this.#bytes.length * 2 + size);
    const at = grown.length - this.length;
    grown.set(this.finish(), at);
    this.#bytes = grown;
    this.#view = viewOf(grown);
    this.#at = at;
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
