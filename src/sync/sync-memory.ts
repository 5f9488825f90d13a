import { z } from "zod";
import { ExporterError } from "../errors/exporter-error.ts";
import {
  openState,
  parseObject,
  replaceState,
  type StateFiles,
  type StateFormat,
  type StateReport,
  unusable,
} from "../state/state-files.ts";
import type { Acknowledged } from "./observed.ts";

export const SYNC_FILE = "sync.json";
export const SYNC_FORMAT: StateFormat = { name: "prtg-exporter-sync", version: 1 };

const MINUTE_MS = 60_000;

/**
 * What this program did, so that it never takes its own acknowledgement for one of a person. Saved before each change: after a kill it
 * may name acknowledgements that were never sent, and the next round sends them.
 */
export class SyncMemory {
  readonly report: StateReport;
  readonly acknowledged: Map<string, Acknowledged>;
  readonly #files: StateFiles;
  /** Times of the latest changes, milliseconds since the epoch. */
  #changes: readonly number[];

  private constructor(files: StateFiles, report: StateReport, state: Saved | undefined) {
    this.#files = files;
    this.report = report;
    this.acknowledged = new Map(Object.entries(state?.acknowledged ?? {}));
    this.#changes = state?.changes ?? [];
  }

  /** Never rejects. A file that is damaged is moved aside. */
  static async open(files: StateFiles): Promise<SyncMemory> {
    const { report, state } = await openState(files, SYNC_FILE, decode);
    return new SyncMemory(files, report, state);
  }

  /** Changes of the last minute. A clock that was set back counts none. */
  changesBefore(now: number): number {
    return this.#recent(now).length;
  }

  noteChange(now: number): void {
    this.#changes = [...this.#recent(now), now];
  }

  #recent(now: number): readonly number[] {
    return this.#changes.filter((at) => at <= now && now - at < MINUTE_MS);
  }

  /** After the clock was set back, an acknowledgement of the future lasts as long as if it were sent now. */
  adjustTo(now: number): void {
    for (const [key, known] of this.acknowledged) {
      if (known.sentAt <= now) continue;
      this.acknowledged.set(key, { ...known, sentAt: now, until: now + Math.max(0, known.until - known.sentAt) });
    }
  }

  /** Rejects with ExporterError SYNC_STATE_UNWRITABLE or STATE_DIR_BUSY: then nothing may be changed. */
  async save(): Promise<void> {
    const acknowledged = Object.fromEntries(this.acknowledged);
    const { name: format, version } = SYNC_FORMAT;
    const text = JSON.stringify({ format, version, changes: this.#changes, acknowledged });
    try {
      await replaceState(this.#files, SYNC_FILE, text);
    } catch (error) {
      throw memoryFault(error);
    }
  }
}

export function memoryFault(cause: unknown): ExporterError {
  if (cause instanceof ExporterError) return cause;
  return new ExporterError("SYNC_STATE_UNWRITABLE", `${SYNC_FILE} in state_dir cannot be written`, { cause });
}

interface Saved {
  readonly acknowledged: Readonly<Record<string, Acknowledged>>;
  readonly changes: readonly number[];
}

function decode(text: string) {
  const saved = parseObject(text);
  if (saved === undefined) return unusable("torn", "it is not JSON");
  if (saved.format !== SYNC_FORMAT.name) return unusable("foreign", "it is not the memory of sync");
  if (saved.version !== SYNC_FORMAT.version) return unusable("foreign", "it has no known version");
  const parsed = savedSchema.safeParse(saved);
  return parsed.success ? parsed.data : unusable("torn", "it has no known form");
}

const time = z.number();

const savedSchema = z.object({
  changes: z.array(time),
  acknowledged: z.record(
    z.string(),
    z.object({ silence: z.string(), sentAt: time, until: time, labels: z.record(z.string(), z.string()) }),
  ),
});
