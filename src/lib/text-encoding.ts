import { isUtf8 } from "node:buffer";

export interface EncodingFault {
  readonly words: string;
  /** The first wrong byte, from 1. `undefined`: the whole file is wrong. */
  readonly place?: { readonly line: number; readonly column: number };
}

const REMEDY = "save it as UTF-8";

/** `undefined` for UTF-8, and for PEM, which may have comments in any encoding. */
export function encodingFault(bytes: Buffer): EncodingFault | undefined {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return { words: `it looks like ${wide}: ${REMEDY}` };
  if (isUtf8(bytes) || bytes.includes("-----BEGIN ")) return undefined;
  if (bytes.includes(0)) return { words: "it is binary data, not text (certificates and keys must be PEM)" };
  const place = firstWrongByte(bytes);
  const words = `line ${place.line}, column ${place.column} is not UTF-8, but looks like Latin-1 or Windows-1252: ${REMEDY}`;
  return { words, place };
}

/** Detects a byte order mark, or the zeros of ASCII characters. */
function wideEncoding(bytes: Buffer): string | undefined {
  const begin = bytes.toString("latin1", 0, 4);
  if (begin === "\xff\xfe\0\0" || begin === "\0\0\xfe\xff") return "UTF-32";
  if (begin.startsWith("\xff\xfe")) return "UTF-16 (little-endian, with a byte order mark)";
  if (begin.startsWith("\xfe\xff")) return "UTF-16 (big-endian, with a byte order mark)";
  const sample = bytes.subarray(0, SAMPLE_BYTES & ~1);
  if (sample.length < 2) return undefined;
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = sample.length / 4;
  if (odd > most && even < most / 10) return "UTF-16 (little-endian, without a byte order mark)";
  if (even > most && odd < most / 10) return "UTF-16 (big-endian, without a byte order mark)";
  return undefined;
}

const SAMPLE_BYTES = 4_096;

function firstWrongByte(bytes: Buffer): { readonly line: number; readonly column: number } {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed;
    if (!isUtf8(bytes.subarray(start, end))) return { line, column: columnOf(bytes.subarray(start, end)) };
    start = end + 1;
  }
  return { line, column: 1 };
}

function columnOf(line: Buffer): number {
  return line.toString("utf8").indexOf("\ufffd") + 1;
}
