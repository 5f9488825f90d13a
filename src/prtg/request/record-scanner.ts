import { detach, enlarge } from "../../lib/buffers.ts";
import { MAX_DEPTH, MAX_RECORD_BYTES } from "../answer-bounds.ts";
import { BACKSLASH, CLOSE, CLOSE_OBJECT, COMMA, OPEN, OPEN_OBJECT, QUOTE } from "./json-bytes.ts";

/** Stands for a record that is too large or too deep. Decoders count it as unusable. */
const REFUSED = undefined;
const NONE = -1;

const SPACES: readonly number[] = [..." \t\r\n"].map((space) => space.charCodeAt(0));

/**
 * Finds the records of any JSON array byte by byte. Slower than a search for separators. Holds one piece and at most
 * one record, and skips records that are too large or too deep.
 */
export class RecordScanner {
  readonly #piece: number;
  readonly #text = new ArrivedBytes();
  /** The bracket or comma before the first unparsed record. NONE: outside of the list. */
  #from = NONE;
  /** The comma after the last complete record. */
  #comma = NONE;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #isContinued = false;
  /** Skips the current record. */
  #isPassingOver = false;
  #isOver = false;

  constructor(piece: number) {
    this.#piece = piece;
  }

  /**
   * Returns the records that these bytes complete.
   * @throws SyntaxError
   */
  take(chunk: Buffer): readonly unknown[] {
    const begin = this.#text.length;
    this.#text.append(chunk);
    const records: unknown[] = [];
    const { memory, length } = this.#text;
    for (let at = begin; at < length; at++) {
      const byte = memory[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (this.#depth === 0) this.#outside(byte, at);
      else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN || byte === OPEN_OBJECT) {
        this.#depth++;
        if (this.#depth > MAX_DEPTH + 1) this.#refuse(records);
      } else if (byte === CLOSE || byte === CLOSE_OBJECT) {
        this.#depth--;
        if (this.#depth === 0) this.#close(byte, at, records);
      } else if (byte === COMMA && this.#depth === 1) this.#separate(at, records);
    }
    if (this.#from !== NONE && length - Math.max(this.#from, this.#comma) > MAX_RECORD_BYTES) this.#refuse(records);
    this.#compact();
    return records;
  }

  end(): void {
    if (!this.#isOver) throw new SyntaxError("the list does not end");
  }

  #outside(byte: number | undefined, at: number): void {
    if (byte !== undefined && SPACES.includes(byte)) return;
    if (byte !== OPEN || this.#isOver) throw new SyntaxError("text outside of the list");
    this.#depth = 1;
    this.#from = at;
  }

  #separate(at: number, records: unknown[]): void {
    if (!this.#isPassingOver) {
      this.#comma = at;
      if (at - this.#from >= this.#piece) this.#flush(records);
      return;
    }
    records.push(REFUSED);
    this.#isPassingOver = false;
    this.#isContinued = true;
    this.#from = at;
  }

  #close(byte: number, at: number, records: unknown[]): void {
    if (byte !== CLOSE) throw new SyntaxError("the list ends with the wrong bracket");
    if (this.#isPassingOver) records.push(REFUSED);
    else {
      this.#comma = at;
      this.#flush(records);
    }
    this.#isPassingOver = false;
    this.#isOver = true;
    this.#from = NONE;
  }

  #refuse(records: unknown[]): void {
    if (this.#isPassingOver) return;
    this.#flush(records);
    this.#isPassingOver = true;
    this.#from = NONE;
  }

  #flush(records: unknown[]): void {
    if (this.#comma === NONE) return;
    const { memory } = this.#text;
    memory[this.#from] = OPEN;
    const isLast = memory[this.#comma] !== COMMA;
    memory[this.#comma] = CLOSE;
    const complete: readonly unknown[] = JSON.parse(memory.toString("utf8", this.#from, this.#comma + 1));
    // Only a whole list may be empty.
    if (complete.length === 0 && (this.#isContinued || !isLast)) throw new SyntaxError("a comma without a record");
    for (const record of complete) records.push(record);
    this.#isContinued = true;
    this.#from = this.#comma;
    this.#comma = NONE;
  }

  #compact(): void {
    const count = this.#from === NONE ? this.#text.length : this.#from;
    if (count === 0) return;
    this.#text.drop(count);
    if (this.#from !== NONE) this.#from = 0;
    if (this.#comma !== NONE) this.#comma -= count;
  }
}

export class ArrivedBytes {
  /** Has the bytes at its begin. Changes with each call. */
  memory = Buffer.allocUnsafeSlow(0);
  length = 0;
  readonly #smallest: number;

  /** @param smallest Initial size in bytes. */
  constructor(smallest = 0) {
    this.#smallest = smallest;
  }

  all(): Buffer {
    return this.memory.subarray(0, this.length);
  }

  append(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.memory.length) {
      this.memory = enlarge(this.memory, this.length, Math.max(length, 2 * this.memory.length, this.#smallest));
    }
    chunk.copy(this.memory, this.length);
    this.length = length;
  }

  /** Removes the first bytes. */
  drop(count: number): void {
    this.memory.copyWithin(0, count, this.length);
    this.length -= count;
  }

  /** Otherwise hundreds of small answers would start the garbage collector early. */
  free(): void {
    detach(this.memory);
    this.memory = Buffer.allocUnsafeSlow(0);
    this.length = 0;
  }
}
