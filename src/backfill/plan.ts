import { formatLabels } from "../exposition/text-format.ts";
import { pathGlob } from "../lib/glob.ts";
import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import type { Conversion } from "../mapping/units/base-units.ts";
import type { Tree, TreeNode } from "../model/tree.ts";
import type { ChannelRecord, ChannelRecords } from "../prtg/records.ts";
import { SERIES_STEP_MS, SERIES_WINDOW_MS, type SeriesType } from "../prtg/series-types.ts";
import type { ExtraLabel, Selection } from "./parameters.ts";

export function sensorFilter({ paths, kinds, tags }: Selection): (sensor: TreeNode) => boolean {
  const globs = paths.map(pathGlob);
  return (sensor) =>
    (globs.length === 0 || globs.some((fits) => fits(sensor.path))) &&
    (kinds.length === 0 || kinds.includes(sensor.type)) &&
    (tags.length === 0 || sensor.tags.some((tag) => tags.includes(tag)));
}

/** All that a run needs to continue. */
export interface BackfillPlan {
  /** Families in the order of files. */
  readonly families: readonly MetricFamily[];
  /** Sensors by id, in the order of files. */
  readonly sensors: readonly PlannedSensor[];
}

export type PlannedDevice = Pick<TreeNode, "id" | "name" | "host" | "probe" | "group" | "path">;

export interface PlannedSensor {
  readonly id: string;
  readonly path: string;
  /** Device, for a push. `undefined` if not visible. */
  readonly device?: PlannedDevice;
  readonly channels: readonly PlannedChannel[];
}

export interface PlannedChannel {
  readonly channelId: string;
  /** Empty if a rule drops the channel. */
  readonly series: readonly PlannedSeries[];
}

export interface PlannedSeries {
  readonly family: number;
  /** Text format, `{server="hq",sensor_id="2490",...}`. For a push, values as a JSON array. */
  readonly labels: string;
  /** Conversion from the display unit to the unit of the family. */
  readonly conversion?: Conversion;
}

export interface PlanOptions {
  readonly server: string;
  readonly mapper: ChannelMapper;
  readonly extraLabels: readonly ExtraLabel[] | undefined;
  readonly selects: (sensor: TreeNode) => boolean;
}

const jsonFormat: FormatSeriesLabels = (_, values) => JSON.stringify(values);
type FormatSeriesLabels = (family: MetricFamily, values: readonly string[]) => string;

/** Sensors and channels by id, with the series of `serve`. Leaves out sensors without served channels. */
export function planSensors(tree: Tree, channels: ChannelRecords, options: PlanOptions): BackfillPlan {
  const { mapper, extraLabels, selects } = options;
  const families = historyFamilies(mapper);
  const format = extraLabels === undefined ? jsonFormat : textFormat(extraLabels);
  const planChannel = channelPlanner(families, format, options);
  const channelsOf = Map.groupBy(channels, ({ sensorId }) => sensorId);
  const sensors: PlannedSensor[] = [];
  for (const sensor of [...tree.nodes.values()].sort((a, b) => compareIds(a.id, b.id))) {
    const records = channelsOf.get(sensor.id);
    if (sensor.kind !== "sensor" || records === undefined || !selects(sensor)) continue;
    const planned = records
      .toSorted((a, b) => compareIds(a.channelId, b.channelId))
      .map((record) => planChannel(sensor, record));
    if (planned.every(({ series }) => series.length === 0)) continue;
    const device = extraLabels === undefined ? planDevice(tree.nodes.get(sensor.deviceId)) : undefined;
    sensors.push({ id: sensor.id, path: sensor.path, ...(device && { device }), channels: planned });
  }
  return { families, sensors };
}

function planDevice(node: TreeNode | undefined): PlannedDevice | undefined {
  if (node?.kind !== "device") return undefined;
  const { id, name, host, probe, group, path } = node;
  return { id, name, host, probe, group, path };
}

/** Families of history. */
export function historyFamilies({ labels, families }: ChannelMapper): readonly MetricFamily[] {
  return [labels.families.channelValue, ...families].map(({ name, type, help, labels: names }) => {
    return { name, type, help, labels: names };
  });
}

function channelPlanner(
  families: readonly MetricFamily[],
  format: FormatSeriesLabels,
  { server, mapper }: PlanOptions,
): (sensor: TreeNode, record: ChannelRecord) => PlannedChannel {
  const positions = new Map(families.map(({ name }, position) => [name, position]));
  return (node, { channelId, name, unit }) => {
    const channel = { sensor: { node }, channelId, name, unit };
    const serving = mapper.serve(server, channel);
    const series = mapper.seriesOf(serving, mapper.labels.channel(server, channel));
    return {
      channelId,
      series: series.map(({ family, labels, conversion }) => ({
        family: positions.get(family.name) ?? 0,
        labels: format(family, labels),
        ...(conversion !== undefined && { conversion }),
      })),
    };
  };
}

function textFormat(extraLabels: readonly ExtraLabel[]): FormatSeriesLabels {
  const extraNames = extraLabels.map(({ name }) => name);
  const extraValues = extraLabels.map(({ value }) => value);
  return (family, values) => formatLabels([...family.labels, ...extraNames], [...values, ...extraValues]);
}

/** Numbers first. */
function compareIds(a: string, b: string): number {
  const [left, right] = [Number(a), Number(b)];
  if (left !== right && !Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(left) ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Milliseconds since the epoch. Excludes `to`. */
export interface SeriesRange {
  readonly type: SeriesType;
  readonly from: number;
  readonly to: number;
}

export interface RangeRequest {
  readonly from: number;
  readonly to: number;
  /** The server's clock, where windows end. */
  readonly now: number;
}

/** Windows move while other sensors are read. */
const MARGIN_MS = 60 * 60_000;
const MARGIN_SHARE = 1 / 24;

/**
 * The series to read, oldest first: the finest whose window covers the time. Ranges and rows do not overlap. Leaves out
 * times outside of all windows, and unfinished averages.
 * @param types The finest first.
 */
export function planSeriesRanges(
  { from, to, now }: RangeRequest,
  types: readonly SeriesType[],
): readonly SeriesRange[] {
  const ranges: SeriesRange[] = [];
  let end = to;
  for (const [index, type] of types.entries()) {
    if (from >= end) break;
    const coarser = types[index + 1];
    let begin = Math.max(from, now - SERIES_WINDOW_MS[type]);
    // Less than one row of the coarser series is not worth a request.
    const coarserAdds = coarser !== undefined && begin - from >= SERIES_STEP_MS[coarser];
    if (coarserAdds) begin = ceilTo(begin + marginOf(type), SERIES_STEP_MS[coarser]);
    if (begin >= end) continue;
    const finished = now - SERIES_STEP_MS[type] + 1;
    if (begin < finished) ranges.unshift({ type, from: begin, to: Math.min(end, finished) });
    end = coarserAdds ? begin : from;
  }
  return ranges;
}

/** Plans again what windows left behind. */
export function renewSeriesRanges(
  planned: readonly SeriesRange[],
  now: number,
  types: readonly SeriesType[],
): readonly SeriesRange[] {
  return planned.flatMap(({ type, from, to }) => planSeriesRanges({ from, to, now }, types.slice(types.indexOf(type))));
}

function marginOf(type: SeriesType): number {
  return Math.min(MARGIN_MS, SERIES_WINDOW_MS[type] * MARGIN_SHARE);
}

function ceilTo(at: number, step: number): number {
  return Math.ceil(at / step) * step;
}

export interface DiskEstimate {
  /** Bytes while the series are read. Files take their place day by day. */
  readonly parts: number;
  /** Bytes of the finished files. */
  readonly files: number;
}

/** Digits of an average value, with its separator. */
const VALUE_LENGTH = 10;
/** `1773337350` or `1773337350.1231`, with blank and line end. */
const TIME_LENGTH = 12;
/** Milliseconds, with their separator. */
const PART_TIME_LENGTH = 14;
const DEFAULT_INTERVAL_MS = 60_000;

/** @param intervalOf Scanning interval of a sensor, milliseconds, if known. */
export function estimateDisk(
  { families, sensors }: BackfillPlan,
  ranges: readonly SeriesRange[],
  intervalOf: (sensorId: string) => number | undefined,
): DiskEstimate {
  let [parts, files] = [0, 0];
  for (const { id, channels } of sensors) {
    const intervalMs = intervalOf(id) ?? DEFAULT_INTERVAL_MS;
    const rows = ranges.reduce((sum, { type, from, to }) => {
      return sum + (to - from) / Math.max(SERIES_STEP_MS[type], intervalMs);
    }, 0);
    for (const { series } of channels) {
      if (series.length > 0) parts += rows * (VALUE_LENGTH + PART_TIME_LENGTH);
      for (const { family, labels } of series) {
        const name = families[family]?.name ?? "";
        files += rows * (name.length + Buffer.byteLength(labels) + VALUE_LENGTH + TIME_LENGTH);
      }
    }
  }
  return { parts: Math.ceil(parts), files: Math.ceil(files) };
}

/** Two digits are enough for an estimate. */
export function roughSize(bytes: number): string {
  const [unit, size] = UNITS.find(([, size]) => bytes >= size) ?? ["kB", 1e3];
  const count = bytes / size;
  return `${count < 10 ? count.toFixed(1) : Math.round(count)} ${unit}`;
}

const UNITS = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
] as const;
