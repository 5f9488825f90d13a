import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ZodType } from "zod";
import { describeFault, ExporterError } from "../errors/exporter-error.ts";
import { createPrivateDirectory, type FileLock, replaceFile, tryFileLock, withFile } from "../lib/durable-file.ts";
import { readState } from "../state/state-files.ts";
import { refuseNewerFile } from "../state/state-format.ts";
import { DayParts, type PartLengths, partPath } from "./day-parts.ts";
import {
  BACKFILL_FILE,
  EMPTY_JOURNAL,
  type Journal,
  journalSchema,
  PUSH_BEGIN,
  type PushCursor,
  pushCursorSchema,
} from "./journal.ts";
import type { BackfillPlan, PlannedSensor } from "./plan.ts";

/**
 * The folder of `--output` with files and `journal.json`, and during a run a folder with plan and parts. One process at
 * a time. The umask applies to the folder and its files, which another user may import. Everything else is private.
 */
export class OutputFolder {
  readonly path: string;
  readonly #release: () => void;
  #journal: Journal = EMPTY_JOURNAL;

  private constructor(path: string, release: () => void) {
    this.path = path;
    this.#release = release;
  }

  /**
   * @param isPrivate As in `state_dir`.
   * @throws ExporterError BACKFILL_BUSY, BACKFILL_DAMAGED, STATE_FILE_NEWER, and errors of the system
   */
  static async open(path: string, isPrivate = false): Promise<OutputFolder> {
    await (isPrivate ? createPrivateDirectory(path) : mkdir(path, { recursive: true }));
    const release = lockFolder(path, join(path, ".lock"));
    const folder = new OutputFolder(path, release);
    try {
      await refuseNewerFile(folder.#journalPath, BACKFILL_FILE);
      folder.#journal = (await readJson(folder.#journalPath, journalSchema)) ?? EMPTY_JOURNAL;
      return folder;
    } catch (error) {
      release();
      throw error;
    }
  }

  get journal(): Journal {
    return this.#journal;
  }

  get #journalPath(): string {
    return join(this.path, "journal.json");
  }

  get #unfinishedPath(): string {
    return join(this.path, "unfinished");
  }

  get #planPath(): string {
    return join(this.#unfinishedPath, "plan.ndjson");
  }

  get #cursorPath(): string {
    return join(this.#unfinishedPath, "pushed.json");
  }

  filePath(name: string): string {
    return join(this.path, name);
  }

  /** All OpenMetrics files, including those of other programs. */
  async listFiles(): Promise<readonly string[]> {
    return (await readdir(this.path)).filter((name) => name.endsWith(".om")).sort();
  }

  async writeJournal(journal: Journal): Promise<void> {
    await replaceFile(this.#journalPath, (file) => file.writeFile(`${JSON.stringify(journal)}\n`));
    this.#journal = journal;
  }

  async writePlan({ families, sensors }: BackfillPlan): Promise<void> {
    await createPrivateDirectory(this.#unfinishedPath);
    await replaceFile(this.#planPath, async (file) => {
      await file.writeFile(`${JSON.stringify(families)}\n`);
      for (const sensor of sensors) await file.writeFile(`${JSON.stringify(sensor)}\n`);
    });
  }

  /** @throws ExporterError BACKFILL_DAMAGED */
  async readPlan(): Promise<BackfillPlan> {
    try {
      return await withFile(this.#planPath, async (file) => {
        let families: BackfillPlan["families"] | undefined;
        const sensors: PlannedSensor[] = [];
        for await (const line of file.readLines({ autoClose: false })) {
          if (families === undefined) families = JSON.parse(line);
          else sensors.push(JSON.parse(line));
        }
        return { families: families ?? [], sensors };
      });
    } catch (error) {
      throw new ExporterError("BACKFILL_DAMAGED", `${this.#planPath} cannot be read`, { cause: error });
    }
  }

  async writeCursor(cursor: PushCursor): Promise<void> {
    await replaceFile(this.#cursorPath, (file) => file.writeFile(`${JSON.stringify(cursor)}\n`));
  }

  /**
   * The start if there is no cursor.
   * @throws ExporterError BACKFILL_DAMAGED
   */
  async readCursor(): Promise<PushCursor> {
    return (await readJson(this.#cursorPath, pushCursorSchema)) ?? PUSH_BEGIN;
  }

  openParts(lengths: PartLengths): Promise<DayParts> {
    return DayParts.open(this.#unfinishedPath, lengths);
  }

  /** Call when its file is complete. */
  async removePart(day: number): Promise<void> {
    await rm(partPath(this.#unfinishedPath, day), { force: true });
  }

  partPath(day: number): string {
    return partPath(this.#unfinishedPath, day);
  }

  async removeUnfinished(): Promise<void> {
    await rm(this.#unfinishedPath, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    this.#release();
  }
}

/** `undefined` without a file. */
async function readJson<Value>(path: string, schema: ZodType<Value>): Promise<Value | undefined> {
  const text = await readState(path);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof SyntaxError ? describeFault(error) : "another program or version wrote it";
    throw new ExporterError("BACKFILL_DAMAGED", `${path} is invalid: ${why}`);
  }
}

/**
 * Locks the folder until the process ends, with an empty file that stays. Returns the release.
 * @throws ExporterError BACKFILL_BUSY
 */
function lockFolder(folder: string, path: string): () => void {
  let lock: FileLock | undefined;
  try {
    lock = tryFileLock(path);
  } catch {
    // Without locks or rights the next step reports the error.
    return () => undefined;
  }
  if (lock === undefined) throw new ExporterError("BACKFILL_BUSY", `another process is writing to ${folder}`);
  return () => lock.release();
}
