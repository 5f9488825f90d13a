import { plainMapper } from "../../src/mapping/channel-mapper.ts";
import type { ChannelIdentity } from "../../src/mapping/families/labels.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { ValueSeries } from "../../src/mapping/rules/rule.ts";
import type { MeasurementRow } from "../../src/measurements/measurement.ts";
import type { TreeNode } from "../../src/model/tree.ts";
import { CHANNELS_PER_SENSOR } from "../processes/simulator.ts";

export const POINTS = Number(process.argv[2]);
export const RECEIVER = process.argv[3] ?? "";
/** OpenTelemetry names, one resource per device. */
export const IS_OTEL = process.argv[4] === "otel";
/** Close to the usual limit of 4 MiB. */
export const REQUEST_POINTS = 5_000;

export const FAMILY = TREE_FAMILIES.channelValue;

/** Real labels have some 200 bytes a line. */
export function labelValuesOf(index: number): string[] {
  const sensor = Math.floor(index / 10);
  const device = Math.floor(sensor / 10);
  const deviceName = `core-sw-${device}.fra.example.net`;
  const sensorName = `SNMP Traffic ${sensor}`;
  return [
    "hq",
    String(2_000 + sensor),
    String(index % 10),
    "Frankfurt",
    "Switches",
    deviceName,
    sensorName,
    `Traffic ${index % 10}`,
    "Mbit/s",
    `Frankfurt/Network/Switches/${deviceName}/${sensorName}`,
  ];
}

export function pointValue(index: number): number {
  return index / 3;
}

export function attributesOf(index: number): Record<string, string> {
  const values = labelValuesOf(index);
  return Object.fromEntries(FAMILY.labels.map((label, position) => [label, values[position] ?? ""]));
}

/** One row per sensor. */
export function measurementRows(at: number): MeasurementRow[] {
  const rows: MeasurementRow[] = [];
  for (let from = 0; from < POINTS; from += CHANNELS_PER_SENSOR) {
    const values: [string, number][] = [];
    for (let index = from; index < Math.min(POINTS, from + CHANNELS_PER_SENSOR); index++) {
      values.push([String(index % CHANNELS_PER_SENSOR), pointValue(index)]);
    }
    rows.push({ sensorId: String(from / CHANNELS_PER_SENSOR), resolution: "live", at, values });
  }
  return rows;
}

/** On demand, as in the exporter. */
export function describedSeries(): (sensorId: string, channelId: string) => readonly ValueSeries[] {
  const mapper = plainMapper();
  const sensors: TreeNode[] = [];
  const channels: ChannelIdentity[] = [];
  for (let index = 0; index < POINTS; index++) {
    const [
      ,
      id = "",
      channelId = "",
      probe = "",
      group = "",
      device = "",
      sensor = "",
      name = "",
      unit = "",
      path = "",
    ] = labelValuesOf(index);
    channels.push({ channelId, name, unit });
    if (index % CHANNELS_PER_SENSOR > 0) continue;
    sensors.push({ ...SENSOR, id, name: sensor, ...{ probe, group, device, path } });
  }
  return (sensorId, channelId) => {
    const node = sensors[Number(sensorId)];
    const identity = channels[Number(sensorId) * CHANNELS_PER_SENSOR + Number(channelId)];
    if (node === undefined || identity === undefined) return [];
    const channel = { ...identity, sensor: { node } };
    return mapper.seriesOf(mapper.serve("hq", channel), mapper.labels.channel("hq", channel));
  };
}

const SENSOR: TreeNode = {
  ...{ id: "", kind: "sensor", name: "", type: "snmptraffic", typeName: "SNMP Traffic", parent: undefined },
  ...{ priority: undefined, favorite: undefined, host: undefined, intervalSeconds: 60, tags: [], inheritedTags: [] },
  ...{ path: "", probe: "", group: "", device: "", deviceId: "", parentId: "", unseen: [], orphan: false },
};
