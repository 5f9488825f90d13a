import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import pLimit from "p-limit";
import { describeError } from "../errors/exporter-error.ts";
import { withinTime } from "../lib/bounded-files.ts";
import type { EventRecord } from "./event.ts";
import { jsonLine } from "./json-lines.ts";
import type { EventSink, OpenEventSink, SendOutcome } from "./sink.ts";

/** Of the end of a file, to see what an earlier process wrote before it could note it: more than one batch has. */
const TAIL_BYTES = 4 << 20;

const UID = /"uid":"([0-9a-f]{32})"\}$/gm;

/** What lines are written to. */
export interface LineOutput {
  /**
   * Writes lines, one after the other; `uids`: of the event in each. Resolves with how many of them are there, from the first
   * on, and with what kept the rest from it. Never rejects.
   */
  write(
    lines: readonly string[],
    uids: readonly string[],
  ): Promise<{ readonly written: number; readonly fault?: unknown }>;
}

/** Events of all servers as JSON lines to one output. */
export function jsonLinesSinks(output: LineOutput): OpenEventSink {
  const oneAtATime = pLimit(1);
  const send = async (batch: readonly EventRecord[]): Promise<SendOutcome> => {
    const lines = batch.map(jsonLine);
    const uids = batch.map(({ uid }) => uid);
    const { written, fault } = await oneAtATime(() => output.write(lines, uids));
    if (written === batch.length) return { kind: "accepted", rejected: 0, message: "" };
    return { kind: "retry", settled: written, rejected: 0, retryAfterMs: undefined, message: describeError(fault) };
  };
  return (): EventSink => ({ send, close: () => Promise.resolve() });
}

/**
 * Lines at the end of a file, which is opened anew for each batch: one that was renamed or removed is another file from then on.
 * What could be written in part only is taken back.
 */
export function fileOutput(path: string): LineOutput {
  let known: Promise<ReadonlySet<string>> | undefined;
  return {
    async write(lines, uids) {
      try {
        // Those that a kill kept from being noted. Asked for once: what this process writes it notes.
        known ??= withinTime(path, () => uidsAtEnd(path));
        const there = await known.catch(() => new Set<string>());
        const missing = uids.map((uid, index) => (there.has(uid) ? "" : (lines[index] ?? "")));
        return await withinTime(path, () => append(path, missing));
      } catch (fault) {
        return { written: 0, fault };
      }
    },
  };
}

/** Lines on a stream such as standard output. What it refuses is tried again; where its reader has stopped reading it waits. */
export function streamOutput(stream: NodeJS.WritableStream): LineOutput {
  // Without a listener a closed pipe would end the process. The callback of a write tells of it too.
  if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
  return {
    write: (lines) =>
      new Promise((resolve) => {
        stream.write(lines.join(""), (fault) => resolve(fault ? { written: 0, fault } : { written: lines.length }));
      }),
  };
}

function ignore(): void {}

async function append(
  path: string,
  lines: readonly string[],
): Promise<{ readonly written: number; readonly fault?: unknown }> {
  // A pipe that is not read must not hold a thread.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
  // A log shipper of another user reads it. Links are followed, as the user named the path.
  const file = await open(path, flags, 0o644);
  try {
    const facts = await file.stat();
    const begin = facts.isFile() && !(await endsWithLine(path, facts.size)) ? "\n" : "";
    const { bytes, fault } = await writeAll(file, Buffer.from(begin + lines.join("")));
    if (fault === undefined) {
      if (facts.isFile()) await file.datasync();
      return { written: lines.length };
    }
    const { written, size } = wholeLines(lines, bytes - begin.length);
    if (facts.isFile()) await file.truncate(facts.size + (written === 0 ? 0 : begin.length + size));
    return { written, fault };
  } finally {
    await file.close();
  }
}

async function writeAll(
  file: FileHandle,
  buffer: Buffer,
): Promise<{ readonly bytes: number; readonly fault?: unknown }> {
  let bytes = 0;
  try {
    while (bytes < buffer.length) bytes += (await file.write(buffer, bytes)).bytesWritten;
    return { bytes };
  } catch (fault) {
    return { bytes, fault };
  }
}

/** Lines that so many bytes hold, and their size. */
function wholeLines(lines: readonly string[], bytes: number): { readonly written: number; readonly size: number } {
  let size = 0;
  for (const [index, line] of lines.entries()) {
    const next = size + Buffer.byteLength(line);
    if (next > bytes) return { written: index, size };
    size = next;
  }
  return { written: lines.length, size };
}

/** True for an empty file, and for one that cannot be read. */
async function endsWithLine(path: string, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = await readAt(path, size - 1, 1).catch(() => undefined);
  return last === undefined || last.toString() === "\n";
}

async function uidsAtEnd(path: string): Promise<ReadonlySet<string>> {
  const end = await readAt(path, Number.NEGATIVE_INFINITY, TAIL_BYTES);
  return new Set([...end.toString("utf8").matchAll(UID)].map(([, uid = ""]) => uid));
}

/** Bytes of a regular file; `from` minus infinity: those at its end. Of anything else, and of no file, there are none. */
async function readAt(path: string, from: number, length: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return Buffer.alloc(0);
    const position = from === Number.NEGATIVE_INFINITY ? Math.max(0, facts.size - length) : from;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
