import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { basename, dirname, join, matchesGlob } from "node:path";
import { type Clock, systemClock } from "./clock.ts";
import { type EncodingFault, encodingFault } from "./text-encoding.ts";

/** Configurations, rules, certificates and secrets; the largest bundles of authorities have some 300 kB. */
const MAX_TEXT_BYTES = 16 << 20;
/** What the exporter wrote itself: watermarks of a million sensors have 40 MB, recordings of large servers more. */
export const MAX_DATA_BYTES = 256 << 20;
/** A file system that takes longer does not answer. */
const FILE_TIMEOUT_MS = 10_000;

/** Threads of libuv for files, name resolution and compression together, unless the environment says otherwise. */
const DEFAULT_THREADS = 4;
const MIN_OVERDUE = 2;
const CHUNK_BYTES = 64 << 10;
/** Between two looks at a pipe that has nothing yet. */
const PIPE_PAUSE_MS = 20;

/** Why a file cannot be used, in words without its path. */
export class FileFault extends Error {
  readonly code: "EFBIG" | "ETIMEDOUT" | "EILSEQ";
  /** Where in the file, both from 1. */
  readonly place: EncodingFault["place"];

  constructor(code: FileFault["code"], message: string, place?: EncodingFault["place"]) {
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
  /** Files of the exporter's own have checks of their own, and damage must not keep it from starting. */
  readonly allowsOtherEncodings?: boolean;
}

/** By path: calls to a file system that did not answer in time, and have not since. */
const overdue = new Map<string, number>();

/**
 * How many calls may hang at a time: a quarter of the threads, so that the rest is left for other work.
 * @param threads the variable UV_THREADPOOL_SIZE, which bin/node-settings.js sets
 */
export function maxOverdue(threads: string | undefined): number {
  const count = Number(threads ?? DEFAULT_THREADS);
  return Math.max(MIN_OVERDUE, Number.isFinite(count) ? Math.floor(count / 4) : 0);
}

/** Whether a thread waits for a file system that does not answer: Node.js would wait for it before it ends. */
export function filesHang(): boolean {
  return overdue.size > 0;
}

/**
 * Reads a whole file as UTF-8, within a time and up to a size. A pipe is read to its end, and may be late.
 * Rejects with FileFault, or with the error of the file system.
 */
export async function readTextFile(path: string, options: BoundedReadOptions = {}): Promise<string> {
  const { maxBytes = MAX_TEXT_BYTES, timeoutMs = FILE_TIMEOUT_MS, clock = systemClock } = options;
  const bytes = await withinTime(path, (signal) => read(path, maxBytes, clock, signal), timeoutMs, clock);
  const fault = options.allowsOtherEncodings ? undefined : encodingFault(bytes);
  if (fault !== undefined) throw new FileFault("EILSEQ", fault.words, fault.place);
  return bytes.toString("utf8");
}

/**
 * Anything else that asks a file system. While an earlier call for the same path waits, none is begun.
 * `use` may go on in the background after the time is over; `signal` tells it then.
 * Rejects with FileFault, or as `use` does.
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
  const finished = new AbortController();
  const late = new AbortController();
  const used = use(late.signal);
  try {
    return await new Promise((resolve, reject) => {
      used.then(resolve, reject);
      clock.sleep(timeoutMs, finished.signal).then(
        () => {
          const fault = new FileFault("ETIMEDOUT", `nothing came within ${timeoutMs / 1_000} s`);
          late.abort(fault);
          reject(fault);
          noteOverdue(path, used);
        },
        () => undefined,
      );
    });
  } finally {
    finished.abort();
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
  // Without waiting for a writer, where it is a pipe: no thread is to be stuck in there. Windows has no such pipes.
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
    // At its end, or, before anything came through a pipe, without a writer.
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

/** Undefined when there is nothing yet; empty at the end. */
async function readChunk(file: FileHandle): Promise<Buffer | undefined> {
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return undefined;
    throw error;
  }
}

/**
 * The files that a path such as `servers.d/*.yaml` stands for, in the order of their names; `*` counts in its last part only.
 * None where there is no such folder. Rejects with FileFault, or with the error of the file system.
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
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
  throw error;
}
