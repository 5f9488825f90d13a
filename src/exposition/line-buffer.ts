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
const WORD = 4;
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
    this.text(formatValue(value));
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

  /**
   * Whether the text is a short one of ASCII, which then is written: a call of `write` takes longer. `isEscaped`: what is to be
   * escaped is none.
   */
  #isShort(text: string, isEscaped: boolean): boolean {
    this.#copyNow();
    const { length } = text;
    if (length > MAX_SHORT) return false;
    this.#reserve(length);
    const bytes = this.#bytes;
    const start = this.#length;
    for (let index = 0; index < length; index++) {
      const unit = codeUnitAt(text, index);
      if (unit > MAX_ASCII || (isEscaped && (unit === QUOTE || unit === BACKSLASH || unit === NEWLINE))) return false;
      bytes[start + index] = unit;
    }
    this.#length = start + length;
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
    for (let at = start; at < end; at += WORD) words.setInt32(to + at, from.getInt32(at, true), true);
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
