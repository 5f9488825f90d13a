import { yieldToEventLoop } from "../lib/yielding.ts";
import { checksumOf, deflateChunk, GZIP_HEADER, gzipEnd, type PieceChecksum } from "./gzip.ts";
import type { ContentEncoding } from "./negotiate.ts";
import type { StreamedPage } from "./representation.ts";

/** Bytes per turn of the event loop, rounded to lines. */
const CHUNK_BYTES = 128 * 1_024;
const NEWLINE = 0x0a;

/**
 * Escapes names chunk by chunk while the reader reads, so that a slow reader holds one chunk. The chunks of `plain`
 * end with a line.
 */
export function withDots(plain: StreamedPage, encoding: ContentEncoding): StreamedPage {
  if (encoding === "identity") return { beginning: escaped(plain), end: async () => [] };
  const sums: PieceChecksum[] = [];
  async function* beginning(): AsyncIterable<Buffer> {
    yield GZIP_HEADER;
    for await (const chunk of escaped(plain)) {
      const { bytes, ...sum } = deflateChunk(chunk);
      sums.push(sum);
      yield bytes;
    }
  }
  return { beginning: beginning(), end: async () => gzipEnd(checksumOf(sums), [], 0) };
}

async function* escaped({ beginning, end }: StreamedPage): AsyncIterable<Buffer> {
  for await (const buffer of beginning) yield* escapedChunks(buffer);
  for (const buffer of await end()) yield* escapedChunks(buffer);
}

async function* escapedChunks(lines: Buffer): AsyncIterable<Buffer> {
  for (let from = 0; from < lines.length; ) {
    const newline = lines.indexOf(NEWLINE, from + CHUNK_BYTES);
    const to = newline === -1 ? lines.length : newline + 1;
    yield Buffer.from(escapeNamesWithDots(lines.toString("utf8", from, to)));
    from = to;
    await yieldToEventLoop("reader");
  }
}

/**
 * Prometheus' escaping scheme `dots`: an underscore is doubled, because `_dot_` stands for a dot. @see
 * https://prometheus.io/docs/instrumenting/escaping_schemes/
 */
export function escapeNamesWithDots(page: string): string {
  return page
    .split("\n")
    .map((line) => (line.startsWith("#") ? escapeComment(line) : escapeSample(line)))
    .join("\n");
}

function escapeComment(line: string): string {
  const match = /^(# (?:HELP|TYPE|UNIT) )(\S+)(.*)$/s.exec(line);
  return match === null ? line : `${match[1]}${double(match[2] ?? "")}${match[3]}`;
}

/** Skips label values as a whole: they may contain anything except a bare quote. */
function escapeSample(line: string): string {
  return line.replace(
    /^[^{\s]+|([{,])([A-Za-z_][A-Za-z0-9_]*)(="(?:[^"\\]|\\.)*")/g,
    (whole, opening?: string, label?: string, value?: string) =>
      opening === undefined ? double(whole) : `${opening}${double(label ?? "")}${value}`,
  );
}

function double(name: string): string {
  return name.replaceAll("_", "__");
}
