import { describeError, ExporterError } from "../errors/exporter-error.ts";
import type { Runtime } from "../lib/runtime.ts";
import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import { reconcile } from "../model/reconcile.ts";
import { EMPTY_TREE, type Tree, type TreeNode } from "../model/tree.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { NodeKind, NodeRecord } from "../prtg/node-record.ts";
import type { ListResult } from "../prtg/records.ts";
import { SERIES_STEP_MS, SERIES_WINDOW_MS } from "../prtg/series-types.ts";
import { dayFileName, dayOf } from "./day-parts.ts";
import type { OutputFolder, RunContext, UnfinishedRun } from "./output-folder.ts";
import {
  type BackfillParameters,
  type BackfillProgress,
  type ExtraLabel,
  parameterDifferences,
  resolveTimeFlag,
  type Selection,
  seriesTypesOf,
  type TimeFlag,
} from "./parameters.ts";
import {
  type BackfillPlan,
  estimateDisk,
  planSensors,
  planSeriesRanges,
  roughSize,
  type SeriesRange,
  sensorFilter,
} from "./plan.ts";
import type { PushTarget } from "./push-delivery.ts";

/** Dependencies and parameters of a run. */
export interface BackfillOptions extends Pick<Runtime, "clock" | "log"> {
  readonly api: MonitoringApi;
  readonly server: string;
  readonly from: TimeFlag;
  readonly to: TimeFlag;
  readonly selection: Selection;
  /** Labels and rules of `serve`. */
  readonly mapper: ChannelMapper;
  readonly extraLabels: readonly ExtraLabel[];
  readonly parameters: BackfillParameters;
  /** Folder of files, or for the state of a push. */
  readonly output: string;
  /** `undefined`: write files. */
  readonly push?: PushTarget | undefined;
  /** Continue without unreadable sensors. */
  readonly skipFailed: boolean;
  readonly concurrency: number;
  /** Free bytes on the disk of a folder. */
  readonly freeBytes: (folder: string) => Promise<number>;
  readonly progress: BackfillProgress;
  readonly signal: AbortSignal;
}

export type BegunRun = Pick<RunContext, "run" | "plan">;

/** The first `serve` pushes this time itself. */
const LIVE_MS = SERIES_WINDOW_MS.live;
/** Prometheus holds three hours in memory before it writes a block of two. */
const HEAD_MS = 3 * 60 * 60_000;

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Plans a run and saves the plan, so that a later run can continue it.
 * @throws ExporterError BACKFILL_RANGE_INVALID, BACKFILL_OVERLAP, BACKFILL_NOTHING_SELECTED, BACKFILL_LIST_MOVED, and
 * what the client throws
 */
export async function beginRun(folder: OutputFolder, options: BackfillOptions): Promise<BegunRun> {
  const { api, clock, log, parameters } = options;
  const startedAt = clock.now();
  const range = resolveRange(options, startedAt);
  if (options.push === undefined) await refuseOverlaps(folder, range);
  const { tree, channels } = await readInventory(options);
  const { server, mapper } = options;
  const extraLabels = options.push === undefined ? options.extraLabels : undefined;
  const selects = sensorFilter(options.selection);
  const plan = planSensors(tree, channels, { server, mapper, extraLabels, selects });
  if (plan.sensors.length === 0) refuseEmptyPlan(tree, selects);
  if (options.push !== undefined) refusePushedAlready(folder, range, plan);
  const now = clock.now() + api.clockOffset();
  const seriesRanges = planSeriesRanges({ ...range, now }, seriesTypesOf(parameters.resolution));
  const [first] = seriesRanges;
  if (first === undefined) {
    const text = `the server keeps no data from ${iso(range.from)} to ${iso(range.to)}`;
    throw new ExporterError("BACKFILL_RANGE_INVALID", `${text} (--resolution ${parameters.resolution})`);
  }
  if (first.from - range.from >= Math.max(SERIES_STEP_MS[first.type], 60_000)) {
    log.warn(`the server keeps no data before ${iso(first.from)}: history begins there, not at ${iso(range.from)}`);
  }
  await announce(folder, options, plan, seriesRanges, tree);
  const run: UnfinishedRun = {
    parameters,
    ...range,
    startedAt,
    sensors: plan.sensors.length,
    series: plan.sensors.flatMap((sensor) => sensor.channels).reduce((sum, { series }) => sum + series.length, 0),
    spans: seriesRanges,
    done: [],
    samples: 0,
    parts: [],
    files: [],
  };
  await folder.removeUnfinished();
  await folder.writePlan(plan);
  await folder.writeJournal({ ...folder.journal, unfinished: run });
  return { run, plan };
}

/** Says what the run costs, while it is cheap to stop. */
async function announce(
  folder: OutputFolder,
  { log, push, freeBytes }: BackfillOptions,
  plan: BackfillPlan,
  ranges: readonly SeriesRange[],
  { nodes }: Tree,
): Promise<void> {
  const types = new Set(ranges.map(({ type }) => type)).size;
  const intervalOf = (id: string) => {
    const seconds = nodes.get(id)?.intervalSeconds;
    return seconds === undefined ? undefined : seconds * 1_000;
  };
  const estimate = estimateDisk(plan, ranges, intervalOf);
  const size = push === undefined ? estimate.files : estimate.parts;
  const free = await freeBytes(folder.path);
  const requests = plan.sensors.length * types;
  const fields = { requests, size: roughSize(size), free: roughSize(free), folder: folder.path };
  if (size > free) log.warn(fields, "the disk is probably too small for this history");
  else log.info(fields, "estimated requests and size of the history on disk");
}

/**
 * Continues the folder's run with its time range, sensors and names.
 * @throws ExporterError BACKFILL_OTHER_PARAMETERS, BACKFILL_DAMAGED, and what the client throws
 */
export async function continueRun(
  folder: OutputFolder,
  run: UnfinishedRun,
  options: BackfillOptions,
): Promise<BegunRun> {
  const { api, log, parameters, signal } = options;
  const differences = parameterDifferences(run.parameters, parameters);
  if (differences.length > 0) {
    const text = `${folder.path} has an unfinished backfill with other parameters: ${differences.join("; ")}`;
    throw new ExporterError("BACKFILL_OTHER_PARAMETERS", text);
  }
  log.info(`continuing the backfill of ${iso(run.startedAt)}: ${run.done.length} of ${run.sensors} sensors are done`);
  const plan = await folder.readPlan();
  if (plan.sensors.length !== run.sensors) {
    throw new ExporterError("BACKFILL_DAMAGED", `the plan in ${folder.path} has ${plan.sensors.length} sensors`);
  }
  // Windows depend on the server's clock, which the answer shows.
  if (run.done.length < plan.sensors.length) await api.health(signal);
  return { run, plan };
}

function resolveRange({ from, to, log, push }: BackfillOptions, now: number): Range {
  const range = { from: resolveTimeFlag(from, now), to: resolveTimeFlag(to, now) };
  if (range.from >= range.to) {
    const text = `--from (${iso(range.from)}) is not before --to (${iso(range.to)})`;
    throw new ExporterError("BACKFILL_RANGE_INVALID", text);
  }
  if (range.to > now) {
    throw new ExporterError("BACKFILL_RANGE_INVALID", `--to (${iso(range.to)}) lies in the future`);
  }
  if (push !== undefined && range.to > now - LIVE_MS + 1000) {
    log.warn("--to is less than 4h ago: serve also pushes these hours, which mixes measurements with averages");
  }
  if (push === undefined && range.to > now - HEAD_MS + 1000) {
    log.warn("--to is less than 3h ago: the blocks can overlap with samples in the memory of Prometheus");
  }
  return range;
}

async function refuseOverlaps(folder: OutputFolder, { from, to }: Range): Promise<void> {
  const { finished } = folder.journal;
  const overlapped = finished.find((run) => from < run.to && run.from < to);
  if (overlapped !== undefined) {
    const { from: begin, to: end, finishedAt } = overlapped;
    const text = `${folder.path} already has the history from ${iso(begin)} to ${iso(end)}, finished at ${iso(finishedAt)}`;
    throw new ExporterError("BACKFILL_OVERLAP", text);
  }
  const known = new Set(finished.flatMap(({ files }) => files));
  const unknown = new Set((await folder.listFiles()).filter((name) => !known.has(name)));
  for (let day = dayOf(from); day <= dayOf(to - 1); day++) {
    const name = dayFileName(day, from);
    if (!unknown.has(name)) continue;
    throw new ExporterError(
      "BACKFILL_OVERLAP",
      `${folder.filePath(name)} already exists, and no backfill into that directory wrote it`,
    );
  }
}

function refuseEmptyPlan(tree: Tree, selects: (sensor: TreeNode) => boolean): never {
  const selected = [...tree.nodes.values()].filter((node) => node.kind === "sensor" && selects(node)).length;
  const text =
    selected === 0
      ? `none of the ${tree.counts.sensor} visible sensors is selected`
      : `none of the ${selected} selected sensors has channels, or rules drop all of them`;
  throw new ExporterError("BACKFILL_NOTHING_SELECTED", text);
}

/** Another run may push other sensors for the same time. */
function refusePushedAlready(folder: OutputFolder, { from, to }: Range, { sensors }: BackfillPlan): void {
  const wanted = new Set(sensors.map(({ id }) => id));
  for (const run of folder.journal.finished) {
    const again = from < run.to && run.from < to ? (run.push?.sensors.filter((id) => wanted.has(id)) ?? []) : [];
    const [first] = again;
    if (first === undefined) continue;
    const which = `${again.length} of these sensors, such as ${first}`;
    const text = `the history of ${which} from ${iso(run.from)} to ${iso(run.to)} was already pushed, at ${iso(run.finishedAt)}`;
    throw new ExporterError("BACKFILL_OVERLAP", `${text} (recorded in ${folder.path})`);
  }
}

function iso(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

const ATTEMPTS = 3;

/**
 * Reads complete lists, because a missing sensor would be a permanent gap.
 * @throws ExporterError BACKFILL_LIST_MOVED, and errors of the client
 */
async function readInventory({ api, log, signal }: BackfillOptions) {
  const poll: { [Kind in NodeKind]?: ListResult<NodeRecord> } = {};
  // The list of sensors comes later, so it has the sensors of new channels.
  const channels = await readComplete("channels", () => api.channels({}, signal));
  for (const kind of api.readingOrder) {
    try {
      poll[kind] = await readComplete(`${kind}s`, () => api.nodes(kind, {}, signal));
    } catch (error) {
      const missing = error instanceof ExporterError && error.code === "API_ENDPOINT_MISSING";
      if (kind === "sensor" || !missing) throw error;
      log.warn(`continuing without the list of ${kind}s: ${describeError(error)}`);
    }
  }
  return { tree: reconcile(EMPTY_TREE, poll).tree, channels: channels.items };
}

async function readComplete<List extends { readonly complete: boolean }>(
  what: string,
  read: () => Promise<List>,
): Promise<List> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const list = await read();
    if (list.complete) return list;
  }
  throw new ExporterError("BACKFILL_LIST_MOVED", `the list of ${what} changed during each of ${ATTEMPTS} reads`);
}
