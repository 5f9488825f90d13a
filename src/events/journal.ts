import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { STATUS_TOKENS, statusCode } from "../prtg/status.ts";
import type { EventRecord } from "./event.ts";
import type { ToldStatus } from "./told-statuses.ts";

/*
 * The journal of one server: a line that says what the file is, then one line an entry, each with its checksum. A line counts as a
 * whole or not at all, so that an event and what is told with it cannot come apart. A file begins with all that is known; what
 * comes later is added to its end, until the file is written anew.
 */

const FORMAT = "prtg-exporter events";
const VERSION = 1;

/** Of an object: id, code of the status, since when (null: not known). */
type ToldLine = readonly [id: string, code: number, since: number | null];

export interface JournalEntry {
  /** Number of the first of `events`; without events, of the next one that will be. */
  readonly seq?: number;
  readonly events?: readonly EventRecord[];
  readonly told?: readonly ToldLine[];
  readonly gone?: readonly string[];
  /** The number up to which each output has settled. An entry that has it names all outputs. */
  readonly settled?: Readonly<Record<string, number>>;
}

/** Why a file cannot be used. */
export type UnusableJournal =
  /** It is damaged elsewhere than at its end. */
  | "torn"
  /** It is something else, or belongs to another server. */
  | "foreign"
  /** A later release wrote it. */
  | "newer";

export type DecodedJournal =
  /** `isCut`: its last line is not whole, as a kill or a full disk leaves it, and nothing may be added to it. */
  | { readonly entries: readonly JournalEntry[]; readonly isCut: boolean }
  | { readonly problem: UnusableJournal; readonly message: string };

/** Name of a server's file. Server names may hold anything and differ in case only, so the name is part text, part hash. */
export function journalFileName(server: string): string {
  const readable = server.replace(/[^\w-]+/g, "_").slice(0, 40);
  const hash = createHash("sha256").update(server).digest("hex").slice(0, 8);
  return `events-${readable}-${hash}.journal`;
}

/** The first line of a file. */
export function encodeHead(server: string): string {
  return encodeLine({ format: FORMAT, version: VERSION, server });
}

export function encodeEntry(entry: JournalEntry): string {
  return encodeLine(entry);
}

export function toldLine(id: string, { status, since }: ToldStatus): ToldLine {
  return [id, statusCode(status), since ?? null];
}

/** Undefined for a status that this release does not know. */
export function toldOf([, code, since]: ToldLine): ToldStatus | undefined {
  const status = STATUS_TOKENS[code];
  return status === undefined ? undefined : { status, since: since ?? undefined };
}

/** Never throws. */
export function decodeJournal(text: string, server: string): DecodedJournal {
  const lines = text.split("\n");
  // Empty where the last line is whole.
  const rest = lines.pop() ?? "";
  const head = decodeLine(lines[0] ?? rest);
  if (head === undefined)
    return unusable(lines.length === 0 ? "torn" : "foreign", "its first line is not that of a journal");
  const { format, version, server: owner } = head;
  if (format !== FORMAT) return unusable("foreign", "it is not a journal of events");
  if (typeof version === "number" && version > VERSION) {
    return unusable("newer", `it has version ${version}, this release knows ${VERSION}`);
  }
  if (owner !== server) return unusable("foreign", `it belongs to the server ${JSON.stringify(owner)}`);
  const entries: JournalEntry[] = [];
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const entry = decodeLine(line);
    if (entry !== undefined) entries.push(entry);
    else if (index === lines.length - 1 && rest === "") return { entries, isCut: true };
    else return unusable("torn", `the checksum of line ${index + 1} does not fit its content`);
  }
  return { entries, isCut: rest !== "" || lines.length === 0 };
}

function encodeLine(value: object): string {
  const body = JSON.stringify(value);
  return `${crc32(body).toString(16).padStart(8, "0")} ${body}\n`;
}

/** What a line holds; undefined where it is not whole. Its checksum says that it is what a release of ours wrote. */
function decodeLine(line: string): Record<string, unknown> | undefined {
  const body = line.slice(9);
  if (line[8] !== " " || Number.parseInt(line.slice(0, 8), 16) !== crc32(body)) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function unusable(problem: UnusableJournal, message: string): DecodedJournal {
  return { problem, message };
}
