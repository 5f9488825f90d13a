import { JsonValueReader, NO_VALUE } from "./json-value.ts";
import { NOT_KNOWN } from "./record-memory.ts";

const OPEN_OBJECT = "{".charCodeAt(0);
const CLOSE_OBJECT = "}".charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const COLON = ":".charCodeAt(0);
const COMMA = ",".charCodeAt(0);

/**
 * Where the value of a member begins in the text of an object that is valid, compact JSON. NOT_KNOWN where the text has spaces
 * between members, and where the member is not there, or more than once.
 */
export function memberAt(bytes: Buffer, start: number, end: number, member: string): number {
  const values = new JsonValueReader();
  let found = NOT_KNOWN;
  let at = start;
  if (bytes[at] !== OPEN_OBJECT) return NOT_KNOWN;
  do {
    const nameEnd = bytes[at + 1] === QUOTE ? values.read(bytes, at + 1, end) : NO_VALUE;
    if (nameEnd === NO_VALUE || bytes[nameEnd] !== COLON) return NOT_KNOWN;
    if (values.value === member) {
      if (found !== NOT_KNOWN) return NOT_KNOWN;
      found = nameEnd + 1;
    }
    at = valueEnd(values, bytes, nameEnd + 1, end);
  } while (at !== NO_VALUE && bytes[at] === COMMA);
  return at !== NO_VALUE && bytes[at] === CLOSE_OBJECT ? found : NOT_KNOWN;
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
