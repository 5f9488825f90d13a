import { formatLabels } from "../exposition/text-format.ts";
import { pathGlob } from "../lib/glob.ts";
import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { MetricFamily } from "../mapping/families/family.ts";
import type { Conversion } from "../mapping/units/base-units.ts";
import type { Tree, TreeNode } from "../model/tree.ts";
import type { ChannelRecord, ChannelRecords } from "../prtg/records.ts";
import type { ExtraLabel } from "./flag-values.ts";

/** Each list that is not empty must match. */
export interface Selection {
  readonly paths: readonly string[];
  /** As in the label `kind` of `prtg_sensor_info`. */
  readonly kinds: readonly string[];
  readonly tags: readonly string[];
}

export function sensorFilter({ paths, kinds, tags }: Selection): (sensor: TreeNode) => boolean {
  const globs = paths.map(pathGlob);
  return (sensor) =>
    (globs.length === 0 || globs.some((fits) => fits(sensor.path))) &&
    (kinds.length === 0 || kinds.includes(sensor.type)) &&
    (tags.length === 0 || sensor.tags.some((tag) => tags.includes(tag)));
}

/** All that a run needs to continue. */
export interface BackfillPlan {
  /** In the order of files. */
  readonly families: readonly MetricFamily[];
  /** By id, in the order of files. */
  readonly sensors: readonly PlannedSensor[];
}

export type PlannedDevice = Pick<TreeNode, "id" | "name" | "host" | "probe" | "group" | "path">;

export interface PlannedSensor {
  readonly id: string;
  readonly path: string;
  /** For a push. `undefined` if not visible. */
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
  /** From the display unit to the unit of the family. */
  readonly conversion?: Conversion;
}

export interface PlanOptions {
  readonly server: string;
  readonly mapper: ChannelMapper;
  readonly extraLabels: readonly ExtraLabel[] | undefined;
  readonly selects: (sensor: TreeNode) => boolean;
}

type FormatSeriesLabels = (family: MetricFamily, values: readonly string[]) => string;

/** Sensors and channels by id, with the series of `serve`. Leaves out sensors without served channels. */
export function planSensors(tree: Tree, channels: ChannelRecords, options: PlanOptions): BackfillPlan {
  const { mapper, extraLabels, selects } = options;
  const families = historyFamilies(mapper);
  const format = extraLabels === undefined ? formatValues : textFormat(extraLabels);
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

function formatValues(_: MetricFamily, values: readonly string[]): string {
  return JSON.stringify(values);
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
