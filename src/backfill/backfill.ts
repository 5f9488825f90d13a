import { ExporterError } from "../errors/exporter-error.ts";
import { type BackfillOptions, type BegunRun, beginRun, continueRun } from "./begin-run.ts";
import { Collection } from "./collection.ts";
import { type FinishedRun, OutputFolder, type UnfinishedRun } from "./output-folder.ts";
import { refuseTakenNames, seriesTypesOf } from "./parameters.ts";
import { historyFamilies, renewSeriesRanges } from "./plan.ts";
import { push } from "./push.ts";
import { SensorReader } from "./sensor-reader.ts";
import { writeFiles } from "./write-files.ts";

export type BackfillOutcome =
  | {
      readonly kind: "finished";
      readonly run: FinishedRun;
      /** Whether the folder has other OpenMetrics files, too. */
      readonly shared: boolean;
    }
  | {
      readonly kind: "interrupted";
      readonly done: number;
      readonly sensors: number;
      /** Values that the receiver accepted or rejected. `undefined` for files. */
      readonly pushed: { readonly done: number; readonly values: number } | undefined;
    };

/**
 * Writes the history of a server as OpenMetrics files, one per UTC day, or pushes it. Continues an interrupted run.
 * @throws ExporterError
 */
export async function backfill(options: BackfillOptions): Promise<BackfillOutcome> {
  refuseTakenNames(options.extraLabels, historyFamilies(options.mapper));
  try {
    const folder = await OutputFolder.open(options.output, options.push !== undefined);
    try {
      return await run(folder, options);
    } catch (error) {
      if (!options.signal.aborted) throw error;
      return await interrupted(folder, options);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new ExporterError("BACKFILL_OUTPUT_UNUSABLE", `cannot write to ${options.output}`, { cause: error });
  }
}

async function run(folder: OutputFolder, options: BackfillOptions): Promise<BackfillOutcome> {
  const { unfinished } = folder.journal;
  const begun = unfinished === null ? await beginRun(folder, options) : await continueRun(folder, unfinished, options);
  const collected = await collect(folder, begun, options);
  const { clock, log, progress, signal, push: target } = options;
  const needed = { folder, run: collected, plan: begun.plan, clock, log, progress };
  const finished = await (target === undefined ? writeFiles(needed, signal) : push({ ...needed, target }, signal));
  const files = new Set(finished.files);
  return { kind: "finished", run: finished, shared: (await folder.listFiles()).some((name) => !files.has(name)) };
}

async function interrupted(folder: OutputFolder, { push: target }: BackfillOptions): Promise<BackfillOutcome> {
  const { unfinished } = folder.journal;
  const { done = [], sensors = 0, samples: values = 0 } = unfinished ?? {};
  const isPushing = target !== undefined && unfinished !== null && done.length === sensors;
  const cursor = isPushing ? await folder.readCursor() : undefined;
  const pushed = cursor && { done: cursor.samples + cursor.rejected, values };
  return { kind: "interrupted", done: done.length, sensors, pushed };
}

async function collect(
  folder: OutputFolder,
  { run, plan }: BegunRun,
  options: BackfillOptions,
): Promise<UnfinishedRun> {
  if (run.done.length === plan.sensors.length) return run;
  const { api, clock, log, progress, concurrency, skipFailed, signal } = options;
  const types = seriesTypesOf(run.parameters.resolution);
  const ranges = () => renewSeriesRanges(run.spans, clock.now() + api.clockOffset(), types);
  const reader = new SensorReader({ api, clock, log, ranges });
  const parts = await folder.openParts(new Map(run.parts));
  const needed = { folder, parts, run, plan, reader, concurrency, skipFailed, clock, log, progress };
  return new Collection(needed).complete(signal);
}
