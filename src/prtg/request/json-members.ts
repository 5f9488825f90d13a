import { JsonValueReader, NO_VALUE } from "./json-value.ts";

const OPEN_OBJECT = "{".charCodeAt(0);
const CLOSE_OBJECT = "}".charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const COLON = ":".charCodeAt(0);
const COMMA = ",".charCodeAt(0);

/** Where a value is in the text. */
export interface TextRange {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

/**
 * Where the value of a member is in the text of an object, which is valid, compact JSON and ends at `end`. Undefined where the
 * text has spaces between members, and where the member is not there, or more than once.
 */
export function memberAt(bytes: Buffer, start: number, end: number, member: string): TextRange | undefined {
  const values = new JsonValueReader();
  let found: TextRange | undefined;
  let at = start;
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  do {
    const nameEnd = bytes[at + 1] === QUOTE ? values.read(bytes, at + 1, end) : NO_VALUE;
    if (nameEnd === NO_VALUE || bytes[nameEnd] !== COLON) return undefined;
    const isWanted = values.value === member;
    if (isWanted && found !== undefined) return undefined;
    at = valueEnd(values, bytes, nameEnd + 1, end);
    if (isWanted) found = { from: nameEnd + 1, to: at };
  } while (at !== NO_VALUE && bytes[at] === COMMA);
  return at === end - 1 && bytes[at] === CLOSE_OBJECT ? found : undefined;
}

function valueEnd(values: JsonValueReader, bytes: Buffer, at: number, end: number): number {
  if (bytes[at] !== OPEN_OBJECT) return values.skip(bytes, at, end);
  let depth = 0;
  for (let next = at; next < end; next++) {
    const byte = bytes[next];
    if (byte === QUOTE) {
      const after = values.skip(bytes, next, end);
      if (after === NO_VALUE) return NO_VALUE;
      next = after - 1;
    } else if (byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_OBJECT) {
      depth--;
      if (depth === 0) return next + 1;
    }
  }
  return NO_VALUE;
}
