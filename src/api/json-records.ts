/** About a millisecond's work. */
const PIECE = 128 * 1024;

/** How compact JSON begins a list of objects, up to the first member: `[{"id":`. */
const LIST_OF_OBJECTS = /^\s*\[(\{"[^"\\]{1,64}":)/;
/** Enough to see that beginning. */
const BEGINNING = 256;
const BYTE_ORDER_MARK = "\uFEFF";
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
  /** What is not parsed yet; without the bracket that opens the list once `#separator` is known. */
  #text = "";
  /** Undefined: the beginning is not known yet, or the list is parsed as a whole. */
  #separator: string | undefined;
  #isWhole = false;
  readonly #piece: number;
  /** Length of the text from which on it is looked at. */
  #from = BEGINNING;

  /** `piece`: characters after which the records that are complete are parsed. */
  constructor(piece = PIECE) {
    this.#piece = piece;
  }

  /** The records that this text completes: none, mostly. */
  take(text: string): readonly unknown[] {
    this.#text += text;
    if (this.#isWhole || this.#text.length < this.#from) return NOTHING;
    this.#separator ??= this.#begin();
    if (this.#separator === undefined) return NOTHING;
    const end = this.#text.length < this.#piece ? -1 : this.#text.lastIndexOf(this.#separator);
    // A large record is searched again after as much again, not at each step.
    this.#from = end < 0 ? Math.max(this.#piece, 2 * this.#text.length) : this.#piece;
    return end < 0 ? NOTHING : this.#parse(end + 1);
  }

  /**
   * The rest.
   * @throws SyntaxError, NotAList
   */
  end(): readonly unknown[] {
    const json: unknown = JSON.parse(this.#separator === undefined ? withoutMark(this.#text) : `[${this.#text}`);
    this.#text = "";
    if (!Array.isArray(json)) throw new NotAList("the text is JSON, but no array");
    return json;
  }

  #begin(): string | undefined {
    const [opening, member] = LIST_OF_OBJECTS.exec(withoutMark(this.#text)) ?? [];
    if (opening === undefined || member === undefined) {
      this.#isWhole = true;
      return undefined;
    }
    this.#text = withoutMark(this.#text).slice(opening.length - member.length);
    return `},${member}`;
  }

  #parse(end: number): readonly unknown[] {
    try {
      const records: readonly unknown[] = JSON.parse(`[${this.#text.slice(0, end)}]`);
      this.#text = this.#text.slice(end + 1);
      return records;
    } catch {
      this.#isWhole = true;
      return NOTHING;
    }
  }
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}
