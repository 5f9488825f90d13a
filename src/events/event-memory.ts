import { crc32 } from "node:zlib";
import { yieldToEventLoop } from "../lib/yielding.ts";
import { STATUS_TOKENS, statusCode } from "../prtg/status.ts";
import {
  foreignHead,
  type JournalFiles,
  openState,
  parseObject,
  replaceState,
  type StateFormat,
  type StateReport,
  stateFileName,
  type Unusable,
  unusable,
} from "../state/state-files.ts";
import type { EventRecord } from "./event.ts";
import type { QueuedEvent } from "./event-queue.ts";
import type { LastStatus } from "./event-records.ts";

/*
 * Each line has a checksum and counts as a whole, so an event and its status stay together. A file begins with the
 * whole state, and entries follow.
 */

export const JOURNAL_FILE: StateFormat = { name: "prtg-exporter events", version: 1 };

/** A status as JSON. `since` null: unknown. */
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

/** Objects or events per line of a new file. */
const LINE_ENTRIES = 200;
/** Rewrites a file after this growth, or after the size of its statuses. */
const MIN_GROWTH = 1 << 20;

/** The state that a new file begins with. */
export interface Remembered {
  readonly statuses: Iterable<readonly [id: string, status: LastStatus]>;
  /** Queued events, and the next number. */
  readonly events: readonly QueuedEvent[];
  readonly next: number;
  readonly settled: ReadonlyMap<string, number>;
}

export interface RememberedBefore extends Remembered {
  readonly statuses: ReadonlyMap<string, LastStatus>;
}

/** The journal of one server: statuses and queued events. One call at a time. */
export class EventMemory {
  readonly report: StateReport;
  /** The state of an earlier process. */
  readonly before: RememberedBefore;
  readonly #server: string;
  readonly #files: JournalFiles | undefined;
  /** Must rewrite the file before the next entry. */
  #mustRewrite: boolean;
  /** Characters since the file was rewritten. */
  #added: number;
  #beganWith = 0;

  private constructor(server: string, files: JournalFiles | undefined, report: StateReport, journal?: DecodedJournal) {
    this.#server = server;
    this.#files = files;
    this.report = report;
    this.before = replay(journal?.entries ?? []);
    this.#mustRewrite = journal?.isCut !== false;
    this.#added = journal?.size ?? 0;
  }

  /** Never rejects: reports an unusable file, moves it aside, and starts anew. */
  static async open(server: string, files: JournalFiles): Promise<EventMemory> {
    const { report, state } = await openState(files, journalFileName(server), (text) => decodeJournal(text, server));
    return new EventMemory(server, files, report, state);
  }

  static none(server: string): EventMemory {
    const report = { found: "new", file: "", message: undefined } as const;
    return new EventMemory(server, undefined, report);
  }

  /** Rewrites the file with the next call. */
  requireRewrite(): void {
    this.#mustRewrite = true;
  }

  /**
   * Appends entries, or rewrites the file if it grew too large. Resolves after a flush. Rejects with the system's
   * error. The next call then rewrites the file.
   * @param remembered Includes the entries, and may be newer.
   */
  async write(entries: readonly JournalEntry[], remembered: () => Remembered): Promise<void> {
    const files = this.#files;
    if (files === undefined) return;
    try {
      if (this.#mustRewrite || this.#added > Math.max(MIN_GROWTH, this.#beganWith))
        await this.#rewrite(files, remembered());
      else if (entries.length > 0) {
        const text = await encodeAll(entries);
        this.#added += text.length;
        await files.append(this.report.file, text);
      }
    } catch (error) {
      this.#mustRewrite = true;
      throw error;
    }
  }

  async #rewrite(files: JournalFiles, remembered: Remembered): Promise<void> {
    const { file } = this.report;
    const known = encodeHead(this.#server) + (await encodeAll(statusEntries(remembered)));
    const text = known + (await encodeAll(eventEntries(remembered)));
    await replaceState(files, file, text);
    this.#mustRewrite = false;
    this.#added = 0;
    // Events leave the file soon.
    this.#beganWith = known.length;
  }
}

/** Yields between entries. */
async function encodeAll(entries: Iterable<JournalEntry>): Promise<string> {
  let text = "";
  for (const entry of entries) {
    text += encodeLine(entry);
    await yieldToEventLoop();
  }
  return text;
}

function* statusEntries({ statuses }: Remembered): Generator<JournalEntry> {
  let lines: ReturnType<typeof statusLine>[] = [];
  for (const [id, status] of statuses) {
    lines.push(statusLine(id, status));
    if (lines.length < LINE_ENTRIES) continue;
    yield { told: lines };
    lines = [];
  }
  yield { told: lines };
}

function* eventEntries({ events, next, settled }: Remembered): Generator<JournalEntry> {
  for (let index = 0; index < events.length; index += LINE_ENTRIES) {
    const some = events.slice(index, index + LINE_ENTRIES);
    const [first] = some;
    if (first !== undefined) yield { seq: first.seq, events: some.map(({ event }) => event) };
  }
  yield { seq: next, settled: Object.fromEntries(settled) };
}

function replay(entries: readonly JournalEntry[]): RememberedBefore {
  const statuses = new Map<string, LastStatus>();
  let settled: ReadonlyMap<string, number> = new Map();
  const events: QueuedEvent[] = [];
  let next = 1;
  for (const entry of entries) {
    for (const line of entry.told ?? []) {
      const status = lastStatusOf(line);
      if (status !== undefined) statuses.set(line[0], status);
    }
    for (const id of entry.gone ?? []) statuses.delete(id);
    if (entry.settled !== undefined) settled = later(settled, entry.settled);
    let seq = entry.seq ?? next;
    for (const event of entry.events ?? []) {
      // The head of a file may be newer than its entries.
      if (seq >= next) events.push({ seq, event });
      seq++;
    }
    next = Math.max(next, seq);
  }
  const done = Math.min(...settled.values());
  return { statuses, events: events.filter(({ seq }) => seq > done), next, settled };
}

/** Numbers of the outputs in `now`. None goes back. */
function later(before: ReadonlyMap<string, number>, now: Readonly<Record<string, number>>): Map<string, number> {
  return new Map(Object.entries(now).map(([output, seq]) => [output, Math.max(seq, before.get(output) ?? 0)]));
}
