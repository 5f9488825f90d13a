import { yieldToEventLoop } from "../lib/yielding.ts";
import { type DeflatedChunk, deflateChunk, gzipBeginning, gzipEnd, joinDeflated } from "./gzip.ts";
import type { ContentEncoding } from "./negotiate.ts";
import type { StreamedPage } from "./representation.ts";

/** Bytes that are looked at in one turn of the event loop, a line more or less. */
const CHUNK_BYTES = 128 * 1_024;
const NEWLINE = 0x0a;

/**
 * A page with the names escaped anew, chunk by chunk as it is read: nothing of it is kept, and a reader that takes its
 * time holds one chunk of it. The chunks of `plain` end with a line.
 */
export function withDots(plain: StreamedPage, encoding: ContentEncoding): StreamedPage {
  if (encoding === "identity") return { beginning: escaped(plain), end: async () => [] };
  // For the trailer: their checksums and lengths, without the bytes.
  const sums: DeflatedChunk[] = [];
  async function* beginning(): AsyncIterable<Buffer> {
    yield* gzipBeginning(joinDeflated([]));
    for await (const chunk of escaped(plain)) {
      const deflated = deflateChunk(chunk);
      sums.push({ ...deflated, buffers: [] });
      yield* deflated.buffers;
    }
  }
  return { beginning: beginning(), end: async () => gzipEnd(joinDeflated(sums), []) };
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
 * The `dots` name escaping of Prometheus: as a dot would become `_dot_`, an underscore of the name is doubled so that
 * it can be told apart. Rarely asked for, so it is done on the finished page.
 * @see https://prometheus.io/docs/instrumenting/escaping_schemes/
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

/** `name{label="value",...} number`: label values can hold anything but a bare quote, so they are stepped over whole. */
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
