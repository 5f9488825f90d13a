import { codeUnitAt } from "../lib/text-units.ts";
import { escapeLabelValue, formatValue } from "./text-format.ts";

const FIRST_CAPACITY = 64 * 1_024;
const MAX_SHORT = 256;
/** UTF-8 takes this many bytes at most for a UTF-16 code unit. */
const BYTES_PER_UNIT = 3;
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_ASCII = 0x7f;
const MAX_OF_TWO_BYTES = 0x7ff;
const ZERO = "0".charCodeAt(0);
const MAX_DIGITS = 10;
const MAX_COUNT = 2 ** 31;
/** Bytes of a number of double precision, as which text is copied: none is NaN, as byte 0xff is nowhere in UTF-8, and 0x7f not behind 0xf0. */
const WORD = 8;
/** Up to so many bytes, copying by words takes less than a call of `copy`. */
const MAX_BY_WORDS = 256;

/**
 * Bytes of lines under construction, in one buffer that is used again and again. What is copied in a row from one place is
 * copied at once, when something else follows: a call takes as long as to copy some hundred bytes.
 */
export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  /** The same memory. */
  #words = wordsOf(this.#bytes);
  #length = 0;
  #source: Buffer = this.#bytes;
  #sourceWords = this.#words;
  #copyFrom = 0;
  #copyTo = 0;

  get length(): number {
    return this.#length + this.#copyTo - this.#copyFrom;
  }

  /** As it is. */
  text(text: string): void {
    if (this.#isShort(text, false)) return;
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** A label value, escaped. */
  label(value: string): void {
    if (!this.#isShort(value, true)) this.text(escapeLabelValue(value));
  }

  /** What was written from `start` to `end`, once more. */
  again(start: number, end: number): void {
    this.#copyNow();
    // The last word may be longer than what is left.
    this.#reserve(end - start + WORD);
    this.#copyWords(this.#words, start, end);
  }

  /** `from` has to stay as it is until `take`. */
  copy(from: Buffer, start: number, end: number): void {
    if (from !== this.#source || start !== this.#copyTo) {
      this.#copyNow();
      if (from !== this.#source) this.#sourceWords = wordsOf(from);
      this.#source = from;
      this.#copyFrom = start;
    }
    this.#copyTo = end;
  }

  /** A sample value and the end of its line. */
  value(value: number): void {
    // Most values are such numbers: as a text first, they would take twice as long.
    if (value >= 0 && value < MAX_COUNT && Number.isInteger(value)) this.#digits(value);
    else this.text(formatValue(value));
    this.#reserve(1);
    this.#bytes[this.#length++] = NEWLINE;
  }

  /** The bytes so far, in a buffer of just their size; begins anew. */
  take(): Buffer {
    this.#copyNow();
    const bytes = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.clear();
    return bytes;
  }

  /** Begins anew. */
  clear(): void {
    this.#length = 0;
    this.#source = this.#bytes;
    this.#sourceWords = this.#words;
    this.#copyFrom = 0;
    this.#copyTo = 0;
  }

  /** -0 is 0. */
  #digits(count: number): void {
    this.#copyNow();
    this.#reserve(MAX_DIGITS);
    let end = this.#length + 1;
    for (let bound = 10; bound <= count; bound *= 10) end++;
    this.#length = end;
    let left = count;
    do {
      const rest = Math.floor(left / 10);
      this.#bytes[--end] = ZERO + left - 10 * rest;
      left = rest;
    } while (left > 0);
  }

  /**
   * Whether the text is a short one of characters that take up to two bytes, as Latin letters do, which then is written: a call of
   * `write` takes longer. `isEscaped`: what is to be escaped is none.
   */
  #isShort(text: string, isEscaped: boolean): boolean {
    this.#copyNow();
    const { length } = text;
    if (length > MAX_SHORT) return false;
    this.#reserve(2 * length);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < length; index++) {
      const unit = codeUnitAt(text, index);
      if (isEscaped && (unit === QUOTE || unit === BACKSLASH || unit === NEWLINE)) return false;
      if (unit > MAX_ASCII) {
        if (unit > MAX_OF_TWO_BYTES) return false;
        // RFC 3629, section 3.
        bytes[at++] = 0xc0 | (unit >> 6);
        bytes[at++] = 0x80 | (unit & 0x3f);
      } else bytes[at++] = unit;
    }
    this.#length = at;
    return true;
  }

  #copyNow(): void {
    const [from, to] = [this.#copyFrom, this.#copyTo];
    if (from === to) return;
    const count = to - from;
    this.#reserve(count + WORD);
    this.#copyFrom = to;
    if (count <= MAX_BY_WORDS && to + WORD <= this.#source.length) this.#copyWords(this.#sourceWords, from, to);
    else this.#length += this.#source.copy(this.#bytes, this.#length, from, to);
  }

  #copyWords(from: DataView, start: number, end: number): void {
    const words = this.#words;
    const to = this.#length - start;
    for (let at = start; at < end; at += WORD) words.setFloat64(to + at, from.getFloat64(at, true), true);
    this.#length += end - start;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#words = wordsOf(larger);
  }
}

function wordsOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
