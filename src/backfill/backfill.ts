import { ExporterError } from "../errors/exporter-error.ts";
import { assemble } from "./assembly.ts";
import { type BegunRun, beginRun, continueRun } from "./begin-run.ts";
import { Collection } from "./collection.ts";
import type { FinishedRun, UnfinishedRun } from "./journal.ts";
import type { BackfillOptions } from "./options.ts";
import { OutputFolder } from "./output-folder.ts";
import { seriesTypesOf } from "./parameters.ts";
import { SensorReader } from "./sensor-reader.ts";
import { renewSpans } from "./spans.ts";

export type BackfillOutcome =
  | {
      readonly kind: "finished";
      readonly run: FinishedRun;
      /** Whether the folder has OpenMetrics files of others too. */
      readonly shared: boolean;
    }
  | { readonly kind: "interrupted"; readonly done: number; readonly sensors: number };

/**
 * Writes the history of a server as OpenMetrics files, one per UTC day, or goes on where an earlier run was interrupted.
 * @throws ExporterError
 */
export async function backfill(options: BackfillOptions): Promise<BackfillOutcome> {
  try {
    const folder = await OutputFolder.open(options.output);
    try {
      return await run(folder, options);
    } catch (error) {
      if (!options.signal.aborted) throw error;
      const unfinished = folder.journal.unfinished;
      return { kind: "interrupted", done: unfinished?.done.length ?? 0, sensors: unfinished?.sensors ?? 0 };
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
  const { clock, progress, signal } = options;
  const finished = await assemble({ folder, run: collected, plan: begun.plan, clock, progress }, signal);
  const files = new Set(finished.files);
  return { kind: "finished", run: finished, shared: (await folder.listFiles()).some((name) => !files.has(name)) };
}

async function collect(
  folder: OutputFolder,
  { run, plan }: BegunRun,
  options: BackfillOptions,
): Promise<UnfinishedRun> {
  if (run.done.length === plan.length) return run;
  const { api, clock, log, progress, concurrency, skipFailed, signal } = options;
  const types = seriesTypesOf(run.parameters.resolution);
  const spans = () => renewSpans(run.spans, clock.now() + api.clockOffset(), types);
  const reader = new SensorReader({ api, clock, log, spans });
  const parts = await folder.openParts(new Map(run.parts));
  const needed = { folder, parts, run, plan, reader, concurrency, skipFailed, clock, log, progress };
  return new Collection(needed).complete(signal);
}
