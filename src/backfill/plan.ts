import type { ChannelRecord } from "../api/records.ts";
import { formatLabels } from "../exposition/text.ts";
import { channelLabels } from "../mapping/labels.ts";
import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import type { Tree, TreeNode } from "../tree/model.ts";
import type { ExtraLabel } from "./extra-labels.ts";

/** A sensor whose history is to be read, with the series that its channels become. */
export interface PlannedSensor {
  readonly id: string;
  readonly path: string;
  /** In the order in which files have them. */
  readonly series: readonly PlannedSeries[];
}

export interface PlannedSeries {
  readonly channelId: string;
  /** As in the text format, `{server="hq",sensor_id="2490",...}`; for a push their values as a JSON array. */
  readonly labels: string;
}

export interface PlanOptions {
  readonly server: string;
  /** Undefined for a push. */
  readonly extraLabels: readonly ExtraLabel[] | undefined;
  readonly selects: (sensor: TreeNode) => boolean;
}

/** Sensors and channels by their ids, whatever order the server sent them in. Sensors without channels are left out. */
export function planSensors(tree: Tree, channels: readonly ChannelRecord[], options: PlanOptions): PlannedSensor[] {
  const { server, extraLabels, selects } = options;
  const format = extraLabels === undefined ? formatValues : textFormat(extraLabels);
  const channelsOf = Map.groupBy(channels, ({ sensorId }) => sensorId);
  const planned: PlannedSensor[] = [];
  for (const sensor of [...tree.nodes.values()].sort((a, b) => compareIds(a.id, b.id))) {
    const records = channelsOf.get(sensor.id);
    if (sensor.kind !== "sensor" || records === undefined || !selects(sensor)) continue;
    const series = records
      .toSorted((a, b) => compareIds(a.channelId, b.channelId))
      .map((record) => ({
        channelId: record.channelId,
        labels: format(channelLabels(server, sensor, record)),
      }));
    planned.push({ id: sensor.id, path: sensor.path, series });
  }
  return planned;
}

function formatValues(values: readonly string[]): string {
  return JSON.stringify(values);
}

function textFormat(extraLabels: readonly ExtraLabel[]): (values: readonly string[]) => string {
  const names = [...TREE_FAMILIES.channelValue.labels, ...extraLabels.map(({ name }) => name)];
  const extraValues = extraLabels.map(({ value }) => value);
  return (values) => formatLabels(names, [...values, ...extraValues]);
}

/** Numbers by their size, before other text. */
function compareIds(a: string, b: string): number {
  const [left, right] = [Number(a), Number(b)];
  if (left !== right && !Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(left) ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
