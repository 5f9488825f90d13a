import * as units from "@grafana/grafana-foundation-sdk/units";
import { STATUS_TOKENS, type StatusToken } from "../../src/prtg/status.ts";
import { chosenEvents, statusChanges, statusEvents } from "./annotations.ts";
import { channelGraph } from "./channel-graph.ts";
import { channelTable } from "./channel-table.ts";
import { buildDashboard } from "./dashboard.ts";
import { ID, linkTo, toSensor, UIDS, WEB_COLUMN } from "./links.ts";
import { logsPanel } from "./logs-panel.ts";
import { graphPanel, HEIGHT, statPanel, timelinePanel } from "./panels.ts";
import { measurementAges, SENSOR_KEY, withWeb } from "./sensor-queries.ts";
import { colorOf, NEUTRAL, STATUS_CODE_MAPPING } from "./statuses.ts";
import { colored, tablePanel } from "./table.ts";
import { choice, chosen, DEVICE, dataSource, GROUP, JOB, logs, PROBE, SENSOR, SERVER, SERVERS } from "./variables.ts";

const DEVICES = `${SERVERS},${chosen("probe", "group", "device")}`;
const SENSORS = `${DEVICES},${chosen("sensor")}`;
const EVENTS = chosenEvents("probe", "group", "device", "sensor");
const CODES = `max by (job, server, sensor_id, sensor) (prtg_sensor_status_code{${SENSORS}})`;

function count(title: string, statuses: readonly StatusToken[], description: string) {
  const [first = "unknown"] = statuses;
  const sum = statuses.map((status) => `(${CODES} == bool ${STATUS_TOKENS.indexOf(status)})`).join(" + ");
  return statPanel({
    title,
    description,
    expr: `sum(${sum})`,
    levels: [
      [null, NEUTRAL],
      [1, colorOf(first)],
    ],
    width: 3,
    none: "No sensors",
  });
}

const PAUSES = STATUS_TOKENS.filter((token) => token.startsWith("pause"));
const AGES = `min by (job, server, sensor_id, sensor) (${measurementAges(SENSORS)})`;

const stats = [
  statPanel({
    title: "Sensors",
    description: "Sensors of this device.",
    expr: `count(${CODES})`,
    levels: [[null, NEUTRAL]],
    width: 3,
    none: "No sensors",
  }),
  count("Down", ["down", "partialdown"], "Sensors that are down, and not acknowledged."),
  count("Acknowledged", ["acknowledged"], "Sensors that are down and acknowledged."),
  count("Warning", ["warning"], "Sensors with status warning, for example because a channel exceeds a warning limit."),
  count("Unusual", ["unusual"], "Sensors whose values are not what they usually are at this time."),
  count("Up", ["up"], "Sensors that are up."),
  count("Paused", PAUSES, "Sensors that are paused: by a user, a schedule, a dependency or the license."),
  statPanel({
    title: "Newest measurement",
    description: "Time since the last measurement of any sensor of this device.",
    expr: `min(${AGES})`,
    unit: units.Seconds,
    decimals: 0,
    levels: [
      [null, NEUTRAL],
      [300, colorOf("unusual")],
    ],
    width: 3,
    none: "Never",
  }),
];

const properties = tablePanel({
  title: "Device",
  description: "Address, kind, tags and path of the device.",
  queries: [
    withWeb(`max by (job, server, device_id, device, host, kind, tags, path) (
      prtg_device_info{${SERVERS},${chosen("device")}}
      and on (job, instance, server, device_id) (
        prtg_sensor_info{${SERVERS}} and on (${SENSOR_KEY}) prtg_sensor_status_code{${DEVICES}}
      )
    )`),
  ],
  columns: [
    { from: "device", title: "Device", properties: [linkTo("device")] },
    { from: "host", title: "Host" },
    { from: "kind", title: "Kind" },
    { from: "path", title: "Path" },
    { from: "tags", title: "Tags" },
    { from: "server", title: "Server", pixels: 130 },
    { from: "device_id", title: ID, pixels: 80, properties: [linkTo("device")] },
    WEB_COLUMN,
  ],
  height: HEIGHT.stat,
  width: 24,
  none: "No device",
});

const statuses = timelinePanel({
  title: "Statuses",
  description: "The status of each sensor over the time range.",
  series: { expr: CODES, legend: "{{sensor}} ({{sensor_id}})" },
  height: HEIGHT.table,
  width: 24,
  none: "No sensors",
});

const NAMES = "job, server, sensor_id, sensor";

const sensors = tablePanel({
  title: "Sensors",
  description:
    "Each sensor with its status, the start of the status, and the age of its last measurement. Click a sensor to show it, click its ID to open it in PRTG.",
  queries: [
    withWeb(CODES),
    `1000 * max by (${NAMES}) (prtg_sensor_status_since_timestamp_seconds{${SENSORS}})`,
    AGES,
    `max by (${NAMES}) (prtg_sensor_interval_seconds{${SENSORS}})`,
    `max by (job, server, sensor_id, kind_name, priority, tags) (
      prtg_sensor_info{${SERVERS}} and on (${SENSOR_KEY}) prtg_sensor_status_code{${SENSORS}}
    )`,
  ],
  columns: [
    {
      from: "sensor",
      title: "Sensor",
      properties: [toSensor({ sensor: "Sensor" }, ["server", "probe", "group", "device"])],
    },
    { from: "sensor_id", title: ID, pixels: 80, properties: [linkTo("sensor")] },
    {
      from: "value 0",
      title: "Status",
      pixels: 170,
      properties: colored({ id: "mappings", value: [STATUS_CODE_MAPPING] }),
    },
    { from: "value 1", title: "Since", unit: units.DateTimeFromNow, pixels: 150 },
    { from: "value 2", title: "Measured", unit: units.Seconds, decimals: 0, pixels: 110 },
    { from: "value 3", title: "Interval", unit: units.Seconds, decimals: 0, pixels: 100 },
    { from: "kind_name", title: "Kind" },
    { from: "priority", title: "Priority", pixels: 85 },
    { from: "tags", title: "Tags" },
    WEB_COLUMN,
  ],
  sortBy: { Sensor: "ascending" },
  width: 24,
  none: "No sensors",
});

const ages = graphPanel({
  title: "Age of the last measurement",
  description: "Time since the last measurement of each sensor. It grows for sensors that are paused or down.",
  series: [{ expr: AGES, legend: "{{sensor}} ({{sensor_id}})" }],
  unit: units.Seconds,
  min: 0,
  width: 24,
  none: "Nothing was measured",
});

const channels = channelTable({
  title: "Channels",
  description: "Each channel with its last value, its limits, and the number of exceeded limits.",
  channels: SENSORS,
  severalDevices: false,
  width: 24,
  none: "No values: sensors that are paused or down have none",
});

const graphs = channelGraph({
  title: "$sensor",
  description: "Channels of this sensor. Dashed lines are limits: red for errors, yellow for warnings.",
  channels: SENSORS,
  severalSensors: false,
  width: 12,
  none: "No values in this time range",
})
  .repeat("sensor")
  .repeatDirection("h")
  .maxPerRow(2);

export const device = buildDashboard({
  title: "PRTG / Device",
  description: "One device: its sensors, their statuses over time, and their channels with limits.",
  uid: UIDS.device,
  tags: ["monitoring"],
  from: "now-6h",
  refresh: "1m",
  variables: [
    dataSource(),
    ...[JOB, SERVER, PROBE, GROUP, DEVICE, SENSOR].map((variable) => choice(variable)),
    ...logs(),
  ],
  annotations: statusChanges({ sensors: SENSORS, events: EVENTS }),
  sections: [
    { panels: [...stats, properties] },
    { title: "Sensors", panels: [statuses, sensors, ages] },
    { title: "Channels", panels: [channels] },
    { title: "Values and limits by sensor", panels: [graphs] },
    { title: "Events with their messages (Loki)", collapsed: true, panels: [logsPanel(statusEvents(EVENTS))] },
  ],
});
