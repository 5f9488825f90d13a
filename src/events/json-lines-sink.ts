import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import pLimit from "p-limit";
import { describeError } from "../errors/exporter-error.ts";
import { withinTime } from "../lib/bounded-files.ts";
import type { EventRecord, EventSink, OpenEventSink, SendOutcome } from "./event.ts";

/** More than one batch, which an earlier process may have written without an entry in the journal. */
const TAIL_BYTES = 4 << 20;

const UID = /"uid":"([0-9a-f]{32})"\}$/gm;

/** The number of written lines, and the fault if there are fewer. */
interface Written {
  readonly written: number;
  readonly fault?: unknown;
}

export interface LineOutput {
  /**
   * Writes lines in order. Never rejects.
   * @param uids Uids of the events, line by line.
   */
  write(lines: readonly string[], uids: readonly string[]): Promise<Written>;
}

export function jsonLinesSinks(output: LineOutput): OpenEventSink {
  const oneAtATime = pLimit(1);
  const send = async (batch: readonly EventRecord[]): Promise<SendOutcome> => {
    const lines = batch.map(jsonLine);
    const uids = batch.map(({ uid }) => uid);
    const { written, fault } = await oneAtATime(() => output.write(lines, uids));
    if (written === batch.length) return { kind: "accepted", rejected: 0, message: "" };
    return { kind: "retry", settled: written, rejected: 0, retryAfterMs: undefined, message: describeError(fault) };
  };
  return (): EventSink => ({ send });
}

/** Log shippers of other users read the file. */
const SHARED_FILE = 0o644;

/**
 * Opens the file for each batch, because it may be rotated. Truncates partial lines.
 * @param mode Of a new file.
 */
export function fileOutput(path: string, mode = SHARED_FILE): LineOutput {
  let known: Promise<ReadonlySet<string>> | undefined;
  return {
    async write(lines, uids) {
      try {
        // A kill may have kept these lines from the journal. Read once.
        known ??= withinTime(path, () => uidsAtEnd(path));
        const there = await known.catch(() => new Set<string>());
        const missing = uids.map((uid, index) => (there.has(uid) ? "" : (lines[index] ?? "")));
        return await withinTime(path, () => append(path, missing, mode));
      } catch (fault) {
        return { written: 0, fault };
      }
    },
  };
}

/** An output for standard output. Waits for a slow reader. */
export function streamOutput(stream: NodeJS.WritableStream): LineOutput {
  // Without a listener a closed pipe ends the process. The callback reports the error.
  if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
  return {
    write: (lines) =>
      new Promise((resolve) => {
        stream.write(lines.join(""), (fault) => resolve(fault ? { written: 0, fault } : { written: lines.length }));
      }),
  };
}

function ignore(): void {}

async function append(path: string, lines: readonly string[], mode: number): Promise<Written> {
  // A pipe without a reader must not block a thread.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
  // Follows links, because the user chose the path.
  const file = await open(path, flags, mode);
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

/** The lines that fit into so many bytes. */
function wholeLines(lines: readonly string[], bytes: number): { readonly written: number; readonly size: number } {
  let size = 0;
  for (const [index, line] of lines.entries()) {
    const next = size + Buffer.byteLength(line);
    if (next > bytes) return { written: index, size };
    size = next;
  }
  return { written: lines.length, size };
}

/** True for an empty or unreadable file. */
async function endsWithLine(path: string, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = await readAt(path, size - 1, 1).catch(() => undefined);
  return last === undefined || last.toString() === "\n";
}

async function uidsAtEnd(path: string): Promise<ReadonlySet<string>> {
  const end = await readAt(path, Number.NEGATIVE_INFINITY, TAIL_BYTES);
  return new Set([...end.toString("utf8").matchAll(UID)].map(([, uid = ""]) => uid));
}

/**
 * Of a regular file.
 * @param from Minus infinity: the end of the file.
 */
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

/** Names of OpenTelemetry's data model. */
function jsonLine(event: EventRecord): string {
  const { uid, eventName, timestamp, observedTimestamp, severityText, severityNumber, body, attributes } = event;
  return `${JSON.stringify({
    timestamp: isoTime(timestamp),
    observed_timestamp: isoTime(observedTimestamp),
    severity_text: severityText,
    severity_number: severityNumber,
    event_name: eventName,
    body,
    attributes,
    uid,
  })}\n`;
}

/** Times beyond the calendar stay milliseconds. */
function isoTime(at: number): string | number {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString();
}
