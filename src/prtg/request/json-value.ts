import { FNV_PRIME } from "../../lib/text-units.ts";
import { ByteView } from "./byte-view.ts";
import { areSame } from "./same-bytes.ts";

/** No JSON value begins there, or none of those that are read here. */
export const NO_VALUE = -1;

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);
const OPEN = "[".charCodeAt(0);
const CLOSE = "]".charCodeAt(0);
const MINUS = "-".charCodeAt(0);
const DOT = ".".charCodeAt(0);
const ZERO = "0".charCodeAt(0);
const NINE = "9".charCodeAt(0);
const SPACE = " ".charCodeAt(0);
const WORD = 4;
/** Of each byte of a word. */
const LOWEST_BITS = 0x01010101;
const HIGHEST_BITS = 0x80808080 | 0;
const QUOTES = QUOTE * LOWEST_BITS;
const BACKSLASHES = BACKSLASH * LOWEST_BITS;
const SPACES = SPACE * LOWEST_BITS;
const EXPONENT = /^[eE][+-]?\d+/;
const MAX_EXPONENT_LENGTH = 8;

const NULL = Buffer.from("null");
const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");

/** Powers of ten that are exact as numbers. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** Slots; a power of two. */
const SHARED_SLOTS = 4_096;
const MAX_SHARED_LENGTH = 64;
const sharedTexts: string[] = new Array(SHARED_SLOTS).fill("");
/** The same as bytes, of each slot in its place: a text is slower to compare with. */
const sharedBytes = Buffer.alloc(SHARED_SLOTS * MAX_SHARED_LENGTH);
const sharedView = new DataView(sharedBytes.buffer, sharedBytes.byteOffset, sharedBytes.length);

/**
 * Reads one value of JSON text in UTF-8 that is no object: a string, number, array, or `null`, `true`, `false`. It takes just
 * what `JSON.parse` takes, and gives the same; what it does not take for sure, it leaves to that.
 */
export class JsonValueReader {
  /** What was read last. */
  value: unknown;
  readonly #view = new ByteView();

  /** The end of the value that begins at `at` and ends before `end`; NO_VALUE where there is none. */
  read(bytes: Buffer, at: number, end: number): number {
    return bytes[at] === QUOTE ? this.#string(bytes, at, end) : this.#other(bytes, at, end, true);
  }

  #other(bytes: Buffer, at: number, end: number, isWanted: boolean): number {
    const first = bytes[at] ?? 0;
    if (first === OPEN) return this.#array(bytes, at, end);
    if (first === MINUS || isDigit(first)) return this.#number(bytes, at, isWanted);
    return this.#word(bytes, at);
  }

  /** As `read`, of a value that is not wanted: `value` stays, or is anything. */
  skip(bytes: Buffer, at: number, end: number): number {
    if (bytes[at] !== QUOTE) return this.#other(bytes, at, end, false);
    const view = this.#view.of(bytes);
    let next = at + 1;
    while (next + WORD <= end && isPlain(view.getInt32(next, true))) next += WORD;
    for (; next < end; next++) {
      const byte = view.getUint8(next);
      if (byte === QUOTE) return next + 1;
      if (byte === BACKSLASH) return this.#escaped(bytes, at, end);
      if (byte < SPACE) return NO_VALUE;
    }
    return NO_VALUE;
  }

  #string(bytes: Buffer, at: number, end: number): number {
    const view = this.#view.of(bytes);
    let hash = 0;
    let all = 0;
    let next = at + 1;
    for (; next + WORD <= end; next += WORD) {
      const word = view.getInt32(next, true);
      if (!isPlain(word)) break;
      all |= word;
      hash = Math.imul(hash ^ word, FNV_PRIME);
    }
    for (; next < end; next++) {
      const byte = view.getUint8(next);
      if (byte === QUOTE) {
        this.value =
          (all & HIGHEST_BITS) === 0
            ? sharedAscii(bytes, view, at + 1, next, hash)
            : bytes.toString("utf8", at + 1, next);
        return next + 1;
      }
      if (byte === BACKSLASH) return this.#escaped(bytes, at, end);
      if (byte < SPACE) return NO_VALUE;
      all |= byte;
      hash = Math.imul(hash ^ byte, FNV_PRIME);
    }
    return NO_VALUE;
  }

  #escaped(bytes: Buffer, at: number, end: number): number {
    for (let next = at + 1; next < end; next++) {
      if (bytes[next] === QUOTE) return this.#parse(bytes, at, next + 1);
      if (bytes[next] === BACKSLASH) next++;
    }
    return NO_VALUE;
  }

  #array(bytes: Buffer, at: number, end: number): number {
    let depth = 0;
    for (let next = at; next < end; next++) {
      const byte = bytes[next];
      if (byte === QUOTE) {
        const after = this.skip(bytes, next, end);
        if (after === NO_VALUE) return NO_VALUE;
        next = after - 1;
      } else if (byte === OPEN) depth++;
      else if (byte === CLOSE) {
        depth--;
        if (depth === 0) return this.#parse(bytes, at, next + 1);
      }
    }
    return NO_VALUE;
  }

  #parse(bytes: Buffer, at: number, end: number): number {
    try {
      this.value = JSON.parse(bytes.toString("utf8", at, end));
      return end;
    } catch {
      return NO_VALUE;
    }
  }

  #number(bytes: Buffer, at: number, isWanted: boolean): number {
    const isNegative = bytes[at] === MINUS;
    let next = isNegative ? at + 1 : at;
    const wholeFrom = next;
    let digits = 0;
    for (let byte = bytes[next] ?? 0; isDigit(byte); byte = bytes[++next] ?? 0) digits = digits * 10 + (byte - ZERO);
    if (next === wholeFrom || (bytes[wholeFrom] === ZERO && next > wholeFrom + 1)) return NO_VALUE;
    let decimals = 0;
    if (bytes[next] === DOT) {
      const from = ++next;
      for (let byte = bytes[next] ?? 0; isDigit(byte); byte = bytes[++next] ?? 0) digits = digits * 10 + (byte - ZERO);
      decimals = next - from;
      if (decimals === 0) return NO_VALUE;
    }
    const follows = bytes[next] ?? 0;
    const power = POWERS[decimals];
    if ((follows | 0x20) === 0x65) {
      const exponent = EXPONENT.exec(bytes.toString("latin1", next, next + MAX_EXPONENT_LENGTH))?.[0];
      // As long as that it may go on behind the part that was looked at.
      if (exponent === undefined || exponent.length === MAX_EXPONENT_LENGTH) return NO_VALUE;
      next += exponent.length;
      if (isWanted) this.value = Number(bytes.toString("latin1", at, next));
    } else if (!isWanted) return next;
    else if (digits <= Number.MAX_SAFE_INTEGER && power !== undefined) {
      // Both are exact, so that their quotient is rounded once, as the number that the text stands for.
      this.value = (isNegative ? -digits : digits) / power;
    } else this.value = Number(bytes.toString("latin1", at, next));
    return next;
  }

  #word(bytes: Buffer, at: number): number {
    if (startsWith(bytes, at, NULL)) return this.#found(null, at + NULL.length);
    if (startsWith(bytes, at, TRUE)) return this.#found(true, at + TRUE.length);
    if (startsWith(bytes, at, FALSE)) return this.#found(false, at + FALSE.length);
    return NO_VALUE;
  }

  #found(value: unknown, after: number): number {
    this.value = value;
    return after;
  }
}

/** Whether none of the four bytes ends a string, begins an escape, or is a control character (RFC 8259, section 7). */
function isPlain(word: number): boolean {
  const quotes = word ^ QUOTES;
  const backslashes = word ^ BACKSLASHES;
  // A byte borrows from its highest bit where it is 0, or below what is taken away.
  const marks =
    ((quotes - LOWEST_BITS) & ~quotes) | ((backslashes - LOWEST_BITS) & ~backslashes) | ((word - SPACES) & ~word);
  return (marks & HIGHEST_BITS) === 0;
}

function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** The text in the one copy that was met last: of names, units and times there are few in a list, however long it is. */
function sharedAscii(bytes: Buffer, view: DataView, from: number, to: number, hash: number): string {
  const length = to - from;
  if (length > MAX_SHARED_LENGTH) return bytes.toString("latin1", from, to);
  const slot = (hash ^ (hash >>> 15)) & (SHARED_SLOTS - 1);
  const known = sharedTexts[slot] ?? "";
  const place = slot * MAX_SHARED_LENGTH;
  if (known.length === length && areSame(view, from, sharedView, place, length)) return known;
  const text = bytes.toString("latin1", from, to);
  sharedTexts[slot] = text;
  bytes.copy(sharedBytes, place, from, to);
  return text;
}
