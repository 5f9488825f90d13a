import { MAX_ERROR_BYTES } from "../answer-bounds.ts";
import { RecordScanner } from "./record-scanner.ts";

/** Bytes after which the records that are complete are parsed: about a millisecond's work. */
const PIECE = 96 * 1024;
/** Pieces without an end of a record in sight, after which it is looked for byte by byte. */
const MAX_PIECES = 3;

/** How any list begins. */
const LIST = /^[ \t\r\n]*\[/;
/** How compact JSON begins a list of objects, up to the first member: `[{"id":`. */
const LIST_OF_OBJECTS = /^[ \t\r\n]*\[(\{"[^"\\\u0080-\uffff]{1,64}":)/;
/** Enough to see that beginning. */
const BEGINNING = 256;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");
const OPEN = "[".charCodeAt(0);
const CLOSE = "]".charCodeAt(0);
const COMMA = ",".charCodeAt(0);
const NOTHING: readonly unknown[] = [];

/** The text is JSON, but no array. */
export class NotAList extends Error {
  /** Undefined where it was not read to its end. */
  readonly json: unknown;

  constructor(json: unknown) {
    super("the text is JSON, but no array");
    this.json = json;
  }
}

/**
 * Parses a JSON array while its text arrives, so that neither the text of a large page nor its objects are there as a
 * whole, and nothing else has to wait until 3,000 records are parsed.
 *
 * The text is cut where a record seems to end and the next to begin, `},{"id":`. That may be within a record or a
 * string, yet it cannot mislead: if both `[a]` and `[b]` are valid JSON, `[a,b]` is the one array of what they hold. A
 * piece that is not valid was cut in the wrong place, or the text is broken: from there on, as from the beginning where
 * that is another one, records are looked for byte by byte. So is a record whose end does not come: see RecordScanner.
 */
export class JsonRecords {
  /** What is not parsed yet, UTF-8; once `#separator` is known it begins with the bracket that opens the list. */
  #bytes = Buffer.allocUnsafeSlow(0);
  #length = 0;
  /** Undefined while the beginning is not known. */
  #separator: Buffer | undefined;
  #scanner: RecordScanner | undefined;
  /** Why no more is read. */
  #failure: Error | undefined;
  readonly #piece: number;
  /** Length of the text from which on it is looked at. */
  #from = BEGINNING;

  /** `piece`: bytes after which the records that are complete are parsed. */
  constructor(piece = PIECE) {
    this.#piece = piece;
  }

  /** What comes cannot make this a list any more; `end` says why. */
  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /** The records that these bytes complete: none, mostly. */
  take(chunk: Buffer): readonly unknown[] {
    if (this.#failure !== undefined) return NOTHING;
    if (this.#scanner !== undefined) return this.#scan(this.#scanner, chunk);
    this.#append(chunk);
    if (this.#length < this.#from) return NOTHING;
    this.#separator ??= this.#begin();
    return this.#separator === undefined ? this.#takeUnlikeOthers() : this.#takeUntil(this.#separator);
  }

  /**
   * The rest.
   * @throws SyntaxError, NotAList
   */
  end(): readonly unknown[] {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#scanner !== undefined) {
      this.#scanner.end();
      return NOTHING;
    }
    const json: unknown = JSON.parse(this.#bytes.toString("utf8", this.#markLength(), this.#length));
    this.#free();
    if (!Array.isArray(json)) throw new NotAList(json);
    return json;
  }

  #takeUntil(separator: Buffer): readonly unknown[] {
    const text = this.#bytes.subarray(0, this.#length);
    const end = this.#length < this.#piece ? -1 : text.lastIndexOf(separator);
    if (end >= 0) {
      this.#from = this.#piece;
      return this.#parseUntil(end + 1);
    }
    if (this.#length > MAX_PIECES * this.#piece) return this.#scanFromHere(0);
    // A large record is searched again after as much again, not at each step.
    this.#from = Math.max(this.#piece, 2 * this.#length);
    return NOTHING;
  }

  /** A list of another form, or none at all. */
  #takeUnlikeOthers(): readonly unknown[] {
    const mark = this.#markLength();
    if (LIST.test(this.#bytes.toString("latin1", mark, mark + BEGINNING))) return this.#scanFromHere(mark);
    // Small as it is, parsing tells whether it is JSON.
    if (this.#length > MAX_ERROR_BYTES) {
      this.#failure = new NotAList(undefined);
      this.#free();
    }
    return NOTHING;
  }

  #scanFromHere(start: number): readonly unknown[] {
    this.#scanner = new RecordScanner(this.#piece);
    const rest = this.#bytes.subarray(start, this.#length);
    this.#free();
    return this.#scan(this.#scanner, rest);
  }

  #scan(scanner: RecordScanner, chunk: Buffer): readonly unknown[] {
    try {
      return scanner.take(chunk);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#failure = error;
      return NOTHING;
    }
  }

  #append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length, Math.min(2 * this.#piece, PIECE)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  #begin(): Buffer | undefined {
    const mark = this.#markLength();
    const [opening, member] =
      LIST_OF_OBJECTS.exec(this.#bytes.toString("latin1", mark, Math.min(mark + BEGINNING, this.#length))) ?? [];
    if (opening === undefined || member === undefined) return undefined;
    this.#drop(mark + opening.length - member.length - 1);
    return Buffer.from(`},${member}`);
  }

  /** All before the comma at `end`, which is a bracket for the time being. */
  #parseUntil(end: number): readonly unknown[] {
    this.#bytes[end] = CLOSE;
    try {
      const records: readonly unknown[] = JSON.parse(this.#bytes.toString("utf8", 0, end + 1));
      this.#bytes[end] = OPEN;
      this.#drop(end);
      return records;
    } catch {
      this.#bytes[end] = COMMA;
      return this.#scanFromHere(0);
    }
  }

  #drop(count: number): void {
    this.#bytes.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  #free(): void {
    this.#bytes = Buffer.allocUnsafeSlow(0);
    this.#length = 0;
  }

  #markLength(): number {
    const { length } = BYTE_ORDER_MARK;
    const isMarked = this.#length >= length && this.#bytes.subarray(0, length).equals(BYTE_ORDER_MARK);
    return isMarked ? length : 0;
  }
}
