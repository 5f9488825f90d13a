import { NODE_FACTS, type NodeState } from "../../model/node-state.ts";
import { locationOf } from "../../prtg/decode/location.ts";
import type { NodeKind } from "../../prtg/node-record.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../../prtg/status.ts";
import type { Family } from "./family.ts";
import {
  DEVICE_INFO_LABELS,
  NODE_ID_LABELS,
  NODE_LABELS,
  NODE_LOCATION_LABELS,
  SENSOR_INFO_LABELS,
  SENSOR_LABELS,
} from "./labels.ts";

/** The part of the configuration that decides which series a node has. */
export interface AboutNodes {
  /** Kinds below which the exporter counts the sensors per status. */
  readonly countedKinds: ReadonlySet<NodeKind>;
}

export type NodeFamily = Family<NodeState, AboutNodes>;

const { status, properties, summary, measurement } = NODE_FACTS;

/** Of all objects. */
export const NODE_FAMILIES = {
  dependencyInfo: {
    name: "prtg_dependency_info",
    help: "Always 1. Id of the object that this one depends on, if that is not its parent (include=scheduledependency). Only with metrics.dependency_info.",
    stability: "experimental",
    option: "dependencyInfo",
    labels: NODE_ID_LABELS,
    lastLabel: { name: "depends_on_id", textOf: ({ facts }) => facts.dependsOn ?? "" },
    facts: properties,
    has: ({ facts: { dependsOn = "" } }) => dependsOn !== "",
    value: () => 1,
    expiresAt: (node) => node.expiryOf("dependsOn").property,
  },
} as const satisfies Record<string, NodeFamily>;

/** Of probes, groups and devices. */
export const PARENT_FAMILIES = {
  nodeStatusCode: {
    name: "prtg_node_status_code",
    help: "Own status of a probe, group or device, without its children, as status code: none 0, up 3, down 5, disconnected 6.",
    labels: NODE_LABELS,
    facts: status,
    value: codeOf,
    expiresAt: (node) => node.listExpiry.state,
  },
  deviceInfo: {
    name: "prtg_device_info",
    help: "Always 1. Properties of the device.",
    labels: DEVICE_INFO_LABELS,
    facts: properties,
    has: ({ node }) => node.kind === "device",
    value: () => 1,
    expiresAt: (device) => device.listExpiry.property,
  },
  nodeLocation: {
    name: "prtg_node_location_info",
    help: "Always 1. Coordinates of a probe, group or device in degrees, from its own tag such as geo:50.11_8.68. Not with metrics.location_info: false.",
    stability: "experimental",
    option: "locationInfo",
    labels: NODE_LOCATION_LABELS,
    facts: properties,
    has: ({ node }) => typeof locationOf(node.tags) === "object",
    value: () => 1,
    expiresAt: (node) => node.listExpiry.property,
  },
  nodeSensors: {
    name: "prtg_node_sensors",
    help: "Sensors per status below a probe or group, and below a device if metrics.node_sensors has device (include=sensor_status_summary).",
    labels: NODE_LABELS,
    lastLabel: { name: "status", values: STATUS_TOKENS },
    facts: summary,
    has: ({ node }, { countedKinds }) => countedKinds.has(node.kind),
    value: ({ facts }, _, token) => facts.summary?.counts.get(token as StatusToken),
    expiresAt: (node) => node.expiryOf("summary").state,
  },
} as const satisfies Record<string, NodeFamily>;

export const SENSOR_FAMILIES = {
  sensorStatus: {
    name: "prtg_sensor_status",
    help: "1 for the current status of the sensor. Other statuses are absent, or 0 with metrics.sensor_status: all.",
    labels: SENSOR_LABELS,
    lastLabel: { name: "status", textOf: (sensor) => sensor.status ?? "" },
    facts: status,
    value: (sensor) => (sensor.status === undefined ? undefined : 1),
    expiresAt: (sensor) => sensor.listExpiry.state,
  },
  sensorStatusCode: {
    name: "prtg_sensor_status_code",
    help: `Status of the sensor as status code: ${STATUS_TOKENS.map((token) => `${token} ${statusCode(token)}`).join(", ")}.`,
    labels: SENSOR_LABELS,
    facts: status,
    value: codeOf,
    expiresAt: (sensor) => sensor.listExpiry.state,
  },
  sensorInfo: {
    name: "prtg_sensor_info",
    help: "Always 1. Properties of the sensor.",
    labels: SENSOR_INFO_LABELS,
    facts: properties,
    value: () => 1,
    expiresAt: (sensor) => sensor.listExpiry.property,
  },
  sensorInterval: {
    name: "prtg_sensor_interval_seconds",
    help: "Scanning interval of the sensor (include=intervalgroup).",
    labels: SENSOR_LABELS,
    facts: properties,
    value: ({ facts }) => facts.intervalSeconds,
    expiresAt: (sensor) => sensor.expiryOf("intervalSeconds").property,
  },
  sensorDownDelay: {
    name: "prtg_sensor_down_delay_intervals",
    help: "Scanning intervals for which PRTG shows a failing sensor as warning before it is down (errorintervalsdown). Only with metrics.sensor_down_delay.",
    stability: "experimental",
    option: "sensorDownDelay",
    labels: SENSOR_LABELS,
    facts: properties,
    value: ({ facts }) => facts.downDelay,
    expiresAt: (sensor) => sensor.expiryOf("downDelay").property,
  },
  sensorStatusSince: {
    name: "prtg_sensor_status_since_timestamp_seconds",
    help: "Unix time at which the current status of the sensor began (status_since).",
    labels: SENSOR_LABELS,
    facts: status,
    value: (sensor) => toSeconds(sensor.statusSince),
    expiresAt: (sensor) => sensor.statusSinceExpiry.state,
  },
  sensorLastMeasurement: {
    name: "prtg_sensor_last_measurement_timestamp_seconds",
    help: "Unix time of the newest measurement of any channel of the sensor (last_measurement.timestamp).",
    labels: SENSOR_LABELS,
    facts: measurement,
    value: (sensor) => toSeconds(sensor.lastMeasuredAt),
    // The age of a value that the exporter has withdrawn.
    expiresAt: () => Number.POSITIVE_INFINITY,
  },
} as const satisfies Record<string, NodeFamily>;

/** `prtg_sensor_status` with a series for every status: 0 or 1. */
export const ALL_STATUSES: NodeFamily = {
  ...SENSOR_FAMILIES.sensorStatus,
  lastLabel: { name: "status", values: STATUS_TOKENS },
  value: (sensor, _, token) => (sensor.status === undefined ? undefined : Number(sensor.status === token)),
};

function codeOf(node: NodeState): number | undefined {
  return node.status === undefined ? undefined : statusCode(node.status);
}

/** From milliseconds since the epoch. */
function toSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
