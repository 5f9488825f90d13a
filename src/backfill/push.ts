import { ExporterError } from "../errors/exporter-error.ts";
import { withFile } from "../lib/durable-file.ts";
import { mapEntry } from "../lib/map-entry.ts";
import type { ValueSeries } from "../mapping/rules/rule.ts";
import type { MeasurementRow } from "../measurements/measurement.ts";
import { DAY_MS } from "./day-parts.ts";
import { type FinishedRun, finishRun, type PushCursor, type RunContext, type UnfinishedRun } from "./output-folder.ts";
import type { BackfillPlan, PlannedChannel, PlannedDevice } from "./plan.ts";
import { PushDelivery, type PushedHistory, type PushTarget, type Settled } from "./push-delivery.ts";

/** Gives up after so many refusals at the start. */
const REFUSALS_TO_GIVE_UP = 3;

export interface PushOptions extends RunContext {
  readonly target: PushTarget;
}

/** Rows of one day for one delivery. */
interface Load {
  readonly rows: readonly MeasurementRow[];
  readonly points: number;
}

/**
 * Pushes the parts in the order of time, and finishes the run. A run without samples leaves no trace.
 * @throws ExporterError BACKFILL_RECEIVER_AWAY, BACKFILL_REFUSED, or the signal's reason. A later run continues.
 */
export async function push(options: PushOptions, signal: AbortSignal): Promise<FinishedRun> {
  const { folder, run, plan, progress } = options;
  progress.begin("values", run.samples, doneOf(await folder.readCursor()));
  let cursor: PushCursor;
  try {
    cursor = await pushDays(options, signal);
  } finally {
    progress.end();
  }
  const { samples, rejected, message } = cursor;
  const sensors = plan.sensors.map(({ id }) => id);
  return finishRun(options, { samples, files: [], push: { sensors, rejected, message } });
}

async function pushDays(options: PushOptions, signal: AbortSignal): Promise<PushCursor> {
  const { folder, run, plan, target, progress } = options;
  const delivery = new PushDelivery({ ...options, sink: target.connect(historyOf(plan)), random: target.random });
  let cursor = await folder.readCursor();
  let refusals = 0;
  const giveUp = (): never => {
    throw new ExporterError("BACKFILL_REFUSED", `${target.url} rejects history: ${cursor.message}`);
  };
  const note = async (load: Load, settled: Settled): Promise<void> => {
    cursor = advance(cursor, load, settled);
    refusals = cursor.samples === 0 ? refusals + 1 : 0;
    if (refusals >= REFUSALS_TO_GIVE_UP) giveUp();
    if (refusals === 0) await folder.writeCursor(cursor);
    progress.advance(doneOf(cursor));
  };
  for (const [day] of run.parts.slice(cursor.days)) {
    for await (const load of loadsOf(folder.partPath(day), day, cursor.rows, options)) {
      await note(load, await delivery.deliver(load.rows, signal));
    }
    cursor = { ...cursor, days: cursor.days + 1, rows: 0 };
    if (refusals > 0) continue;
    await folder.writeCursor(cursor);
    await folder.removePart(day);
  }
  if (refusals > 0) giveUp();
  return cursor;
}

function advance(cursor: PushCursor, { rows, points }: Load, settled: Settled): PushCursor {
  const rejected = Math.min(settled.rejectedPoints, points);
  return {
    ...cursor,
    rows: cursor.rows + rows.length,
    samples: cursor.samples + points - rejected,
    rejected: cursor.rejected + rejected,
    message: rejected > 0 ? settled.message : cursor.message,
  };
}

function doneOf({ samples, rejected }: PushCursor): number {
  return samples + rejected;
}

/** Skips the first rows, in the order of time. */
async function* loadsOf(
  partPath: string,
  day: number,
  skipped: number,
  { plan, run, target }: PushOptions,
): AsyncGenerator<Load> {
  let left = skipped;
  let rows: MeasurementRow[] = [];
  let points = 0;
  for await (const stored of rowsInOrder(partPath, day)) {
    if (left-- > 0) continue;
    const added = pointsOf(stored, plan);
    if (points > 0 && points + added > target.maxPoints) {
      yield { rows, points };
      rows = [];
      points = 0;
    }
    rows.push(measurementRow(stored, plan, run));
    points += added;
  }
  if (rows.length > 0) yield { rows, points };
}

function pointsOf({ sensor, values }: StoredRow, { sensors }: BackfillPlan): number {
  const channels = sensors[sensor]?.channels ?? [];
  return values.reduce((sum, [position]) => sum + (channels[position]?.series.length ?? 0), 0);
}

function measurementRow(
  { sensor, at, values }: StoredRow,
  plan: BackfillPlan,
  { spans }: UnfinishedRun,
): MeasurementRow {
  const { id = "", channels = [] } = plan.sensors[sensor] ?? {};
  return {
    sensorId: id,
    at,
    resolution: spans.findLast(({ from }) => from <= at)?.type ?? "live",
    values: values.map(([position, value]) => [channels[position]?.channelId ?? "", value]),
  };
}

function historyOf(plan: BackfillPlan): PushedHistory {
  const sensors = new Map(plan.sensors.map((sensor) => [sensor.id, sensor]));
  // A plan from the disk has one object per sensor.
  const devices = new Map<string, PlannedDevice>();
  // Cached per sensor, because the sink asks for each value.
  const described = new Map<string, ReadonlyMap<string, readonly ValueSeries[]>>();
  return {
    describe(sensorId, channelId) {
      const describe = () => {
        const channels = sensors.get(sensorId)?.channels ?? [];
        return new Map(channels.map((channel) => [channel.channelId, valueSeries(channel, plan)]));
      };
      return mapEntry(described, sensorId, describe).get(channelId);
    },
    deviceOf(sensorId) {
      const device = sensors.get(sensorId)?.device;
      return device && mapEntry(devices, device.id, () => device);
    },
  };
}

function valueSeries({ series }: PlannedChannel, { families }: BackfillPlan): readonly ValueSeries[] {
  return series.flatMap(({ family: position, labels, conversion }) => {
    const family = families[position];
    if (family === undefined) return [];
    const described = { family, labels: JSON.parse(labels) };
    return [conversion === undefined ? described : { ...described, conversion }];
  });
}

/** Values of one sensor at one time. */
export interface StoredRow {
  readonly sensor: number;
  readonly at: number;
  /** Position of the channel, and value in the display unit. */
  readonly values: readonly (readonly [channel: number, value: number])[];
}

/** Bytes of a part in memory at a time. Rows take several times as much. */
const SLICE_BYTES = 16 * 2 ** 20;

/**
 * The rows of a day by time, then in the order of the plan. Reads the part once per slice of the day, because it may be
 * larger than memory.
 * @param day Number since the epoch.
 */
export async function* rowsInOrder(partPath: string, day: number, sliceBytes = SLICE_BYTES): AsyncGenerator<StoredRow> {
  const bytes = await withFile(partPath, async (part) => (await part.stat()).size);
  const slices = Math.max(1, Math.ceil(bytes / sliceBytes));
  for (let slice = 0; slice < slices; slice++) {
    const begin = day * DAY_MS + (slice * DAY_MS) / slices;
    const end = day * DAY_MS + ((slice + 1) * DAY_MS) / slices;
    const rows = await readSlice(partPath, begin, end);
    yield* rows.sort((a, b) => a.at - b.at || a.sensor - b.sensor);
  }
}

function readSlice(partPath: string, begin: number, end: number): Promise<StoredRow[]> {
  return withFile(partPath, async (part) => {
    const rows: StoredRow[] = [];
    for await (const line of part.readLines({ encoding: "latin1", start: 0, autoClose: false })) {
      const [sensor = -1, ...lists]: [number, ...number[][]] = JSON.parse(line);
      const byTime = new Map<number, [channel: number, value: number][]>();
      for (const [channel = -1, ...list] of lists) {
        for (let index = 0; index < list.length; index += 2) {
          const at = list[index] ?? 0;
          if (at < begin || at >= end) continue;
          mapEntry(byTime, at, () => []).push([channel, list[index + 1] ?? Number.NaN]);
        }
      }
      for (const [at, values] of byTime) rows.push({ sensor, at, values });
    }
    return rows;
  });
}
