import { codeUnitAt, FNV_PRIME } from "../../lib/text-units.ts";

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
const FIRST_BEYOND_ASCII = 0x80;
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

/**
 * Reads one value of JSON text in UTF-8 that is no object: a string, number, array, or `null`, `true`, `false`. It takes just
 * what `JSON.parse` takes, and gives the same; what it does not take for sure, it leaves to that.
 */
export class JsonValueReader {
  /** What was read last. */
  value: unknown;

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
    for (let next = at + 1; next < end; next++) {
      const byte = bytes[next] ?? 0;
      if (byte === QUOTE) return next + 1;
      if (byte === BACKSLASH) return this.#escaped(bytes, at, end);
      if (byte < SPACE) return NO_VALUE;
    }
    return NO_VALUE;
  }

  #string(bytes: Buffer, at: number, end: number): number {
    let hash = 0;
    let highest = 0;
    for (let next = at + 1; next < end; next++) {
      const byte = bytes[next] ?? 0;
      if (byte === QUOTE) {
        const text = highest < FIRST_BEYOND_ASCII ? sharedAscii(bytes, at + 1, next, hash) : undefined;
        this.value = text ?? bytes.toString("utf8", at + 1, next);
        return next + 1;
      }
      if (byte === BACKSLASH) return this.#escaped(bytes, at, end);
      if (byte < SPACE) return NO_VALUE;
      highest |= byte;
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

/**
 * The end of the string that begins at `at`, where it is this text, and ends before `end`; else NO_VALUE, as where it is written
 * in another way: with an escape, or beyond ASCII.
 */
export function endOfSameText(bytes: Buffer, at: number, end: number, text: string): number {
  const { length } = text;
  const close = at + 1 + length;
  if (close >= end || bytes[at] !== QUOTE || bytes[close] !== QUOTE) return NO_VALUE;
  for (let index = 0; index < length; index++) {
    const unit = codeUnitAt(text, index);
    if (bytes[at + 1 + index] !== unit || !standsForItself(unit)) return NO_VALUE;
  }
  return close + 1;
}

/** Whether the byte is this character in a string of JSON (RFC 8259, section 7). */
function standsForItself(byte: number): boolean {
  return byte >= SPACE && byte < FIRST_BEYOND_ASCII && byte !== QUOTE && byte !== BACKSLASH;
}

function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** The text in the one copy that was met last: of names, units and times there are few in a list, however long it is. */
function sharedAscii(bytes: Buffer, from: number, to: number, hash: number): string {
  if (to - from > MAX_SHARED_LENGTH) return bytes.toString("latin1", from, to);
  const slot = (hash ^ (hash >>> 15)) & (SHARED_SLOTS - 1);
  const known = sharedTexts[slot] ?? "";
  if (isAscii(bytes, from, to, known)) return known;
  const text = bytes.toString("latin1", from, to);
  sharedTexts[slot] = text;
  return text;
}

function isAscii(bytes: Buffer, from: number, to: number, text: string): boolean {
  if (text.length !== to - from) return false;
  for (let at = 0; at < text.length; at++) if (bytes[from + at] !== codeUnitAt(text, at)) return false;
  return true;
}
