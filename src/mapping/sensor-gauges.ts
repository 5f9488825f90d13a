import type { NodeRecord } from "../prtg/records.ts";
import { statusCode } from "../prtg/status.ts";
import { type MetricFamily, TREE_FAMILIES } from "./metric-table.ts";

/** A family with one series per sensor whose labels do not depend on the status. */
export interface SensorGauge {
  readonly family: MetricFamily;
  /** Which label values of a sensor: `server` and S, or those of `prtg_sensor_info`. */
  readonly labels: "sensor" | "sensorInfo";
  /** Undefined where the record does not tell: the series keeps what an earlier poll said until that expires. */
  readonly value: (record: NodeRecord) => number | undefined;
  /** Which polls confirm the value: those for states, or those for properties. */
  readonly of: "state" | "property";
}

export const SENSOR_GAUGES: readonly SensorGauge[] = [
  {
    family: TREE_FAMILIES.sensorStatusCode,
    labels: "sensor",
    value: (record) => statusCode(record.status),
    of: "state",
  },
  {
    family: TREE_FAMILIES.sensorStatusSince,
    labels: "sensor",
    value: (record) => toSeconds(record.statusSince),
    of: "state",
  },
  { family: TREE_FAMILIES.sensorInfo, labels: "sensorInfo", value: () => 1, of: "property" },
  {
    family: TREE_FAMILIES.sensorInterval,
    labels: "sensor",
    value: (record) => record.intervalSeconds,
    of: "property",
  },
];

/** Milliseconds since the epoch to seconds, as Prometheus wants them. */
export function toSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
