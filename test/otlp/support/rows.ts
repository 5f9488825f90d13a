import type { MetricFamily } from "../../../src/mapping/families/family.ts";
import { TREE_FAMILIES } from "../../../src/mapping/metric-table.ts";
import type { ValueSeries } from "../../../src/mapping/rules/rule.ts";
import type { MeasurementRow, Resolution } from "../../../src/measurements/measurement.ts";

export const NOON = Date.UTC(2026, 0, 15, 12) + 123;

/** Values that identify sensor, time and channel. */
export function row(sensorId: string, at: number, channels: number, resolution: Resolution = "live"): MeasurementRow {
  const values = Array.from({ length: channels }, (_, channel): [string, number] => [
    String(channel),
    at - NOON + channel / 16,
  ]);
  return { sensorId, at, resolution, values };
}

/** Channel labels in the metric table's order. */
export function channelLabels(sensorId: string, channelId: string, name = `Channel ${channelId}`): readonly string[] {
  const sensor = `Sensor ${sensorId}`;
  const path = `Local Probe/Network/switch/${sensor}`;
  return ["hq", sensorId, channelId, "Local Probe", "Network", "switch", sensor, name, "ms", path];
}

export function describeAll(sensorId: string, channelId: string): readonly ValueSeries[] {
  return [{ family: TREE_FAMILIES.channelValue, labels: channelLabels(sensorId, channelId) }];
}

export const MAPPED: MetricFamily = {
  name: "prtg_ping_time_seconds",
  type: "gauge",
  help: "Round trip time.",
  labels: ["server", "sensor_id"],
};
