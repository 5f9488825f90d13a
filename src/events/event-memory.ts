import { yieldToEventLoop } from "../lib/yielding.ts";
import type { JournalFiles } from "../sync/state-files.ts";
import type { QueuedEvent } from "./event-queue.ts";
import {
  decodeJournal,
  encodeEntry,
  encodeHead,
  type JournalEntry,
  journalFileName,
  lastStatusOf,
  statusLine,
  type UnusableJournal,
} from "./journal.ts";
import type { LastStatus } from "./last-statuses.ts";

/** Objects or events in one line of a new file. */
const LINE_ENTRIES = 200;
/** A file is rewritten after so much growth, or as much as its statuses. */
const MIN_GROWTH = 1 << 20;

/** Of an earlier process. */
export interface MemoryReport {
  /** `new`: there was no file. `unreadable`: the system refused. */
  readonly found: "good" | "new" | "unreadable" | UnusableJournal;
  readonly file: string;
  /** Undefined where all is well. */
  readonly message: string | undefined;
}

/** All of it, at one moment. */
export interface Remembered {
  readonly statuses: Iterable<readonly [id: string, status: LastStatus]>;
  /** That wait, and the number of the next one. */
  readonly events: readonly QueuedEvent[];
  readonly next: number;
  readonly settled: ReadonlyMap<string, number>;
}

export interface RememberedBefore extends Remembered {
  readonly statuses: ReadonlyMap<string, LastStatus>;
}

/** The journal of one server: statuses and events that wait. One call at a time. */
export class EventMemory {
  readonly report: MemoryReport;
  /** Of an earlier process. */
  readonly before: RememberedBefore;
  readonly #server: string;
  readonly #files: JournalFiles | undefined;
  /** Before anything can be added. */
  #mustRewrite: boolean;
  #added = 0;
  #beganWith = 0;

  private constructor(
    server: string,
    files: JournalFiles | undefined,
    report: MemoryReport,
    before: RememberedBefore,
    mustRewrite: boolean,
  ) {
    this.#server = server;
    this.#files = files;
    this.report = report;
    this.before = before;
    this.#mustRewrite = mustRewrite;
  }

  /** Never rejects: reports a file that it cannot use, moves it aside, and starts anew. */
  static async open(server: string, files: JournalFiles): Promise<EventMemory> {
    const file = journalFileName(server);
    const none = (found: MemoryReport["found"], message?: string): EventMemory =>
      new EventMemory(server, files, { found, file, message }, replay([]), true);
    let text: string | undefined;
    try {
      text = await files.read(file);
    } catch (error) {
      return none("unreadable", error instanceof Error ? error.message : String(error));
    }
    if (text === undefined) return none("new");
    const decoded = decodeJournal(text, server);
    if ("problem" in decoded) {
      // To find out what happened, and to go back to the release that wrote it.
      await files.rename(file, `${file}.${decoded.problem}`).catch(() => undefined);
      return none(decoded.problem, decoded.message);
    }
    const report = { found: "good", file, message: undefined } as const;
    const memory = new EventMemory(server, files, report, replay(decoded.entries), decoded.isCut);
    memory.#added = text.length;
    return memory;
  }

  /** Writes nothing. */
  static none(server: string): EventMemory {
    const report = { found: "new", file: "", message: undefined } as const;
    return new EventMemory(server, undefined, report, replay([]), false);
  }

  /** At the next opportunity. */
  requireRewrite(): void {
    this.#mustRewrite = true;
  }

  /**
   * Adds entries, or rewrites the file with all of `remembered` where it grew or must be rewritten. Resolves when the
   * disk has them. Rejects with the system's error; the next call rewrites the file.
   * @param remembered With the entries; newer content may be in it, and be added later
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
    const beside = `${file}.tmp`;
    await files.write(beside, text);
    await files.rename(beside, file);
    await files.syncDirectory();
    this.#mustRewrite = false;
    this.#added = 0;
    // Events leave the file soon.
    this.#beganWith = known.length;
  }
}

/** Gives the event loop to others between entries. */
async function encodeAll(entries: Iterable<JournalEntry>): Promise<string> {
  let text = "";
  for (const entry of entries) {
    text += encodeEntry(entry);
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
      // The start of a file may be ahead of its additions.
      if (seq >= next) events.push({ seq, event });
      seq++;
    }
    next = Math.max(next, seq);
  }
  const done = Math.min(...settled.values());
  return { statuses, events: events.filter(({ seq }) => seq > done), next, settled };
}

/** For the outputs of `now`; none goes back. */
function later(before: ReadonlyMap<string, number>, now: Readonly<Record<string, number>>): Map<string, number> {
  return new Map(Object.entries(now).map(([output, seq]) => [output, Math.max(seq, before.get(output) ?? 0)]));
}
