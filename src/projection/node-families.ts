import { TREE_FAMILIES } from "../mapping/metric-table.ts";
import { NODE_FACTS, type NodeState } from "../model/node-state.ts";
import type { NodeKind } from "../prtg/records.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../prtg/status.ts";
import type { Family } from "./family.ts";

/** What decides, beside a node, which series it has. */
export interface AboutNodes {
  /** Kinds below which sensors are counted per status. */
  readonly countedKinds: ReadonlySet<NodeKind>;
}

export type NodeFamily = Family<NodeState, AboutNodes, "node" | "device" | "sensor" | "sensorInfo">;

const { status, properties, summary, measurement } = NODE_FACTS;

/** Of probes, groups and devices. */
export const PARENT_FAMILIES = {
  nodeStatusCode: {
    family: TREE_FAMILIES.nodeStatusCode,
    labels: "node",
    facts: status,
    value: codeOf,
    until: (node) => node.statusUntil,
  },
  deviceInfo: {
    family: TREE_FAMILIES.deviceInfo,
    labels: "device",
    facts: properties,
    has: ({ node }) => node.kind === "device",
    value: () => 1,
    until: (device) => device.listedUntil,
  },
  nodeSensors: {
    family: TREE_FAMILIES.nodeSensors,
    labels: "node",
    facts: summary,
    each: STATUS_TOKENS,
    has: ({ node }, { countedKinds }) => countedKinds.has(node.kind),
    value: ({ summary: known }, _, token) => known?.counts.get(token as StatusToken),
    until: (node) => node.summaryUntil,
  },
} as const satisfies Record<string, NodeFamily>;

export const SENSOR_FAMILIES = {
  sensorStatusCode: {
    family: TREE_FAMILIES.sensorStatusCode,
    labels: "sensor",
    facts: status,
    value: codeOf,
    until: (sensor) => sensor.statusUntil,
  },
  sensorStatusSince: {
    family: TREE_FAMILIES.sensorStatusSince,
    labels: "sensor",
    facts: status,
    value: (sensor) => toSeconds(sensor.statusSince),
    until: (sensor) => sensor.statusSinceUntil,
  },
  sensorInfo: {
    family: TREE_FAMILIES.sensorInfo,
    labels: "sensorInfo",
    facts: properties,
    value: () => 1,
    until: (sensor) => sensor.listedUntil,
  },
  sensorInterval: {
    family: TREE_FAMILIES.sensorInterval,
    labels: "sensor",
    facts: properties,
    value: (sensor) => sensor.intervalSeconds,
    until: (sensor) => sensor.intervalUntil,
  },
  sensorStatus: {
    family: TREE_FAMILIES.sensorStatus,
    labels: "sensor",
    facts: status,
    own: (sensor) => sensor.status ?? "",
    value: (sensor) => (sensor.status === undefined ? undefined : 1),
    until: (sensor) => sensor.statusUntil,
  },
  sensorLastMeasurement: {
    family: TREE_FAMILIES.sensorLastMeasurement,
    labels: "sensor",
    facts: measurement,
    value: (sensor) => toSeconds(sensor.lastMeasuredAt),
    // It is the age of what is no longer served.
    until: () => Number.POSITIVE_INFINITY,
  },
} as const satisfies Record<string, NodeFamily>;

/** In place of `sensorStatus` where all statuses are asked for. */
export const ALL_STATUSES: NodeFamily = {
  family: TREE_FAMILIES.sensorStatus,
  labels: "sensor",
  facts: status,
  each: STATUS_TOKENS,
  value: (sensor, _, token) => (sensor.status === undefined ? undefined : Number(sensor.status === token)),
  until: (sensor) => sensor.statusUntil,
};

function codeOf(node: NodeState): number | undefined {
  return node.status === undefined ? undefined : statusCode(node.status);
}

/** Milliseconds since the epoch to seconds, as Prometheus wants them. */
function toSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
