import { yieldToEventLoop } from "../lib/yielding.ts";
import { type JournalFiles, openState, replaceState, type StateReport } from "../state/state-files.ts";
import type { QueuedEvent } from "./event-queue.ts";
import {
  type DecodedJournal,
  decodeJournal,
  encodeHead,
  encodeLine,
  type JournalEntry,
  journalFileName,
  lastStatusOf,
  statusLine,
} from "./journal.ts";
import type { LastStatus } from "./last-statuses.ts";

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
