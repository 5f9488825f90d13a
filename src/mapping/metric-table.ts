/**
 * The one table of metric families. The code takes names, help and labels from here; `docs/metrics.md` is generated
 * from it; dashboards and alerts may use nothing else. What value a family shows, and until when, its declaration in
 * `projection/` says, which refers to here: it needs the model, and this file imports nothing, because the schema of the
 * configuration and the checks of rules need the names.
 */
export interface MetricFamily {
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram";
  /** Constant per name; says where in the API the value comes from. */
  readonly help: string;
  /** In the order in which they are written. `server` is the configured name of the monitoring server. */
  readonly labels: readonly string[];
}

/** S: the labels of a sensor. */
export const SENSOR_LABELS = ["sensor_id", "probe", "group", "device", "sensor", "path"] as const;
/** C: the labels of a channel. */
export const CHANNEL_LABELS = [
  "sensor_id",
  "channel_id",
  "probe",
  "group",
  "device",
  "sensor",
  "channel",
  "unit",
  "path",
] as const;

function gauge<const Name extends string>(name: Name, labels: readonly string[], help: string) {
  return { name, type: "gauge", help, labels: ["server", ...labels] } as const;
}

/** Families about the monitored world: held in the store, one sample per object. */
export const TREE_FAMILIES = {
  serverInfo: gauge("prtg_server_info", ["version"], "Always 1; version of the monitoring server (GET /version)."),
  sensors: gauge("prtg_sensors", ["status"], "Sensors per status (GET /sensor-status-summary)."),
  objects: gauge("prtg_objects", ["kind"], "Objects per kind (GET /objects/count)."),
  nodeStatusCode: gauge(
    "prtg_node_status_code",
    ["id", "kind", "path"],
    "Own status of a probe, group or device as the position of its token in the API's list: none 0, up 3, down 5, disconnected 6. Not a roll-up.",
  ),
  nodeSensors: gauge(
    "prtg_node_sensors",
    ["id", "kind", "path", "status"],
    "Sensors per status below a probe or group, and below a device where metrics.node_sensors asks for it (include=sensor_status_summary).",
  ),
  sensorStatus: gauge(
    "prtg_sensor_status",
    [...SENSOR_LABELS, "status"],
    "1 for the current status of the sensor; other statuses have no series, or 0 when all are asked for.",
  ),
  sensorStatusCode: gauge(
    "prtg_sensor_status_code",
    SENSOR_LABELS,
    "Status of the sensor as the position of its token in the API's list: none 0, unknown 1, collecting 2, up 3, warning 4, down 5, disconnected 6, pausedbyuser 7, pausedbydependency 8, pausedbyschedule 9, unusual 10, pausedbylicense 11, pauseduntil 12, acknowledged 13, partialdown 14.",
  ),
  sensorInfo: gauge(
    "prtg_sensor_info",
    ["sensor_id", "device_id", "kind", "kind_name", "priority", "tags", "favorite"],
    "Always 1; properties of the sensor.",
  ),
  deviceInfo: gauge(
    "prtg_device_info",
    ["device_id", "device", "host", "kind", "tags", "path"],
    "Always 1; properties of the device.",
  ),
  sensorInterval: gauge(
    "prtg_sensor_interval_seconds",
    SENSOR_LABELS,
    "Scanning interval of the sensor (include=intervalgroup).",
  ),
  sensorStatusSince: gauge(
    "prtg_sensor_status_since_timestamp_seconds",
    SENSOR_LABELS,
    "Unix time since when the sensor has its status (status_since).",
  ),
  sensorLastMeasurement: gauge(
    "prtg_sensor_last_measurement_timestamp_seconds",
    SENSOR_LABELS,
    "Unix time of the newest measurement of any channel of the sensor (last_measurement.timestamp).",
  ),
  channelValue: gauge(
    "prtg_channel_value",
    CHANNEL_LABELS,
    "Last measurement of the channel in the unit that the label names (last_measurement.display_value).",
  ),
  channelLimit: gauge(
    "prtg_channel_limit",
    [...CHANNEL_LABELS, "limit"],
    "Limit that is set on the channel, in the unit of its value (include=alerting).",
  ),
  channelLimitExceeded: gauge(
    "prtg_channel_limit_exceeded",
    ["sensor_id", "channel_id", "limit"],
    "1 when the channel's value is beyond that limit, else 0; only where the limit is set and a value is served.",
  ),
  channelState: gauge(
    "prtg_channel_state",
    [...CHANNEL_LABELS, "state"],
    "1 for the text of the channel's current value in the lookup that the channel has (GET /lookup-definitions, include=values); a number that the lookup lacks is its own text.",
  ),
  channelInfo: gauge(
    "prtg_channel_info",
    [...CHANNEL_LABELS, "metric"],
    "Always 1; all labels of the channel, and the metric that shows its value. Served when labels are left out, or on request.",
  ),
  channelPrimary: gauge(
    "prtg_channel_primary",
    ["sensor_id", "channel_id"],
    "1 for the primary channel of the sensor (GET /experimental/channels, filter primary = true). Only with the collector details.",
  ),
  licenseUsed: gauge(
    "prtg_license_sensors_used",
    [],
    "Sensors that count against the license (GET /experimental/license). Only with the collector details, where the server tells.",
  ),
  licenseMax: gauge(
    "prtg_license_sensors_max",
    [],
    "Sensors that the license allows; no series where it sets no limit (GET /experimental/license). Only with the collector details.",
  ),
  licenseExpiry: gauge(
    "prtg_license_expiry_timestamp_seconds",
    [],
    "Unix time at which the license ends (GET /experimental/license). Only with the collector details, where the server tells.",
  ),
  autodiscoveries: gauge(
    "prtg_autodiscoveries_running",
    [],
    "Auto-discoveries under way (GET /autodiscoveries). Only with the collector details.",
  ),
  probeConnected: gauge(
    "prtg_probe_connected",
    ["id", "kind", "path"],
    "1 while the core has a connection to the probe, else 0 (GET /probes/{id}/info). Only with the collector details, where the server tells.",
  ),
} as const satisfies Record<string, MetricFamily>;

export type TreeFamilyName = keyof typeof TREE_FAMILIES;
