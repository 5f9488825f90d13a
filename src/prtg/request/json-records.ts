import { MAX_ERROR_BYTES } from "../answer-bounds.ts";
import { ArrivedBytes } from "./arrived-bytes.ts";
import { BEGINNING, beginsList, listForm, startOf } from "./list-form.ts";
import { RecordScanner } from "./record-scanner.ts";
import { RecordTail } from "./record-tail.ts";

/** Bytes after which the records that are complete are parsed: about a millisecond's work. */
const PIECE = 96 * 1024;
/** Pieces without an end of a record in sight, after which it is looked for byte by byte. */
const MAX_PIECES = 3;

/** Records of the beginning that are handed over where most are left out: the header of a table and its first row, say. */
const FIRST = 2;

const OPEN = "[".charCodeAt(0);
const CLOSE = "]".charCodeAt(0);
const COMMA = ",".charCodeAt(0);

/** The text is JSON, but no array. */
export class NotAList extends Error {
  /** Undefined where it was not read to its end. */
  readonly json: unknown;

  constructor(json: unknown) {
    super("the text is JSON, but no array");
    this.json = json;
  }
}

export interface JsonRecordsOptions {
  /** Given each record. What it throws ends the reading. */
  readonly take: (record: unknown) => void;
  /**
   * Of a long list only its first records are wanted, and at least so many of the last: those between may be left out, and
   * LEFT_OUT is taken in place of them; with none behind it where the last ones cannot be told.
   */
  readonly last?: number | undefined;
  /** Bytes after which the records that are complete are parsed. */
  readonly piece?: number;
}

/**
 * Parses a JSON array while its text arrives, so that neither the text of a large page nor its objects are there as a
 * whole, and nothing else has to wait until 3,000 records are parsed.
 *
 * The text is cut where a record seems to end and the next to begin, `},{"id":` or `],["`. That may be within a record or a
 * string, yet it cannot mislead: if both `[a]` and `[b]` are valid JSON, `[a,b]` is the one array of what they hold. A
 * piece that is not valid was cut in the wrong place, or the text is broken: from there on, as from the beginning where
 * that is another one, records are looked for byte by byte. So is a record whose end does not come: see RecordScanner.
 *
 * Where only the last records are wanted, RecordTail has all behind the first ones.
 */
export class JsonRecords {
  /** What is not parsed yet, UTF-8; once `#separator` is known it begins with the bracket that opens the list. */
  readonly #text: ArrivedBytes;
  /** Undefined while the beginning is not known. */
  #separator: Buffer | undefined;
  #scanner: RecordScanner | undefined;
  #tail: RecordTail | undefined;
  /** Why no more is read. */
  #failure: Error | undefined;
  readonly #take: (record: unknown) => void;
  #last: number | undefined;
  readonly #piece: number;
  /** Length of the text from which on it is looked at. */
  #from = BEGINNING;

  constructor({ take, last, piece = PIECE }: JsonRecordsOptions) {
    this.#take = take;
    this.#last = last;
    this.#piece = piece;
    this.#text = new ArrivedBytes(last === undefined ? Math.min(2 * piece, PIECE) : 0);
  }

  /** What comes cannot make this a list any more; `end` says why. */
  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /** Hands over the records that these bytes complete. Returns whether there were some: there are none, mostly. */
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

  /** The first records, once they are there; what follows them is left to a RecordTail. */
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

  /** A list of another form, or none at all. */
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

  /** All before the comma at `comma`, which is a bracket for the time being. */
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
