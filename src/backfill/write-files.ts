import type { Clock } from "../lib/clock.ts";
import { writeDayFile } from "./day-file.ts";
import type { FinishedRun, UnfinishedRun } from "./journal.ts";
import type { OutputFolder } from "./output-folder.ts";
import type { BackfillPlan } from "./plan.ts";
import type { BackfillProgress } from "./progress.ts";
import { dayFileName } from "./utc-day.ts";

export interface WriteFilesOptions {
  readonly folder: OutputFolder;
  readonly run: UnfinishedRun;
  readonly plan: BackfillPlan;
  readonly clock: Clock;
  readonly progress: BackfillProgress;
}

/** Between journal entries. A crash repeats what came after the last one. */
const CHECKPOINT_MS = 2_000;

/**
 * Writes the files day by day, and finishes the run. A run without samples leaves no trace. Rejects with the signal's
 * reason. A later run keeps the files.
 */
export async function writeFiles(options: WriteFilesOptions, signal: AbortSignal): Promise<FinishedRun> {
  const run = await writeDays(options, signal);
  const { folder, clock } = options;
  const { parameters, from, to, startedAt, sensors, series } = run;
  const finished: FinishedRun = {
    parameters,
    from,
    to,
    startedAt,
    finishedAt: clock.now(),
    sensors,
    series,
    samples: run.files.reduce((sum, file) => sum + file.samples, 0),
    files: run.files.map(({ name }) => name),
  };
  const before = folder.journal.finished;
  const empty = finished.files.length === 0;
  await folder.writeJournal({ ...folder.journal, finished: empty ? before : [...before, finished], unfinished: null });
  await folder.removeUnfinished();
  return finished;
}

async function writeDays(options: WriteFilesOptions, signal: AbortSignal): Promise<UnfinishedRun> {
  const { folder, plan, clock, progress } = options;
  let { run } = options;
  let noted = run;
  let nextCheckpoint = clock.monotonic() + CHECKPOINT_MS;
  const checkpoint = async (): Promise<void> => {
    await folder.writeJournal({ ...folder.journal, unfinished: run });
    // Parts are no longer needed.
    for (const [day] of run.parts.slice(noted.files.length, run.files.length)) await folder.removePart(day);
    noted = run;
    nextCheckpoint = clock.monotonic() + CHECKPOINT_MS;
  };
  progress.begin("days", run.parts.length, run.files.length);
  try {
    for (const [day] of run.parts.slice(run.files.length)) {
      const name = dayFileName(day, run.from);
      const samples = await writeDayFile(folder.partPath(day), folder.filePath(name), plan, signal);
      run = { ...run, files: [...run.files, { name, samples }] };
      progress.advance(run.files.length);
      if (clock.monotonic() >= nextCheckpoint) await checkpoint();
    }
  } finally {
    progress.end();
    await checkpoint();
  }
  return run;
}
