import { MAX_RECORD_BYTES } from "../answer-bounds.ts";
import { ArrivedBytes } from "./arrived-bytes.ts";

/** Stands for the records between the first and the last ones of a list. JSON never gives it. */
export const LEFT_OUT = Symbol("records that were left out");

/** Separators that are kept in reserve, in case the expected one is part of a string. */
const SPARE = 8;

const NONE = -1;
const OPEN = "[".charCodeAt(0);
const COMMA = ",".charCodeAt(0);

/**
 * Keeps the last records of a list while its text arrives, and drops the text before them unread.
 *
 * The kept text begins at a separator, `],["`, which can be part of a record or a string. But if the whole text is JSON, and a
 * bracket with the text behind the comma is JSON too, then this text is the last records. Proof: if the comma were in a string, every
 * later quote would open a string in one reading and close it in the other, so one reading would end within a string. If the comma
 * were deeper in a record, the text would end with too many brackets. Otherwise earlier separators are tried.
 */
export class RecordTail {
  readonly #separator: Buffer;
  readonly #wanted: number;
  /** Begins with a bracket that opens a list. */
  readonly #text = new ArrivedBytes();
  /** Something was dropped. */
  #isCut = false;
  #isTooMuch = false;
  /** Length of the text from which on it is looked at. */
  #from: number;
  readonly #piece: number;

  /** `wanted`: records that are kept at least, where there are as many. `piece`: bytes from which on it is looked what can go. */
  constructor(separator: Buffer, wanted: number, piece: number) {
    this.#separator = separator;
    this.#wanted = wanted;
    this.#piece = piece;
    this.#from = piece;
  }

  /** The first chunk begins with a bracket that opens the list. */
  take(chunk: Buffer): void {
    if (this.#isTooMuch) return;
    const comma = commaBefore(chunk, this.#separator, this.#wanted + SPARE);
    if (comma === NONE) {
      this.#text.append(chunk);
      if (this.#text.length >= this.#from) this.#dropSome();
    } else {
      this.#drop(this.#text.length);
      this.#text.append(chunk.subarray(comma));
      this.#text.memory[0] = OPEN;
    }
  }

  /**
   * The last records, behind LEFT_OUT if there are others before them; that alone where they cannot be told.
   * @throws SyntaxError where nothing was dropped, and the text is no JSON
   */
  end(): readonly unknown[] {
    const records = this.#isTooMuch ? undefined : (this.#lastOnes() ?? this.#allKept());
    this.#text.free();
    return records ?? [LEFT_OUT];
  }

  #dropSome(): void {
    const comma = commaBefore(this.#text.all(), this.#separator, this.#wanted + SPARE);
    if (comma !== NONE) {
      this.#drop(comma);
      this.#text.memory[0] = OPEN;
    }
    this.#from = Math.max(this.#piece, 2 * this.#text.length);
    // No server sends rows that are so large.
    this.#isTooMuch = this.#text.length > MAX_RECORD_BYTES;
    if (this.#isTooMuch) this.#text.free();
  }

  #drop(count: number): void {
    this.#text.drop(count);
    this.#isCut = true;
  }

  /** Undefined where there are no more than are wanted, or no place to cut at is found. */
  #lastOnes(): readonly unknown[] | undefined {
    for (let more = 0; more < SPARE; more++) {
      const comma = commaBefore(this.#text.all(), this.#separator, this.#wanted + more);
      if (comma === NONE) return undefined;
      const records = this.#parseFrom(comma);
      if (records !== undefined) return records;
    }
    return undefined;
  }

  #allKept(): readonly unknown[] | undefined {
    return this.#isCut ? undefined : JSON.parse(this.#text.all().toString());
  }

  /** Undefined where that is no JSON, or has fewer records than are wanted. */
  #parseFrom(comma: number): readonly unknown[] | undefined {
    const text = this.#text.all().subarray(comma);
    text[0] = OPEN;
    try {
      const records: readonly unknown[] = JSON.parse(text.toString());
      if (records.length >= this.#wanted) return [LEFT_OUT, ...records];
    } catch {
      // Cut in the wrong place, or the text is broken: the caller tries another one.
    }
    text[0] = COMMA;
    return undefined;
  }
}

/** Where the comma is in the separator before the last `records`; NONE: there are not so many. */
function commaBefore(text: Buffer, separator: Buffer, records: number): number {
  let at = text.length;
  for (let count = 0; count < records; count++) {
    at = at === 0 ? NONE : text.lastIndexOf(separator, at - 1);
    if (at === NONE) return NONE;
  }
  return at + 1;
}
