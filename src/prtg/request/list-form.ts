/** How any list begins. */
const LIST = /^[ \t\r\n]*\[/;
/** How compact JSON begins a list of objects, up to the first member, and a list of rows: `[{"id":` and `[["`. */
const KNOWN = /^[ \t\r\n]*\[(\{"[^"\\\u0080-\uffff]{1,64}":|\[")/;
/** Bytes that are enough to see that beginning. */
export const BEGINNING = 256;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** How a list is written whose records can be told apart by a look for a separator. */
export interface ListForm {
  /** Where its opening bracket is. */
  readonly start: number;
  /** Between two records: the end of the one, a comma as its second byte, and how each begins: `},{"id":` or `],["`. */
  readonly separator: Buffer;
}

/** Undefined where `text` begins with something else, or a list in another form. */
export function listForm(text: Buffer): ListForm | undefined {
  const start = startOf(text);
  const [opening, record] = KNOWN.exec(text.toString("latin1", start, start + BEGINNING)) ?? [];
  if (opening === undefined || record === undefined) return undefined;
  const separator = Buffer.from(`${record.startsWith("{") ? "}" : "]"},${record}`);
  return { start: start + opening.length - record.length - 1, separator };
}

/** Whether it can be a list in any form. */
export function beginsList(text: Buffer): boolean {
  const start = startOf(text);
  return LIST.test(text.toString("latin1", start, start + BEGINNING));
}

/** Where it begins behind a byte order mark. */
export function startOf(text: Buffer): number {
  const { length } = BYTE_ORDER_MARK;
  return text.length >= length && text.subarray(0, length).equals(BYTE_ORDER_MARK) ? length : 0;
}
