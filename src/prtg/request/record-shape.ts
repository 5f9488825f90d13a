import { ByteView } from "./byte-view.ts";
import { JsonValueReader, NO_VALUE } from "./json-value.ts";
import { areSame } from "./same-bytes.ts";

/** The bytes are no record of this shape. */
export const NO_MATCH = -1;

const OPEN_OBJECT = "{".charCodeAt(0);
const CLOSE_OBJECT = "}".charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const COLON = ":".charCodeAt(0);
const COMMA = ",".charCodeAt(0);
/** Objects within each other, beyond which a record has no shape. */
const MAX_LEVELS = 8;
const UNSUITABLE: readonly string[] = ["__proto__"];
/** Of a string, with its quotes, that is kept as it was written. */
const MAX_KEPT = 64;

type Members = Record<string, unknown>;

/** A place in a record at which values differ from record to record. */
interface Place {
  /** Where the text before it ends, in the text of all. */
  readonly textEnd: number;
  /** Where the value goes; undefined where it is passed over. */
  readonly target: Members | undefined;
  readonly member: string;
  /** The value that is there. */
  last: unknown;
  /** Bytes of the text that it was read from, where it is a string that is to be met again; else 0. */
  lastLength: number;
}

/**
 * How a record is written: the text between its values, `{"id":` and `,"name":`. The records of a list are written alike, so
 * that one after the other is read by comparing that text and taking the values in between: `JSON.parse` would make all the
 * objects and names of members anew for each, which takes several times as long, and the garbage collector as long again.
 *
 * A record that differs in anything but values (a member more, another order, a space) is none of this shape. One that is
 * has been checked byte by byte, and so is valid JSON that `JSON.parse` would read as the same.
 */
export class RecordShape {
  /** The record read last, without what is ignored: the same object each time, with other values. */
  readonly record: Members;
  readonly #text: Buffer;
  /** The same text. */
  readonly #words: DataView;
  readonly #view = new ByteView();
  readonly #places: readonly Place[];
  /** The strings that were read last, as they were written, of each place at its own. */
  readonly #lastTexts: Buffer;
  readonly #lastView: DataView;
  readonly #values = new JsonValueReader();

  private constructor(record: Members, text: Buffer, places: readonly Place[]) {
    this.record = record;
    this.#text = text;
    this.#words = new DataView(text.buffer, text.byteOffset, text.byteLength);
    this.#places = places;
    this.#lastTexts = Buffer.allocUnsafeSlow(places.length * MAX_KEPT);
    this.#lastView = new DataView(this.#lastTexts.buffer);
  }

  /**
   * The shape of the record from `start` to `end`, which is valid JSON. `ignored`: members that nobody asks for, as paths
   * (`basic.name`). Undefined where it is no compact object.
   */
  static of(bytes: Buffer, start: number, end: number, ignored: ReadonlySet<string>): RecordShape | undefined {
    const learner = new Learner(bytes, start, end, ignored);
    const record = learner.object("", 0, true);
    if (record === undefined || learner.at !== end) return undefined;
    const { text, places } = learner.finish();
    return new RecordShape(record, text, places);
  }

  /** The end of the record that begins at `start` and ends before `end`, which is `record` then; else NO_MATCH. */
  read(bytes: Buffer, start: number, end: number): number {
    const text = this.#text;
    const values = this.#values;
    const view = this.#view.of(bytes);
    const words = this.#words;
    const lastView = this.#lastView;
    const places = this.#places;
    let at = start;
    let textAt = 0;
    for (let index = 0; index < places.length; index++) {
      const place = places[index];
      if (place === undefined) return NO_MATCH;
      const { textEnd, target, lastLength } = place;
      const length = textEnd - textAt;
      if (at + length > end || !areSame(view, at, words, textAt, length)) return NO_MATCH;
      at += length;
      textAt = textEnd;
      if (target === undefined) {
        at = values.skip(bytes, at, end);
        if (at === NO_VALUE) return NO_MATCH;
        continue;
      }
      // Of one sensor, texts are the same from one channel to the next, mostly.
      if (lastLength > 0 && at + lastLength <= end && areSame(view, at, lastView, index * MAX_KEPT, lastLength)) {
        at += lastLength;
        continue;
      }
      const after = values.read(bytes, at, end);
      if (after === NO_VALUE) return NO_MATCH;
      const { value } = values;
      if (Object.is(value, place.last)) {
        if (bytes[at] === QUOTE && after - at <= MAX_KEPT) {
          place.lastLength = after - at;
          bytes.copy(this.#lastTexts, index * MAX_KEPT, at, after);
        }
      } else {
        // A store by a name that is not known beforehand takes as long as to read a short text.
        target[place.member] = value;
        place.last = value;
        place.lastLength = 0;
      }
      at = after;
    }
    for (; textAt < text.length; textAt++, at++) if (bytes[at] !== text[textAt]) return NO_MATCH;
    return at > end ? NO_MATCH : at;
  }
}

/** Goes through a record once and notes where its values are. */
class Learner {
  at: number;
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #ignored: ReadonlySet<string>;
  readonly #values = new JsonValueReader();
  readonly #texts: Buffer[] = [];
  readonly #places: Place[] = [];
  #textFrom: number;
  #textLength = 0;

  constructor(bytes: Buffer, start: number, end: number, ignored: ReadonlySet<string>) {
    this.at = start;
    this.#textFrom = start;
    this.#bytes = bytes;
    this.#end = end;
    this.#ignored = ignored;
  }

  /** The object that begins here, with the members that are not ignored; undefined where it is unsuitable. */
  object(path: string, level: number, isWanted: boolean): Members | undefined {
    if (level === MAX_LEVELS || !this.#take(OPEN_OBJECT)) return undefined;
    const members: Members = {};
    const names = new Set<string>();
    if (this.#take(CLOSE_OBJECT)) return members;
    do {
      const name = this.#name();
      // Of two members of the same name the last one counts.
      if (name === undefined || names.has(name) || UNSUITABLE.includes(name)) return undefined;
      names.add(name);
      const isTaken = isWanted && !this.#ignored.has(path + name);
      if (this.#bytes[this.at] === OPEN_OBJECT) {
        const inner = this.object(`${path}${name}.`, level + 1, isTaken);
        if (inner === undefined) return undefined;
        if (isTaken) members[name] = inner;
      } else if (!this.#value(isTaken ? members : undefined, name)) return undefined;
    } while (this.#take(COMMA));
    return this.#take(CLOSE_OBJECT) ? members : undefined;
  }

  finish(): { readonly text: Buffer; readonly places: readonly Place[] } {
    this.#endText();
    const text = Buffer.concat(this.#texts);
    // Of its own: a shape stays, and would keep the whole block of which Node.js cuts small buffers.
    const kept = Buffer.allocUnsafeSlow(text.length);
    text.copy(kept);
    return { text: kept, places: this.#places };
  }

  #value(target: Members | undefined, member: string): boolean {
    this.#endText();
    const after = this.#values.read(this.#bytes, this.at, this.#end);
    if (after === NO_VALUE) return false;
    const { value } = this.#values;
    this.#places.push({ textEnd: this.#textLength, target, member, last: value, lastLength: 0 });
    if (target !== undefined) target[member] = value;
    this.at = after;
    this.#textFrom = after;
    return true;
  }

  #name(): string | undefined {
    if (this.#bytes[this.at] !== QUOTE) return undefined;
    const after = this.#values.read(this.#bytes, this.at, this.#end);
    if (after === NO_VALUE) return undefined;
    this.at = after;
    const { value } = this.#values;
    return this.#take(COLON) && typeof value === "string" ? value : undefined;
  }

  #take(byte: number): boolean {
    if (this.#bytes[this.at] !== byte) return false;
    this.at++;
    return true;
  }

  #endText(): void {
    // A copy, as the bytes are written over.
    this.#texts.push(Buffer.from(this.#bytes.subarray(this.#textFrom, this.at)));
    this.#textLength += this.at - this.#textFrom;
    this.#textFrom = this.at;
  }
}
