import { crc32 } from "node:zlib";
import { STATUS_TOKENS, statusCode } from "../prtg/status.ts";
import { stateFileName } from "../state/state-files.ts";
import { foreignHead, parseObject, type StateFormat, type Unusable, unusable } from "../state/state-format.ts";
import type { EventRecord } from "./event.ts";
import type { LastStatus } from "./last-statuses.ts";

/*
 * Each line has a checksum and counts as a whole, so an event and its status stay together. A file begins with the
 * whole state, and entries follow.
 */

export const JOURNAL_FILE: StateFormat = { name: "prtg-exporter events", version: 1 };

/** Since null: unknown. */
type StatusLine = readonly [id: string, code: number, since: number | null];

export interface JournalEntry {
  /** Number of the first event, or of the next one. */
  readonly seq?: number;
  readonly events?: readonly EventRecord[];
  readonly told?: readonly StatusLine[];
  readonly gone?: readonly string[];
  /** Last number of each output. Names all outputs. */
  readonly settled?: Readonly<Record<string, number>>;
}

export interface DecodedJournal {
  readonly entries: readonly JournalEntry[];
  /** The last line is incomplete after a kill or a full disk, so nothing can be appended. */
  readonly isCut: boolean;
  /** Characters of the file. */
  readonly size: number;
}

export function journalFileName(server: string): string {
  return stateFileName("events", server, "journal");
}

export function encodeHead(server: string): string {
  return encodeLine({ format: JOURNAL_FILE.name, version: JOURNAL_FILE.version, server });
}

export function encodeLine(value: object): string {
  const body = JSON.stringify(value);
  return `${crc32(body).toString(16).padStart(8, "0")} ${body}\n`;
}

export function statusLine(id: string, { status, since }: LastStatus): StatusLine {
  return [id, statusCode(status), since ?? null];
}

/** `undefined` for an unknown status. */
export function lastStatusOf([, code, since]: StatusLine): LastStatus | undefined {
  const status = STATUS_TOKENS[code];
  return status === undefined ? undefined : { status, since: since ?? undefined };
}

/** Never throws. */
export function decodeJournal(text: string, server: string): DecodedJournal | Unusable {
  const lines = text.split("\n");
  // Empty after a whole last line.
  const rest = lines.pop() ?? "";
  const head = decodeLine(lines[0] ?? rest);
  if (head === undefined)
    return unusable(lines.length === 0 ? "torn" : "foreign", "its first line is not a journal header");
  const foreign = foreignHead(head, JOURNAL_FILE, "a journal of events", server);
  if (foreign !== undefined) return foreign;
  const entries: JournalEntry[] = [];
  const size = text.length;
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const entry = decodeLine(line);
    if (entry !== undefined) entries.push(entry);
    else if (index === lines.length - 1 && rest === "") return { entries, isCut: true, size };
    else return unusable("torn", `the checksum of line ${index + 1} does not match its content`);
  }
  return { entries, isCut: rest !== "" || lines.length === 0, size };
}

/** `undefined` for an incomplete line. */
function decodeLine(line: string): Record<string, unknown> | undefined {
  const body = line.slice(9);
  if (line[8] !== " " || Number.parseInt(line.slice(0, 8), 16) !== crc32(body)) return undefined;
  return parseObject(body);
}
