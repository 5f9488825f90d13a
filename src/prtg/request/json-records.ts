import { MAX_ERROR_BYTES } from "../answer-bounds.ts";
import { ArrivedBytes } from "./arrived-bytes.ts";
import { BEGINNING, beginsList, listForm, startOf } from "./list-form.ts";
import { RecordScanner } from "./record-scanner.ts";
import { RecordTail } from "./record-tail.ts";

/** Bytes after which the records that are complete are parsed: about a millisecond's work. */
const PIECE = 96 * 1024;
/** After so many pieces without a separator the end of the record is searched byte by byte. */
const MAX_PIECES = 3;

/** Records at the beginning that are handed over if only the last ones are wanted: the header of a table and its first row. */
const FIRST = 2;

const OPEN = "[".charCodeAt(0);
const CLOSE = "]".charCodeAt(0);
const COMMA = ",".charCodeAt(0);

/** The text is JSON, but not an array. */
export class NotAList extends Error {
  /** `undefined` if the text was not read to its end. */
  readonly json: unknown;

  constructor(json: unknown) {
    super("the text is JSON, but no array");
    this.json = json;
  }
}

export interface JsonRecordsOptions {
  /** Receives each record. An error that it throws ends the reading. */
  readonly take: (record: unknown) => void;
  /**
   * Only the first records and at least so many of the last ones are wanted. LEFT_OUT then stands for the records between. If the
   * last records cannot be told apart, none follows it.
   */
  readonly last?: number | undefined;
  /** Bytes after which the records that are complete are parsed. */
  readonly piece?: number;
}

/**
 * Parses a JSON array in pieces while its text arrives. So neither the text of a large page nor its objects are in memory as a
 * whole, and other work does not wait until 3,000 records are parsed.
 *
 * A piece ends where a record seems to end and the next one to begin: `},{"id":` or `],["`. This text can also be part of a string.
 * That does no harm: if `[a]` and `[b]` are valid JSON, `[a,b]` is the array of both. If a piece is not valid JSON, or the list has
 * another form, a RecordScanner takes over and looks at each byte. If only the last records are wanted, a RecordTail keeps them.
 */
export class JsonRecords {
  /** Text that is not parsed yet, UTF-8. Once `#separator` is known, it begins with the bracket that opens the list. */
  readonly #text: ArrivedBytes;
  /** `undefined` until the beginning of the list has arrived. */
  #separator: Buffer | undefined;
  #scanner: RecordScanner | undefined;
  #tail: RecordTail | undefined;
  /** Why the reading has ended. */
  #failure: Error | undefined;
  readonly #take: (record: unknown) => void;
  #last: number | undefined;
  readonly #piece: number;
  /** Bytes to wait for before the next search. */
  #from = BEGINNING;

  constructor({ take, last, piece = PIECE }: JsonRecordsOptions) {
    this.#take = take;
    this.#last = last;
    this.#piece = piece;
    this.#text = new ArrivedBytes(last === undefined ? Math.min(2 * piece, PIECE) : 0);
  }

  /** The text cannot become a list any more. `end` says why. */
  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /** Hands over the records that these bytes complete. Returns whether there were any. */
  take(chunk: Buffer): boolean {
    if (this.#failure !== undefined) return false;
    if (this.#scanner !== undefined) return this.#scan(this.#scanner, chunk);
    if (this.#tail !== undefined) {
      this.#tail.take(chunk);
      return false;
    }
    this.#text.append(chunk);
    if (this.#text.length < this.#from) return false;
    this.#separator ??= this.#begin();
    if (this.#separator === undefined) return this.#takeUnlikeOthers();
    return this.#last === undefined ? this.#takeUntil(this.#separator) : this.#takeFirst(this.#separator, this.#last);
  }

  /**
   * Hands over the rest.
   * @throws SyntaxError, NotAList
   */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#scanner !== undefined) {
      this.#scanner.end();
      return;
    }
    if (this.#tail !== undefined) {
      this.#tail.end().forEach(this.#take);
      return;
    }
    const text = this.#text.all();
    const json: unknown = JSON.parse(text.toString("utf8", startOf(text)));
    this.#text.free();
    if (!Array.isArray(json)) throw new NotAList(json);
    json.forEach(this.#take);
  }

  /** Hands over the first records. A RecordTail takes the rest. */
  #takeFirst(separator: Buffer, last: number): boolean {
    const text = this.#text.all();
    let comma = 0;
    for (let count = 0; count < FIRST && comma >= 0; count++) comma = text.indexOf(separator, comma + 1);
    if (comma < 0) {
      this.#from = 2 * text.length;
      // Records are large or odd: then all are read.
      if (text.length >= this.#piece) this.#last = undefined;
      return false;
    }
    const isFound = this.#parseUntil(comma + 1);
    if (this.#scanner !== undefined) return isFound;
    this.#tail = new RecordTail(separator, last, this.#piece);
    this.#tail.take(this.#text.all());
    this.#text.free();
    return isFound;
  }

  #takeUntil(separator: Buffer): boolean {
    const text = this.#text.all();
    const end = this.#text.length < this.#piece ? -1 : text.lastIndexOf(separator);
    if (end >= 0) {
      this.#from = this.#piece;
      return this.#parseUntil(end + 1);
    }
    if (this.#text.length > MAX_PIECES * this.#piece) return this.#scanFromHere(0);
    // A large record is searched again after as much again, not at each step.
    this.#from = Math.max(this.#piece, 2 * this.#text.length);
    return false;
  }

  /** The text is a list of another form, or not a list. */
  #takeUnlikeOthers(): boolean {
    const text = this.#text.all();
    if (beginsList(text)) return this.#scanFromHere(startOf(text));
    // Small as it is, parsing tells whether it is JSON.
    if (this.#text.length > MAX_ERROR_BYTES) {
      this.#failure = new NotAList(undefined);
      this.#text.free();
    }
    return false;
  }

  #scanFromHere(start: number): boolean {
    this.#scanner = new RecordScanner(this.#piece);
    const isFound = this.#scan(this.#scanner, this.#text.all().subarray(start));
    this.#text.free();
    return isFound;
  }

  #scan(scanner: RecordScanner, chunk: Buffer): boolean {
    const records = this.#unlessBroken(() => scanner.take(chunk));
    records.forEach(this.#take);
    return records.length > 0;
  }

  #unlessBroken(read: () => readonly unknown[]): readonly unknown[] {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#failure = error;
      return [];
    }
  }

  #begin(): Buffer | undefined {
    const form = listForm(this.#text.all());
    if (form === undefined) return undefined;
    this.#text.drop(form.start);
    return form.separator;
  }

  /** Parses the text before the comma, which is a bracket for that moment. */
  #parseUntil(comma: number): boolean {
    this.#text.memory[comma] = CLOSE;
    let records: readonly unknown[];
    try {
      records = JSON.parse(this.#text.memory.toString("utf8", 0, comma + 1));
    } catch {
      this.#text.memory[comma] = COMMA;
      return this.#scanFromHere(0);
    }
    this.#text.memory[comma] = OPEN;
    this.#text.drop(comma);
    records.forEach(this.#take);
    return true;
  }
}
