import type { FileHandle } from "node:fs/promises";
import { ExporterError } from "../errors/exporter-error.ts";
import { formatEnd, formatHeader, formatValue } from "../exposition/text-format.ts";
import { replaceFile, withFile } from "../lib/durable-file.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { convert } from "../mapping/units/base-units.ts";
import { dayFileName } from "./day-parts.ts";
import { type FinishedRun, finishRun, type RunContext, type UnfinishedRun } from "./output-folder.ts";
import type { BackfillPlan, PlannedSensor, PlannedSeries } from "./plan.ts";

/** Another user may import it, if the umask allows that. */
const FINISHED_FILE = 0o644;

interface Line {
  readonly sensor: number;
  readonly position: number;
  readonly length: number;
}

/** Characters. */
const WRITE_SIZE = 1 << 20;

/**
 * Writes the OpenMetrics file of a day. Reads a line again for each family, so that only one line is in memory.
 * Resolves with the number of samples. Rejects with the signal's reason, and leaves no file then.
 */
export function writeDayFile(
  partPath: string,
  filePath: string,
  plan: BackfillPlan,
  signal: AbortSignal,
): Promise<number> {
  return withFile(partPath, async (part) => {
    const linesOf = byFamily(await findLines(part), plan);
    return replaceFile(
      filePath,
      async (file) => {
        const text = bufferedText(file);
        let samples = 0;
        for (const [position, family] of plan.families.entries()) {
          let header = formatHeader("openmetrics", family);
          for (const line of linesOf.get(position) ?? []) {
            signal.throwIfAborted();
            const sensor = plan.sensors[line.sensor];
            const lines = renderLine(await readLine(part, partPath, line), sensor, { position, name: family.name });
            if (lines.length === 0) continue;
            samples += lines.length;
            await text.add(header + lines.join(""));
            header = "";
          }
        }
        await text.add(formatEnd("openmetrics"));
        await text.flush();
        return samples;
      },
      FINISHED_FILE,
    );
  });
}

function bufferedText(file: FileHandle) {
  let pieces: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    await file.writeFile(pieces.join(""));
    pieces = [];
    size = 0;
  };
  const add = async (text: string): Promise<void> => {
    pieces.push(text);
    size += text.length;
    if (size >= WRITE_SIZE) await flush();
  };
  return { add, flush };
}

/** Parts are ASCII. */
async function findLines(part: FileHandle): Promise<Line[]> {
  const lines: Line[] = [];
  let position = 0;
  for await (const line of part.readLines({ encoding: "latin1", start: 0, autoClose: false })) {
    lines.push({ sensor: Number.parseInt(line.slice(1), 10), position, length: line.length });
    position += line.length + 1;
  }
  return lines;
}

/** The lines of each family, in the order of the plan. */
function byFamily(lines: Line[], { sensors }: BackfillPlan): ReadonlyMap<number, readonly Line[]> {
  const linesOf = new Map<number, Line[]>();
  for (const line of lines.sort((a, b) => a.sensor - b.sensor)) {
    const series = sensors[line.sensor]?.channels.flatMap((channel) => channel.series) ?? [];
    for (const family of new Set(series.map((each) => each.family))) {
      mapEntry(linesOf, family, () => []).push(line);
    }
  }
  return linesOf;
}

async function readLine(part: FileHandle, path: string, { position, length }: Line): Promise<string> {
  const line = Buffer.alloc(length);
  const { bytesRead } = await part.read(line, 0, length, position);
  if (bytesRead < length) throw new ExporterError("BACKFILL_DAMAGED", `${path} became shorter while it was read`);
  return line.toString("latin1");
}

function renderLine(
  line: string,
  sensor: PlannedSensor | undefined,
  family: { readonly position: number; readonly name: string },
): string[] {
  const [, ...lists]: [number, ...number[][]] = JSON.parse(line);
  const samples: string[] = [];
  for (const [channel = -1, ...list] of lists) {
    for (const series of sensor?.channels[channel]?.series ?? []) {
      if (series.family === family.position) renderSeries(`${family.name}${series.labels}`, series, list, samples);
    }
  }
  return samples;
}

function renderSeries(name: string, { conversion }: PlannedSeries, list: readonly number[], samples: string[]): void {
  for (let index = 0; index < list.length; index += 2) {
    const value = list[index + 1] ?? Number.NaN;
    const converted = conversion === undefined ? value : convert(conversion, value);
    samples.push(`${name} ${formatValue(converted)} ${formatTimestamp(list[index] ?? 0)}\n`);
  }
}

/**
 * Seconds. Prometheus multiplies by 1000 and truncates, which loses a millisecond of half of all fractions. Adding a
 * tenth of a millisecond prevents that.
 * @param at Milliseconds since the epoch.
 */
export function formatTimestamp(at: number): string {
  if (at % 1000 === 0) return String(at / 1000);
  const seconds = Math.floor(at / 1000);
  return `${seconds}.${String(at - seconds * 1000).padStart(3, "0")}1`;
}

/** Time between journal entries. A crash repeats what came after the last one. */
const CHECKPOINT_MS = 2_000;

/**
 * Writes the files day by day, and finishes the run. A run without samples leaves no trace. Rejects with the signal's
 * reason. A later run keeps the files.
 */
export async function writeFiles(context: RunContext, signal: AbortSignal): Promise<FinishedRun> {
  const { files } = await writeDays(context, signal);
  const samples = files.reduce((sum, file) => sum + file.samples, 0);
  return finishRun(context, { samples, files: files.map(({ name }) => name) });
}

async function writeDays(context: RunContext, signal: AbortSignal): Promise<UnfinishedRun> {
  const { folder, plan, clock, progress } = context;
  let { run } = context;
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
