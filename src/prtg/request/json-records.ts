import { MAX_ERROR_BYTES } from "../answer-bounds.ts";
import type { Members } from "../decode/values.ts";
import { CLOSE, COMMA, OPEN } from "./json-bytes.ts";
import { RecordReader } from "./record-reader.ts";
import { ArrivedBytes, RecordScanner } from "./record-scanner.ts";

/** Bytes after which complete records are parsed: about a millisecond of work. */
const PIECE = 96 * 1024;
/** After so many pieces without a separator a RecordScanner searches for the end of the record. */
const MAX_PIECES = 3;

/** The text is JSON, but not an array. */
export class NotAList extends Error {
  /** `undefined` if the text was not read to its end. */
  readonly json: unknown;

  constructor(json: unknown) {
    super("the text is JSON, but not an array");
    this.json = json;
  }
}

/**
 * Parses a JSON array in pieces while it arrives, so that memory holds neither the whole text nor all objects, and
 * other work does not wait for 3,000 records. A piece ends where a record seems to end, at `},{"id":` or `],["`. This
 * can also be inside a string, which is harmless: if `[a]` and `[b]` are valid JSON, `[a,b]` is the array of both. If a
 * piece is invalid, or the list has another form, a RecordScanner reads each byte.
 */
export class JsonRecords {
  /** Text that is not parsed yet, UTF-8. Once `#separator` is known, it begins with the bracket that opens the list. */
  readonly #text: ArrivedBytes;
  #separator: Buffer | undefined;
  #scanner: RecordScanner | undefined;
  #failure: Error | undefined;
  readonly #take: (record: unknown) => void;
  readonly #piece: number;
  readonly #reader: RecordReader | undefined;
  #from = BEGINNING;

  /**
   * @param take Receives each record. An error that it throws ends the reading.
   * @param members Records can lack others. Default: all.
   */
  constructor(
    take: (record: unknown) => void,
    { piece = PIECE, members }: { readonly piece?: number; readonly members?: Members | undefined } = {},
  ) {
    this.#take = take;
    this.#reader = members && new RecordReader(members);
    this.#piece = piece;
    this.#text = new ArrivedBytes(Math.min(2 * piece, PIECE));
  }

  /** The text cannot become a list any more. `end` says why. */
  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /** Hands over the records that these bytes complete. Returns whether there were any. */
  take(chunk: Buffer): boolean {
    if (this.#failure !== undefined) return false;
    if (this.#scanner !== undefined) return this.#scan(this.#scanner, chunk);
    this.#text.append(chunk);
    if (this.#text.length < this.#from) return false;
    this.#separator ??= this.#findSeparator();
    return this.#separator === undefined ? this.#takeOtherForm() : this.#takePiece(this.#separator);
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
    const text = this.#text.all();
    const list = text.subarray(startOf(text));
    const json: unknown = this.#reader?.read(list) ?? JSON.parse(list.toString("utf8"));
    this.#text.free();
    if (!Array.isArray(json)) throw new NotAList(json);
    json.forEach(this.#take);
  }

  #takePiece(separator: Buffer): boolean {
    const text = this.#text.all();
    const end = text.length < this.#piece ? -1 : text.lastIndexOf(separator);
    if (end >= 0) {
      this.#from = this.#piece;
      return this.#parseTo(end + 1);
    }
    if (text.length > MAX_PIECES * this.#piece) return this.#scanFrom(0);
    // Searches a large record again only when it has doubled.
    this.#from = Math.max(this.#piece, 2 * text.length);
    return false;
  }

  /** The text is a list of another form, or not a list. */
  #takeOtherForm(): boolean {
    const text = this.#text.all();
    const start = startOf(text);
    if (LIST.test(text.toString("latin1", start, start + BEGINNING))) return this.#scanFrom(start);
    // `end` parses a small text to see whether it is JSON.
    if (text.length > MAX_ERROR_BYTES) {
      this.#failure = new NotAList(undefined);
      this.#text.free();
    }
    return false;
  }

  #scanFrom(start: number): boolean {
    this.#scanner = new RecordScanner(this.#piece);
    const isFound = this.#scan(this.#scanner, this.#text.all().subarray(start));
    this.#text.free();
    return isFound;
  }

  #scan(scanner: RecordScanner, chunk: Buffer): boolean {
    let records: readonly unknown[];
    try {
      records = scanner.take(chunk);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#failure = error;
      return false;
    }
    records.forEach(this.#take);
    return records.length > 0;
  }

  /** The text between two records; `undefined` if the list does not begin as compact JSON does. */
  #findSeparator(): Buffer | undefined {
    const text = this.#text.all();
    const start = startOf(text);
    const [opening, record] = KNOWN.exec(text.toString("latin1", start, start + BEGINNING)) ?? [];
    if (opening === undefined || record === undefined) return undefined;
    this.#text.drop(start + opening.length - record.length - 1);
    return Buffer.from(`${record.startsWith("{") ? "}" : "]"},${record}`);
  }

  /** Parses the text before the comma, which is a bracket for that moment. */
  #parseTo(comma: number): boolean {
    this.#text.memory[comma] = CLOSE;
    let records: readonly unknown[];
    try {
      const piece = this.#text.memory.subarray(0, comma + 1);
      records = this.#reader?.read(piece) ?? JSON.parse(piece.toString("utf8"));
    } catch {
      this.#text.memory[comma] = COMMA;
      return this.#scanFrom(0);
    }
    this.#text.memory[comma] = OPEN;
    this.#text.drop(comma);
    records.forEach(this.#take);
    return true;
  }
}

const BEGINNING = 256;
const LIST = /^[ \t\r\n]*\[/;
/** Compact JSON: a list of objects up to the first member, `[{"id":`, or a list of rows, `[["`. */
const KNOWN = /^[ \t\r\n]*\[(\{"[^"\\\u0080-\uffff]{1,64}":|\[")/;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

function startOf(text: Buffer): number {
  const { length } = BYTE_ORDER_MARK;
  return text.length >= length && text.subarray(0, length).equals(BYTE_ORDER_MARK) ? length : 0;
}
