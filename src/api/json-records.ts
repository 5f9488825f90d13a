/** Bytes after which the records that are complete are parsed: about a millisecond's work. */
const PIECE = 96 * 1024;

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
export class NotAList extends Error {}

/**
 * Parses a JSON array while its text arrives, so that neither the text of a large page nor its objects are there as a
 * whole, and nobody waits for 3,000 records to be parsed at once.
 *
 * The text is cut where a record seems to end and the next to begin, `},{"id":`. That may be within a record or a
 * string, yet it cannot mislead: if both `[a]` and `[b]` are valid JSON, `[a,b]` is the one array of what they hold. A
 * piece that is not valid was cut in the wrong place, or the text is broken: from there on all is parsed as a whole.
 */
export class JsonRecords {
  /** What is not parsed yet, UTF-8; once `#separator` is known it begins with the bracket that opens the list. */
  #bytes = Buffer.allocUnsafeSlow(0);
  #length = 0;
  /** Undefined: the beginning is not known yet, or the list is parsed as a whole. */
  #separator: Buffer | undefined;
  #isWhole = false;
  readonly #piece: number;
  /** Length of the text from which on it is looked at. */
  #from = BEGINNING;

  /** `piece`: bytes after which the records that are complete are parsed. */
  constructor(piece = PIECE) {
    this.#piece = piece;
  }

  /** The records that these bytes complete: none, mostly. */
  take(chunk: Buffer): readonly unknown[] {
    this.#append(chunk);
    if (this.#isWhole || this.#length < this.#from) return NOTHING;
    this.#separator ??= this.#begin();
    if (this.#separator === undefined) return NOTHING;
    const text = this.#bytes.subarray(0, this.#length);
    const end = this.#length < this.#piece ? -1 : text.lastIndexOf(this.#separator);
    // A large record is searched again after as much again, not at each step.
    this.#from = end < 0 ? Math.max(this.#piece, 2 * this.#length) : this.#piece;
    return end < 0 ? NOTHING : this.#parseUntil(end + 1);
  }

  /**
   * The rest.
   * @throws SyntaxError, NotAList
   */
  end(): readonly unknown[] {
    const json: unknown = JSON.parse(this.#bytes.toString("utf8", this.#markLength(), this.#length));
    this.#bytes = Buffer.allocUnsafeSlow(0);
    this.#length = 0;
    if (!Array.isArray(json)) throw new NotAList("the text is JSON, but no array");
    return json;
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
    if (opening === undefined || member === undefined) {
      this.#isWhole = true;
      return undefined;
    }
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
      this.#isWhole = true;
      return NOTHING;
    }
  }

  #drop(count: number): void {
    this.#bytes.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  #markLength(): number {
    const { length } = BYTE_ORDER_MARK;
    const isMarked = this.#length >= length && this.#bytes.subarray(0, length).equals(BYTE_ORDER_MARK);
    return isMarked ? length : 0;
  }
}
