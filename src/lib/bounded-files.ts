import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { basename, dirname, join, matchesGlob } from "node:path";
import { type Clock, systemClock } from "./clock.ts";
import { errorCode } from "./error-code.ts";

/** Configurations, rules, certificates and secrets. Large CA bundles have 300 kB. */
const MAX_TEXT_BYTES = 16 << 20;
/** Files of the exporter: watermarks of a million sensors have 40 MB. */
export const MAX_DATA_BYTES = 256 << 20;
/** A file system that takes longer does not respond. */
const FILE_TIMEOUT_MS = 10_000;

/** libuv threads for files, name resolution and compression. */
const DEFAULT_THREADS = 4;
const MIN_OVERDUE = 2;
const CHUNK_BYTES = 64 << 10;
/** Between two reads of an empty pipe. */
const PIPE_PAUSE_MS = 20;

/** Why a file is unusable, without its path. */
export class FileFault extends Error {
  readonly code: "EFBIG" | "ETIMEDOUT" | "EILSEQ";
  /** The first wrong byte, from 1. `undefined`: the whole file is wrong. */
  readonly place: { readonly line: number; readonly column: number } | undefined;

  constructor(code: FileFault["code"], message: string, place?: FileFault["place"]) {
    super(message);
    this.name = "FileFault";
    this.code = code;
    this.place = place;
  }
}

export interface BoundedReadOptions {
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  /** For the exporter's own files, which have checksums: damage must not prevent the start. */
  readonly allowsOtherEncodings?: boolean;
}

/** Calls that a file system has not answered in time, by path. */
const overdue = new Map<string, number>();

/**
 * A quarter of the threads may hang, so that others can work.
 * @param threads UV_THREADPOOL_SIZE, which bin/node-settings.js sets.
 */
export function maxOverdue(threads: string | undefined): number {
  const count = Number(threads ?? DEFAULT_THREADS);
  return Math.max(MIN_OVERDUE, Number.isFinite(count) ? Math.floor(count / 4) : 0);
}

/** Whether a thread hangs in a file system. Node.js would wait for it at exit. */
export function filesHang(): boolean {
  return overdue.size > 0;
}

/** Reads a file as UTF-8, bounded in time and size. Reads a pipe to its end. Rejects with FileFault or the system's error. */
export async function readTextFile(path: string, options: BoundedReadOptions = {}): Promise<string> {
  const { maxBytes = MAX_TEXT_BYTES, timeoutMs = FILE_TIMEOUT_MS, clock = systemClock } = options;
  const bytes = await withinTime(path, (signal) => read(path, maxBytes, clock, signal), timeoutMs, clock);
  const fault = options.allowsOtherEncodings ? undefined : encodingFault(bytes);
  if (fault !== undefined) throw fault;
  return bytes.toString("utf8");
}

/**
 * Bounds the time of other file operations. Starts none while an earlier one on the path hangs. `use` may continue in
 * the background after its signal aborts. Rejects with FileFault, or as `use` does.
 */
export async function withinTime<Result>(
  path: string,
  use: (signal: AbortSignal) => Promise<Result>,
  timeoutMs = FILE_TIMEOUT_MS,
  clock: Clock = systemClock,
): Promise<Result> {
  if (overdue.has(path) || overdue.size >= maxOverdue(process.env.UV_THREADPOOL_SIZE)) {
    throw new FileFault("ETIMEDOUT", "its file system does not answer");
  }
  const late = new AbortController();
  const used = use(late.signal);
  const expired = Promise.withResolvers<never>();
  const cancel = clock.after(timeoutMs, () => {
    const fault = new FileFault("ETIMEDOUT", `no data within ${timeoutMs / 1_000} s`);
    late.abort(fault);
    expired.reject(fault);
    noteOverdue(path, used);
  });
  try {
    return await Promise.race([used, expired.promise]);
  } finally {
    cancel();
  }
}

function noteOverdue(path: string, used: Promise<unknown>): void {
  overdue.set(path, (overdue.get(path) ?? 0) + 1);
  const settled = () => {
    const left = (overdue.get(path) ?? 1) - 1;
    if (left > 0) overdue.set(path, left);
    else overdue.delete(path);
  };
  used.then(settled, settled);
}

async function read(path: string, maxBytes: number, clock: Clock, signal: AbortSignal): Promise<Buffer> {
  // Without blocking on a pipe that has no writer. Windows has no such pipes.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return await readAll(file, maxBytes, clock, signal);
  } finally {
    await file.close();
  }
}

async function readAll(file: FileHandle, maxBytes: number, clock: Clock, signal: AbortSignal): Promise<Buffer> {
  const facts = await file.stat();
  const tooLarge = () => new FileFault("EFBIG", `it is larger than ${maxBytes.toLocaleString("en")} bytes`);
  if (facts.isFile() && facts.size > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    signal.throwIfAborted();
    const chunk = await readChunk(file);
    // At the end. A pipe without a writer is empty, too.
    if (chunk?.length === 0 && (size > 0 || !facts.isFIFO())) break;
    if (chunk === undefined || chunk.length === 0) {
      await clock.sleep(PIPE_PAUSE_MS, signal);
      continue;
    }
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** `undefined` if there is nothing yet. Empty at the end. */
async function readChunk(file: FileHandle): Promise<Buffer | undefined> {
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return undefined;
    throw error;
  }
}

/**
 * Files that match a path such as `servers.d/*.yaml`, sorted by name. Only the last part may have wildcards. Empty if
 * the folder is missing. Rejects with FileFault or the system's error.
 */
export async function filesMatching(pattern: string): Promise<readonly string[]> {
  const folder = dirname(pattern);
  const names = await withinTime(folder, () => readdir(folder)).catch(noneIfMissing);
  return names
    .filter((name) => matchesGlob(name, basename(pattern)))
    .toSorted()
    .map((name) => join(folder, name));
}

function noneIfMissing(error: unknown): string[] {
  if (errorCode(error) === "ENOENT") return [];
  throw error;
}

const REMEDY = "save it as UTF-8";

/** `undefined` for UTF-8, and for PEM, which may have comments in any encoding. */
export function encodingFault(bytes: Buffer): FileFault | undefined {
  const fault = (message: string, place?: FileFault["place"]) => new FileFault("EILSEQ", message, place);
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return fault(`it looks like ${wide}: ${REMEDY}`);
  if (isUtf8(bytes) || bytes.includes("-----BEGIN ")) return undefined;
  if (bytes.includes(0)) return fault("it is binary data, not text (certificates and keys must be PEM)");
  const place = firstWrongByte(bytes);
  const where = `line ${place.line}, column ${place.column}`;
  return fault(`${where} is not UTF-8, but looks like Latin-1 or Windows-1252: ${REMEDY}`, place);
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
