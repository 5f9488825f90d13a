import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ZodType, z } from "zod";
import { describeFault, ExporterError } from "../errors/exporter-error.ts";
import { createPrivateDirectory, type FileLock, replaceFile, tryFileLock, withFile } from "../lib/durable-file.ts";
import type { Runtime } from "../lib/runtime.ts";
import { SERIES_TYPES } from "../prtg/series-types.ts";
import { readState, refuseNewerFile, type StateFormat } from "../state/state-files.ts";
import { DayParts, type PartLengths, partPath } from "./day-parts.ts";
import { type BackfillParameters, type BackfillProgress, RESOLUTIONS } from "./parameters.ts";
import type { BackfillPlan, PlannedSensor } from "./plan.ts";

/* The journal of an output folder. All times are milliseconds since the epoch. */

/** Plan, parts and progress of an unfinished run belong to the version of the journal. */
export const BACKFILL_FILE: StateFormat = { name: "prtg-exporter backfill", version: 1 };
export const JOURNAL_FORMAT = `${BACKFILL_FILE.name} ${BACKFILL_FILE.version}`;

const JOURNAL = "journal.json";
const UNFINISHED = "unfinished";
const PLAN = join(UNFINISHED, "plan.ndjson");
const CURSOR = join(UNFINISHED, "pushed.json");

const time = z.int();
const count = z.int().nonnegative();

const texts = z.array(z.string()).readonly();
const parametersSchema = z.strictObject({
  server: z.string(),
  from: z.string(),
  to: z.string(),
  resolution: z.enum(RESOLUTIONS),
  labels: texts,
  paths: texts,
  kinds: texts,
  tags: texts,
  configured: z.strictObject({ labels: z.string(), mapping: z.string() }).readonly(),
}) satisfies ZodType<BackfillParameters>;
const range = { parameters: parametersSchema, from: time, to: time, startedAt: time, sensors: count, series: count };

const finishedRun = z.strictObject({
  ...range,
  finishedAt: time,
  samples: count,
  /** Ascending. Empty for a push. */
  files: texts,
  /** Sensor ids, rejected values, and the reason. */
  push: z.strictObject({ sensors: texts, rejected: count, message: z.string() }).optional(),
});

const unfinishedRun = z.strictObject({
  ...range,
  spans: z.array(z.strictObject({ type: z.enum(SERIES_TYPES), from: time, to: time })).readonly(),
  done: texts,
  /** Number of samples of all series. */
  samples: count,
  /** Bytes by number of the day, ascending. */
  parts: z.array(z.tuple([z.int(), count]).readonly()).readonly(),
  /** Files of the first parts. */
  files: z.array(z.strictObject({ name: z.string(), samples: count })).readonly(),
});

const journalSchema = z.strictObject({
  format: z.literal(JOURNAL_FORMAT),
  finished: z.array(finishedRun).readonly(),
  unfinished: unfinishedRun.nullable(),
});

export type FinishedRun = Readonly<z.infer<typeof finishedRun>>;
export type UnfinishedRun = Readonly<z.infer<typeof unfinishedRun>>;
export type Journal = Readonly<z.infer<typeof journalSchema>>;

const EMPTY_JOURNAL: Journal = { format: JOURNAL_FORMAT, finished: [], unfinished: null };

/** Progress of a push after each acknowledgement. A kill repeats at most one request. */
const pushCursorSchema = z.strictObject({
  days: count,
  rows: count,
  /** Accepted values. */
  samples: count,
  rejected: count,
  message: z.string(),
});

export type PushCursor = Readonly<z.infer<typeof pushCursorSchema>>;

export const PUSH_BEGIN: PushCursor = { days: 0, rows: 0, samples: 0, rejected: 0, message: "" };

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
      await refuseNewerFile(folder.filePath(JOURNAL), BACKFILL_FILE);
      folder.#journal = (await readJson(folder.filePath(JOURNAL), journalSchema)) ?? EMPTY_JOURNAL;
      return folder;
    } catch (error) {
      release();
      throw error;
    }
  }

  get journal(): Journal {
    return this.#journal;
  }

  filePath(name: string): string {
    return join(this.path, name);
  }

  /** All OpenMetrics files, including those of other programs. */
  async listFiles(): Promise<readonly string[]> {
    return (await readdir(this.path)).filter((name) => name.endsWith(".om")).sort();
  }

  async writeJournal(journal: Journal): Promise<void> {
    await replaceJson(this.filePath(JOURNAL), journal);
    this.#journal = journal;
  }

  async writePlan({ families, sensors }: BackfillPlan): Promise<void> {
    await createPrivateDirectory(this.filePath(UNFINISHED));
    await replaceFile(this.filePath(PLAN), async (file) => {
      await file.writeFile(`${JSON.stringify(families)}\n`);
      for (const sensor of sensors) await file.writeFile(`${JSON.stringify(sensor)}\n`);
    });
  }

  /** @throws ExporterError BACKFILL_DAMAGED */
  async readPlan(): Promise<BackfillPlan> {
    try {
      return await withFile(this.filePath(PLAN), async (file) => {
        let families: BackfillPlan["families"] | undefined;
        const sensors: PlannedSensor[] = [];
        for await (const line of file.readLines({ autoClose: false })) {
          if (families === undefined) families = JSON.parse(line);
          else sensors.push(JSON.parse(line));
        }
        return { families: families ?? [], sensors };
      });
    } catch (error) {
      throw new ExporterError("BACKFILL_DAMAGED", `${this.filePath(PLAN)} cannot be read`, { cause: error });
    }
  }

  writeCursor(cursor: PushCursor): Promise<void> {
    return replaceJson(this.filePath(CURSOR), cursor);
  }

  /**
   * The start if there is no cursor.
   * @throws ExporterError BACKFILL_DAMAGED
   */
  async readCursor(): Promise<PushCursor> {
    return (await readJson(this.filePath(CURSOR), pushCursorSchema)) ?? PUSH_BEGIN;
  }

  openParts(lengths: PartLengths): Promise<DayParts> {
    return DayParts.open(this.filePath(UNFINISHED), lengths);
  }

  /** Call when its file is complete. */
  async removePart(day: number): Promise<void> {
    await rm(this.partPath(day), { force: true });
  }

  partPath(day: number): string {
    return partPath(this.filePath(UNFINISHED), day);
  }

  async removeUnfinished(): Promise<void> {
    await rm(this.filePath(UNFINISHED), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    this.#release();
  }
}

/** A run in its folder. */
export interface RunContext extends Pick<Runtime, "clock" | "log"> {
  readonly folder: OutputFolder;
  readonly run: UnfinishedRun;
  readonly plan: BackfillPlan;
  readonly progress: BackfillProgress;
}

/** Records the end of a run. A run without samples leaves no trace. */
export async function finishRun(
  { folder, run, clock }: RunContext,
  result: Pick<FinishedRun, "samples" | "files" | "push">,
): Promise<FinishedRun> {
  const { parameters, from, to, startedAt, sensors, series } = run;
  const finished = { parameters, from, to, startedAt, finishedAt: clock.now(), sensors, series, ...result };
  const isEmpty = result.samples + (result.push?.rejected ?? 0) === 0 && result.files.length === 0;
  const before = folder.journal.finished;
  await folder.writeJournal({
    ...folder.journal,
    finished: isEmpty ? before : [...before, finished],
    unfinished: null,
  });
  await folder.removeUnfinished();
  return finished;
}

function replaceJson(path: string, value: unknown): Promise<void> {
  return replaceFile(path, (file) => file.writeFile(`${JSON.stringify(value)}\n`));
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
