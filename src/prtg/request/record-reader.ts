import { mapEntry } from "../../lib/map-entry.ts";
import { MAX_DEPTH } from "../answer-bounds.ts";
import type { Members } from "../decode/values.ts";
import { BACKSLASH, CLOSE, CLOSE_OBJECT, COLON, COMMA, OPEN, OPEN_OBJECT, QUOTE } from "./json-bytes.ts";

const SPACE = " ".charCodeAt(0);
const MINUS = "-".charCodeAt(0);
const POINT = ".".charCodeAt(0);
const [ZERO, NINE] = ["0".charCodeAt(0), "9".charCodeAt(0)];
const EXPONENT: readonly (number | undefined)[] = [..."eE"].map((letter) => letter.charCodeAt(0));
const SIGNS: readonly (number | undefined)[] = [..."+-"].map((sign) => sign.charCodeAt(0));
const LITERALS = ["null", "true", "false"].map((literal) => new Uint8Array(Buffer.from(literal)));
/** ASCII that stands for itself in a string. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= SPACE && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH),
);

/** `JSON.parse` decides. */
class Unusual extends Error {}
const UNUSUAL = new Unusual();

/**
 * Reads only the members that a decoder needs: a fifth of the text of a channel list. `JSON.parse` makes objects of
 * everything, and takes 1.4 times as long. Records of a list are alike, so that each member is expected where it was in
 * the last record, with the same value.
 */
export class RecordReader {
  readonly #level: Level;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Of the last string: ASCII without escapes. */
  #isPlain = false;

  constructor(members: Members) {
    this.#level = new Level(members);
  }

  /**
   * Reads a list of objects in compact JSON. Records lack the members that were not asked for. `undefined` for other
   * JSON, and if the text is not JSON.
   */
  read(bytes: Buffer): readonly unknown[] | undefined {
    this.#bytes = bytes;
    this.#at = 0;
    this.#level.forget();
    try {
      const records = this.#list();
      return this.#at === bytes.length ? records : undefined;
    } catch (error) {
      if (error instanceof Unusual || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #list(): readonly unknown[] {
    const records: unknown[] = [];
    this.#expect(OPEN);
    do records.push(this.#object(this.#level));
    while (this.#isNext(COMMA));
    this.#expect(CLOSE);
    return records;
  }

  #object(level: Level): object {
    const found: Record<string, unknown> = {};
    this.#expect(OPEN_OBJECT);
    if (this.#isNext(CLOSE_OBJECT)) return found;
    let before: Place = level;
    do {
      const member = this.#member(level, before);
      if (member.isWanted) found[member.name] = this.#value(member);
      else this.#skip(1);
      before = member;
    } while (this.#isNext(COMMA));
    this.#expect(CLOSE_OBJECT);
    return found;
  }

  /** Reads the name of a member. */
  #member(level: Level, before: Place): Member {
    const { next } = before;
    if (next !== undefined && this.#isAt(next.text)) {
      this.#at += next.text.length;
      return next;
    }
    const start = this.#at;
    this.#skipName();
    const member = level.member(this.#bytes.toString("latin1", start + 1, this.#at - 2));
    before.next = member;
    return member;
  }

  #isAt(text: Uint8Array): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
    return true;
  }

  #value(member: Member): unknown {
    const bytes = this.#bytes;
    const start = this.#at;
    const first = bytes[start] ?? 0;
    if (first === OPEN_OBJECT && member.level !== undefined) return this.#object(member.level);
    if (this.#isLast(member)) return member.last;
    this.#skip(1);
    member.lastStart = start;
    member.lastEnd = this.#at;
    if (first === QUOTE && this.#isPlain) member.last = bytes.toString("latin1", start + 1, this.#at - 1);
    else if (beginsNumber(first)) member.last = Number(bytes.toString("latin1", start, this.#at));
    else member.last = this.#parse(start);
    return member.last;
  }

  /** Records of one sensor follow each other, and share most values. */
  #isLast({ lastStart, lastEnd }: Member): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    const length = lastEnd - lastStart;
    if (length === 0) return false;
    // Including the byte behind: 1 begins 12.
    for (let index = 0; index <= length; index++) {
      if (bytes[lastStart + index] !== bytes[start + index]) return false;
    }
    this.#at = start + length;
    return true;
  }

  #parse(start: number): unknown {
    return JSON.parse(this.#bytes.toString("utf8", start, this.#at));
  }

  #skip(depth: number): void {
    const first = this.#bytes[this.#at] ?? 0;
    switch (first) {
      case QUOTE:
        this.#skipString();
        break;
      case OPEN:
        this.#skipArray(depth);
        break;
      case OPEN_OBJECT:
        this.#skipObject(depth);
        break;
      default:
        if (beginsNumber(first)) this.#skipNumber();
        else this.#skipLiteral();
    }
  }

  #skipObject(depth: number): void {
    if (depth > MAX_DEPTH) throw UNUSUAL;
    this.#at++;
    if (this.#isNext(CLOSE_OBJECT)) return;
    do {
      this.#skipName();
      this.#skip(depth + 1);
    } while (this.#isNext(COMMA));
    this.#expect(CLOSE_OBJECT);
  }

  #skipArray(depth: number): void {
    if (depth > MAX_DEPTH) throw UNUSUAL;
    this.#at++;
    if (this.#isNext(CLOSE)) return;
    do this.#skip(depth + 1);
    while (this.#isNext(COMMA));
    this.#expect(CLOSE);
  }

  #skipName(): void {
    this.#skipString();
    // With escapes it can be a member that a decoder needs.
    if (!this.#isPlain) throw UNUSUAL;
    this.#expect(COLON);
  }

  #skipString(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    this.#expect(QUOTE);
    let at = start + 1;
    while (IS_PLAIN[bytes[at] ?? 0] === 1) at++;
    if (bytes[at] === QUOTE) {
      this.#at = at + 1;
      this.#isPlain = true;
    } else this.#skipOtherString(start, at);
  }

  #skipOtherString(start: number, from: number): void {
    const bytes = this.#bytes;
    let at = from;
    let hasEscapes = false;
    for (; bytes[at] !== QUOTE; at++) {
      const byte = bytes[at] ?? 0;
      if (byte < SPACE) throw UNUSUAL;
      if (byte !== BACKSLASH) continue;
      hasEscapes = true;
      at++;
    }
    this.#at = at + 1;
    this.#isPlain = false;
    // Checks them.
    if (hasEscapes) this.#parse(start);
  }

  #skipNumber(): void {
    this.#isNext(MINUS);
    if (!this.#isNext(ZERO)) this.#skipDigits();
    if (this.#isNext(POINT)) this.#skipDigits();
    if (!EXPONENT.includes(this.#bytes[this.#at])) return;
    this.#at++;
    if (SIGNS.includes(this.#bytes[this.#at])) this.#at++;
    this.#skipDigits();
  }

  #skipDigits(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (isDigit(bytes[at] ?? 0)) at++;
    if (at === this.#at) throw UNUSUAL;
    this.#at = at;
  }

  #skipLiteral(): void {
    for (const literal of LITERALS) {
      if (!this.#isAt(literal)) continue;
      this.#at += literal.length;
      return;
    }
    throw UNUSUAL;
  }

  #isNext(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  #expect(byte: number): void {
    if (!this.#isNext(byte)) throw UNUSUAL;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function beginsNumber(byte: number): boolean {
  return byte === MINUS || isDigit(byte);
}

/** A server could send any number. */
const MAX_NAMES = 1_000;

interface Place {
  /** The member that followed in the last record. */
  next: Member | undefined;
}

/** Of nested objects. */
class Level implements Place {
  next: Member | undefined;
  readonly #wanted: Members;
  readonly #members = new Map<string, Member>();

  constructor(wanted: Members) {
    this.#wanted = wanted;
  }

  member(name: string): Member {
    if (this.#members.size >= MAX_NAMES) throw UNUSUAL;
    const below = Object.hasOwn(this.#wanted, name) ? this.#wanted[name] : undefined;
    return mapEntry(this.#members, name, () => new Member(name, below));
  }

  forget(): void {
    for (const member of this.#members.values()) {
      member.lastEnd = member.lastStart;
      member.level?.forget();
    }
  }
}

class Member implements Place {
  readonly name: string;
  readonly isWanted: boolean;
  /** With quotes and colon. */
  readonly text: Uint8Array;
  readonly level: Level | undefined;
  next: Member | undefined;
  /** The last value, and where its text is. Empty: none. */
  last: unknown;
  lastStart = 0;
  lastEnd = 0;

  constructor(name: string, members: Members | true | undefined) {
    this.name = name;
    this.isWanted = members !== undefined;
    this.text = new Uint8Array(Buffer.from(`"${name}":`));
    this.level = typeof members === "object" ? new Level(members) : undefined;
  }
}
