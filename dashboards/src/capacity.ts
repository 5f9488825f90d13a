import * as units from "@grafana/grafana-foundation-sdk/units";
import { chosenEvents, statusChanges } from "./annotations.ts";
import { buildDashboard } from "./dashboard.ts";
import { ID, linkTo, toDevice, toSensor, UIDS, WEB_COLUMN, WEB_LINK_COLUMN } from "./links.ts";
import { graphPanel, type Steps } from "./panels.ts";
import { withWeb } from "./sensor-queries.ts";
import { colorOf } from "./statuses.ts";
import { type Column, colored, tablePanel } from "./table.ts";
import { choice, chosen, dataSource, JOB, logs, PROBE, SERVER, SERVERS } from "./variables.ts";

const SENSORS = `${SERVERS},${chosen("probe")}`;
const PLACE = "job, server, sensor_id, channel_id, probe, group, device, sensor, channel";
const TREND =
  "By the linear trend of the last 7 days, if it ends within a year. Needs the recording rules of deploy/prometheus";

/** Rules run once an hour. */
function daysLeft(by: string, record: string, matchers: string): string {
  return `min by (${by}) (last_over_time(${record}{${matchers}}[2h])) / 86400`;
}

const LEVELS: Steps = [
  [null, colorOf("down")],
  [7, colorOf("warning")],
  [30, colorOf("up")],
];

const DAYS: Column = {
  from: "value 0",
  title: "Days left",
  unit: units.LocaleFormat,
  decimals: 1,
  pixels: 100,
  properties: colored(
    { id: "color", value: { mode: "thresholds" } },
    { id: "thresholds", value: { mode: "absolute", steps: LEVELS.map(([value, color]) => ({ value, color })) } },
  ),
};

const TREE_COLUMNS = { server: "Server", probe: "Probe", group: "Group", device: "Device" } as const;
const SENSOR_COLUMNS: readonly Column[] = [
  { from: "channel", title: "Channel" },
  { from: "sensor", title: "Sensor", properties: [toSensor({ ...TREE_COLUMNS, sensor: "Sensor" })] },
  { from: "sensor_id", title: ID, pixels: 80, properties: [linkTo("sensor")] },
  { from: "device", title: "Device", properties: [toDevice(TREE_COLUMNS)] },
  { from: "group", title: "Group" },
  { from: "probe", title: "Probe" },
  { from: "server", title: "Server", pixels: 110 },
  WEB_COLUMN,
];
const FREE: Column = { from: "value 1", title: "Free", unit: units.PercentUnit, decimals: 1, pixels: 90 };
const FREE_BYTES: Column = { from: "value 2", title: "Free space", unit: units.BytesIEC, decimals: 1, pixels: 110 };

function now(record: string, families: readonly string[]): string {
  const values = families.map((family) => `max by (${PLACE}) (${family}{${SENSORS}})`).join(" or ");
  return `(${values}) and on (job, server, sensor_id, channel_id) last_over_time(${record}{${SENSORS}}[2h])`;
}

const DISKS = "server_channel:prtg_disk_left:seconds";
const MEMORY = "server_channel:prtg_memory_left:seconds";

const disks = tablePanel({
  title: "Disks",
  description: `Days until a disk is full, the 200 soonest. ${TREND} and the mapping presets disk-free and core-health.`,
  queries: [
    withWeb(`bottomk(200, ${daysLeft(PLACE, DISKS, SENSORS)})`),
    now(DISKS, ["prtg_disk_free_ratio"]),
    now(DISKS, ["prtg_disk_free_bytes", "prtg_core_disk_free_bytes"]),
  ],
  columns: [DAYS, FREE, FREE_BYTES, ...SENSOR_COLUMNS],
  sortBy: { "Days left": "ascending" },
  width: 24,
  none: "No disk is full within a year",
});

const memory = tablePanel({
  title: "Memory",
  description: `Days until the memory of a machine is used up, the 200 soonest. ${TREND} and the mapping presets memory and probe-health.`,
  queries: [
    withWeb(`bottomk(200, ${daysLeft(PLACE, MEMORY, SENSORS)})`),
    now(MEMORY, ["prtg_memory_available_ratio", "prtg_probe_memory_available_ratio"]),
  ],
  columns: [DAYS, FREE, ...SENSOR_COLUMNS],
  sortBy: { "Days left": "ascending" },
  width: 24,
  none: "No memory is used up within a year",
});

const licenses = tablePanel({
  title: "Licenses",
  description: `Days until a license has no sensor left. ${TREND} and collectors.details.enabled.`,
  queries: [
    withWeb(`max by (job, server) (prtg_license_sensors_max{${SERVERS}})`),
    `max by (job, server) (prtg_license_sensors_used{${SERVERS}})`,
    daysLeft("job, server", "server:prtg_license_left:seconds", SERVERS),
  ],
  columns: [
    { from: "server", title: "Server" },
    { ...DAYS, from: "value 2" },
    { from: "value 1", title: "Used", unit: units.LocaleFormat, pixels: 100 },
    { from: "value 0", title: "Allowed", unit: units.LocaleFormat, pixels: 100 },
    { ...WEB_LINK_COLUMN, pixels: 150 },
  ],
  sortBy: { "Days left": "ascending" },
  width: 12,
  none: "No server sends a license with a limit",
});

const licenseHistory = graphPanel({
  title: "Sensors of the license",
  description: "Share of the sensors that the license allows. Needs collectors.details.enabled.",
  series: [
    {
      expr: `max by (job, server) (prtg_license_sensors_used{${SERVERS}}) / max by (job, server) (prtg_license_sensors_max{${SERVERS}})`,
      legend: "{{server}}",
    },
  ],
  unit: units.PercentUnit,
  min: 0,
  height: 10,
  calcs: ["lastNotNull"],
  width: 12,
  none: "No server sends a license with a limit",
});

export const capacity = buildDashboard({
  title: "PRTG / Capacity",
  description: "Days until a disk, a machine's memory or a license is used up.",
  uid: UIDS.capacity,
  tags: ["monitoring"],
  from: "now-7d",
  refresh: "15m",
  variables: [dataSource(), choice(JOB), choice(SERVER), choice(PROBE), ...logs()],
  annotations: statusChanges({ sensors: SENSORS, events: chosenEvents("probe"), isShown: false }),
  sections: [{ panels: [disks, memory, licenses, licenseHistory] }],
});
