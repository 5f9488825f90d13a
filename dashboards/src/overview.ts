import { MappingType } from "@grafana/grafana-foundation-sdk/dashboard";
import * as units from "@grafana/grafana-foundation-sdk/units";
import type { StatusToken } from "../../src/prtg/status.ts";
import { chosenEvents, statusChanges, statusEvents, WENT_DOWN } from "./annotations.ts";
import { CHANNEL, channelLimits, channelValues, withUnit } from "./channel-queries.ts";
import { buildDashboard } from "./dashboard.ts";
import {
  ID,
  leadsTo,
  linkTo,
  linkToPage,
  PAGE_COLUMN,
  toDevice,
  toSensor,
  UIDS,
  WEB_COLUMN,
  withPage,
} from "./links.ts";
import { locationMap } from "./location-map.ts";
import { logsPanel } from "./logs-panel.ts";
import { graphPanel, HEIGHT, type Steps, statPanel } from "./panels.ts";
import { CHANNEL_KEY, codesOf, downSince, PAUSED, sinceWhen, staleAges, withWeb } from "./sensor-queries.ts";
import {
  colorOf,
  DOWN_STATUSES,
  NEUTRAL,
  PROBLEM_MAPPING,
  SEVERITY_MAPPING,
  STATUS_CODE_MAPPING,
  STATUS_SERIES,
} from "./statuses.ts";
import { type Column, colored, coloredFromOne, tablePanel } from "./table.ts";
import { choice, chosen, dataSource, JOB, logs, nameMatch, PROBE, SERVER, SERVERS } from "./variables.ts";

const SENSORS = `${SERVERS},${chosen("probe")}`;
const EVENTS = chosenEvents("probe");
/** Known one way or the other; the others are paused, or nobody could know. */
const KNOWN = "up|warning|down|disconnected|unusual|acknowledged|partialdown";

/** Sensors per status below the chosen probes: 15 series a probe, however many sensors there are. */
function perProbe(statuses = ".+"): string {
  return `max by (job, server, id, status) (prtg_node_sensors{${SERVERS},kind="probe",path=~${nameMatch("probe")},status=~"${statuses}"})`;
}

function perNode(kind: "group" | "probe", statuses: string): string {
  const path = kind === "probe" ? "" : "(/.*)?";
  return `sum by (job, server, id, path) (
    max by (job, server, id, path, status) (prtg_node_sensors{${SERVERS},kind="${kind}",path=~${nameMatch("probe", path)},status=~"${statuses}"})
  )`;
}

const AVAILABILITY = `sum(${perProbe("up")}) / (sum(${perProbe(KNOWN)}) > 0)`;

const AVAILABILITY_LEVELS: Steps = [
  [null, colorOf("down")],
  [0.95, colorOf("warning")],
  [0.99, colorOf("up")],
];

/** From the same series as the table of sensors that are down. */
function count(title: string, statuses: string, status: StatusToken, description: string) {
  const levels: Steps =
    status === "up"
      ? [[null, colorOf("up")]]
      : [
          [null, NEUTRAL],
          [1, colorOf(status)],
        ];
  return statPanel({
    title,
    description,
    expr: `count(count by (job, server, sensor_id) (prtg_sensor_status{${SENSORS},status=~"${statuses}"} == 1)) or 0 * count(prtg_up{${SERVERS}})`,
    levels,
    width: 4,
    none: "No exporter",
  });
}

const counts = [
  count("Down", "down", "down", "Sensors that are down and not acknowledged."),
  count("Down (partial)", "partialdown", "partialdown", "Sensors that are down for some nodes of a cluster only."),
  count("Acknowledged", "acknowledged", "acknowledged", "Sensors that are down and acknowledged."),
  count(
    "Warning",
    "warning",
    "warning",
    "Sensors with status warning, for example because a channel exceeds a warning limit.",
  ),
  count("Unusual", "unusual", "unusual", "Sensors whose values are not what they usually are at this time."),
  count("Up", "up", "up", "Sensors that are up."),
  count(
    "Paused",
    "paused.*",
    "pausedbyuser",
    "Sensors that are paused: by a user, a schedule, a dependency or the license.",
  ),
  count(
    "Unknown",
    "unknown|collecting|none|disconnected",
    "unknown",
    "Sensors without a known status: unknown, collecting, none or disconnected.",
  ),
];

const health = [
  statPanel({
    title: "Probes disconnected",
    description: "PRTG gets no measurements from a disconnected probe.",
    expr: `sum(max by (job, server, id) (prtg_node_status_code{${SERVERS},kind="probe",path=~${nameMatch("probe")}} == bool 6))`,
    levels: [
      [null, NEUTRAL],
      [1, colorOf("down")],
    ],
    width: 4,
    none: "No probes",
  }),
  statPanel({
    title: "Stale measurements",
    description:
      "Sensors that are up, but whose last measurement is older than three scanning intervals and five minutes.",
    expr: `count(${staleAges(SENSORS)}) or 0 * count(prtg_up{${SERVERS}})`,
    levels: [
      [null, NEUTRAL],
      [1, colorOf("unusual")],
    ],
    width: 4,
    none: "No exporter",
  }),
  statPanel({
    title: "Availability",
    description:
      "Share of the sensors that were up, on average over the time range. Paused and unknown ones do not count.",
    expr: `avg_over_time((${AVAILABILITY})[$__range:1m])`,
    unit: units.PercentUnit,
    decimals: 2,
    levels: AVAILABILITY_LEVELS,
    width: 4,
    none: "No sensors",
  }),
  statPanel({
    title: "Servers out of reach",
    description: "Monitoring servers that the exporter cannot read. Their data becomes stale.",
    expr: `sum(1 - max by (job, server) (prtg_up{${SERVERS}}))`,
    levels: [
      [null, NEUTRAL],
      [1, colorOf("down")],
    ],
    width: 4,
    none: "No exporter",
  }),
];

const byStatus = (statuses: string) => `sum by (status) (${perProbe(statuses)})`;

/** A stack with the worst status at the bottom. Without *up*, which would hide the others. */
function history(title: string, description: string, expressions: readonly string[]) {
  const panel = graphPanel({
    title,
    description,
    series: expressions.map((expr) => ({ expr, legend: "{{status}}" })),
    stacked: true,
    legendRight: true,
    calcs: ["lastNotNull"],
    min: 0,
    width: 12,
    none: "No sensors",
  });
  for (const [token, properties] of STATUS_SERIES) panel.overrideByName(token, properties);
  return panel;
}

const histories = [
  history(
    "Sensors down",
    "Number of sensors that are down, partially down, or down and acknowledged.",
    DOWN_STATUSES.map(byStatus),
  ),
  history("Warning, unusual, unknown, paused", "Number of sensors in any other status but up.", [
    byStatus("warning"),
    byStatus("unusual"),
    `${byStatus("disconnected|unknown|collecting|none")} > 0`,
    `${byStatus("paused.*")} > 0`,
  ]),
];

const NODE_COLUMNS: readonly Column[] = [
  { from: "server", title: "Server", pixels: 110 },
  { from: "value 0", title: "Down", unit: units.LocaleFormat, pixels: 75, properties: coloredFromOne("down") },
  { from: "value 1", title: "Ack.", unit: units.LocaleFormat, pixels: 75, properties: coloredFromOne("acknowledged") },
  { from: "value 2", title: "Warning", unit: units.LocaleFormat, pixels: 85, properties: coloredFromOne("warning") },
  {
    from: "value 3",
    title: "Paused",
    unit: units.LocaleFormat,
    pixels: 80,
    properties: coloredFromOne("pausedbyuser"),
  },
  { from: "value 4", title: "Sensors", unit: units.LocaleFormat, pixels: 85 },
  WEB_COLUMN,
];
const nodeIdColumn = (kind: "group" | "probe"): Column => ({
  from: "id",
  title: ID,
  pixels: 70,
  properties: [linkTo(kind)],
});
const NODE_STATUSES = ["down|partialdown", "acknowledged", "warning", "paused.*", ".+"];

const worstProbes = tablePanel({
  title: "Probes",
  description: "Sensors below each probe, most down sensors first. Click a name to show only that probe.",
  queries: [
    ...NODE_STATUSES.map((statuses) => perNode("probe", statuses)),
    withWeb(
      `max by (job, server, id, path) (prtg_node_status_code{${SERVERS},kind="probe",path=~${nameMatch("probe")}})`,
    ),
  ],
  columns: [
    {
      from: "path",
      title: "Probe",
      properties: [
        leadsTo({
          title: "Show this probe only",
          dashboard: UIDS.overview,
          columns: { server: "Server", probe: "Probe" },
          kept: ["datasource", "logs", "job"],
        }),
      ],
    },
    nodeIdColumn("probe"),
    {
      from: "value 5",
      title: "Status",
      pixels: 130,
      properties: colored({ id: "mappings", value: [STATUS_CODE_MAPPING] }),
    },
    ...NODE_COLUMNS,
  ],
  sortBy: { Down: "descending" },
  width: 12,
  none: "No probes",
});

const WORST_GROUPS = `topk(20, ${perNode("group", "down|partialdown")} > 0)`;

const worstGroups = tablePanel({
  title: "Groups with most sensors down",
  description: "The 20 groups with the most down sensors, including all objects below.",
  queries: NODE_STATUSES.map((statuses, index) =>
    index === 0 ? withWeb(WORST_GROUPS) : `${perNode("group", statuses)} and on (job, server, id) ${WORST_GROUPS}`,
  ),
  columns: [{ from: "path", title: "Group" }, nodeIdColumn("group"), ...NODE_COLUMNS],
  sortBy: { Down: "descending" },
  width: 12,
  none: "No group has sensors that are down",
});

const TREE_COLUMNS = { server: "Server", probe: "Probe", group: "Group", device: "Device" } as const;
const SENSOR_COLUMNS: readonly Column[] = [
  { from: "sensor", title: "Sensor", properties: [toSensor({ ...TREE_COLUMNS, sensor: "Sensor" })] },
  { from: "sensor_id", title: ID, pixels: 80, properties: [linkTo("sensor")] },
  { from: "device", title: "Device", properties: [toDevice(TREE_COLUMNS)] },
  { from: "group", title: "Group" },
  { from: "probe", title: "Probe" },
  { from: "server", title: "Server", pixels: 110 },
  WEB_COLUMN,
];
const sinceColumn = (title: string): Column => ({
  from: "value 0",
  title,
  unit: units.DateTimeFromNow,
  pixels: 140,
  properties: [{ id: "mappings", value: [{ type: MappingType.ValueToText, options: { "0": { text: "not known" } } }] }],
});

function ofOutages(family: string): string {
  return `max by (job, server, id, kind, path, problem) (${family}{${SERVERS},path=~${nameMatch("probe", "(/.*)?")}})`;
}

const outages = tablePanel({
  title: "Outages",
  description:
    "The highest probe, group or device below which at least 80 % of the sensors that are not paused are down or unknown. What is down leaves out these sensors. Click an ID to open the object in PRTG.",
  queries: [
    withWeb(withPage(ofOutages("prtg_outage_affected_sensors"))),
    ofOutages("prtg_outage_sensors"),
    ofOutages("prtg_outage_acknowledged_sensors"),
    `1000 * ${ofOutages("prtg_outage_start_timestamp_seconds")}`,
  ],
  columns: [
    {
      from: "problem",
      title: "Problem",
      pixels: 110,
      properties: colored({ id: "mappings", value: [PROBLEM_MAPPING] }),
    },
    { from: "path", title: "Object" },
    { from: "kind", title: "Kind", pixels: 90 },
    { from: "id", title: ID, pixels: 80, properties: [linkToPage()] },
    { from: "value 0", title: "Affected", unit: units.LocaleFormat, pixels: 95 },
    { from: "value 1", title: "Sensors", unit: units.LocaleFormat, pixels: 95 },
    {
      from: "value 2",
      title: "Ack.",
      unit: units.LocaleFormat,
      pixels: 80,
      properties: coloredFromOne("acknowledged"),
    },
    { ...sinceColumn("Since"), from: "value 3" },
    { from: "server", title: "Server", pixels: 110 },
    WEB_COLUMN,
    PAGE_COLUMN,
  ],
  height: 6,
  sortBy: { Affected: "descending" },
  width: 24,
  none: "No outage",
});

const whatIsDown = tablePanel({
  title: "What is down",
  description:
    "Sensors outside of outages that are down, partially down, or down and acknowledged, by status, priority, and newest first. At most 500 of each status. Click a sensor or device to show it, click its ID to open it in PRTG.",
  queries: [withWeb(downSince(SENSORS))],
  columns: [
    {
      from: "severity",
      title: "Status",
      pixels: 170,
      properties: colored({ id: "mappings", value: [SEVERITY_MAPPING] }),
    },
    { from: "priority", title: "Priority", pixels: 85 },
    sinceColumn("Since"),
    ...SENSOR_COLUMNS,
    { from: "kind_name", title: "Kind" },
  ],
  sortBy: { Status: "ascending", Priority: "descending", Since: "descending" },
  width: 24,
  none: "Nothing is down",
});

const downMessages = logsPanel(`${statusEvents(EVENTS)} | prtg_status_new=~"${WENT_DOWN}"`, {
  title: "Messages of sensors that went down",
  description: "Events of the exporter about sensors that went down, newest first. Needs the events in Loki.",
});

const stale = tablePanel({
  title: "Stale measurements",
  description:
    "Sensors that are up, but whose last measurement is older than three scanning intervals and five minutes. The 500 oldest.",
  queries: [withWeb(`topk(500, ${staleAges(SENSORS)})`)],
  columns: [{ from: "value 0", title: "Age", unit: units.Seconds, pixels: 110 }, ...SENSOR_COLUMNS],
  sortBy: { Age: "descending" },
  width: 12,
  none: "All measurements are fresh",
});

const PAUSED_SINCE = sinceWhen(PAUSED(SENSORS), SENSORS);

const paused = tablePanel({
  title: "Paused",
  description: "Paused sensors with the kind and start of the pause, the newest 500.",
  queries: [withWeb(PAUSED_SINCE), `${codesOf(PAUSED(SENSORS))} and on (job, server, sensor_id) ${PAUSED_SINCE}`],
  columns: [
    sinceColumn("Since"),
    {
      from: "value 1",
      title: "Status",
      pixels: 170,
      properties: colored({ id: "mappings", value: [STATUS_CODE_MAPPING] }),
    },
    ...SENSOR_COLUMNS,
  ],
  sortBy: { Since: "descending" },
  width: 12,
  none: "Nothing is paused",
});

const CHANNEL_LABELS = `${CHANNEL}, probe, group, device, sensor, channel, unit`;
const ERROR_LIMITS = channelLimits(`${SENSORS},limit=~"max_error|min_error"`);
const EXCEEDED = `(prtg_channel_limit_exceeded{${SERVERS},limit=~"max_error|min_error"} == 1)`;

const beyondLimits = tablePanel({
  title: "Channels beyond an error limit",
  description: "Values above or below an error limit of their channel, with the limit, at most 500.",
  queries: [
    withWeb(
      `topk(500, max by (${CHANNEL_LABELS}, limit) (${withUnit(`${ERROR_LIMITS} and on (${CHANNEL_KEY}, limit) ${EXCEEDED}`)}))`,
    ),
    `max by (${CHANNEL_LABELS}) (${withUnit(`${channelValues(SENSORS)} and on (${CHANNEL_KEY}) ${EXCEEDED}`)})`,
  ],
  columns: [
    { from: "channel", title: "Channel" },
    { from: "value 1", title: "Value", unit: units.LocaleFormat, pixels: 90 },
    { from: "value 0", title: "Limit", unit: units.LocaleFormat, pixels: 90 },
    { from: "unit", title: "Unit", pixels: 80 },
    { from: "limit", title: "Which", pixels: 100 },
    ...SENSOR_COLUMNS,
  ],
  width: 24,
  none: "All values are within their error limits",
});

const availabilityOverTime = graphPanel({
  title: "Availability",
  description: "Share of the sensors that are up. Paused and unknown ones do not count.",
  series: [{ expr: AVAILABILITY, legend: "Up" }],
  unit: units.PercentUnit,
  max: 1,
  height: HEIGHT.table,
  calcs: ["lastNotNull", "min", "mean"],
  width: 12,
  none: "No sensors",
});

const WINDOWS = ["1d", "7d", "30d"] as const;
const AVAILABILITY_KEY = "job, server, sensor_id, probe, group, device, sensor, path";
const LEAST_AVAILABLE = `bottomk(20, max by (${AVAILABILITY_KEY}) (server_sensor:prtg_sensor_availability:avg1d{${SENSORS}}))`;
const SHARE = {
  unit: units.PercentUnit,
  decimals: 2,
  pixels: 90,
  properties: colored(
    { id: "color", value: { mode: "thresholds" } },
    {
      id: "thresholds",
      value: { mode: "absolute", steps: AVAILABILITY_LEVELS.map(([value, color]) => ({ value, color })) },
    },
  ),
};

const leastAvailable = tablePanel({
  title: "Least available sensors",
  description:
    "The 20 sensors that were up least in the last day, with the last 7 and 30 days. Needs the recording rules of deploy/prometheus.",
  queries: WINDOWS.map((window) =>
    window === "1d"
      ? withWeb(LEAST_AVAILABLE)
      : `max by (${AVAILABILITY_KEY}) (server_sensor:prtg_sensor_availability:avg${window}{${SENSORS}}) and on (job, server, sensor_id) ${LEAST_AVAILABLE}`,
  ),
  columns: [
    ...WINDOWS.map((window, index) => ({ ...SHARE, from: `value ${index}`, title: window })),
    ...SENSOR_COLUMNS,
  ],
  sortBy: { "1d": "ascending" },
  width: 12,
  none: "No availability is recorded: load the recording rules",
});

export const overview = buildDashboard({
  title: "PRTG / Overview",
  description: "Sensors that are down, acknowledged, paused and stale, with place and time, and availability.",
  uid: UIDS.overview,
  tags: ["monitoring"],
  from: "now-6h",
  refresh: "1m",
  variables: [dataSource(), choice(JOB), choice(SERVER), choice(PROBE), ...logs()],
  // Of thousands of sensors, some always change.
  annotations: statusChanges({ sensors: SENSORS, events: EVENTS, isShown: false }),
  sections: [
    { panels: [outages, whatIsDown] },
    { title: "Messages of sensors that went down (Loki)", collapsed: true, panels: [downMessages] },
    { title: "Counts", panels: [...counts, ...health] },
    { title: "Status history", panels: histories },
    { title: "Worst probes and groups", panels: [worstProbes, worstGroups] },
    { title: "Map of sites", panels: [locationMap()] },
    { title: "Beyond limits, paused, stale", panels: [beyondLimits, paused, stale] },
    { title: "Availability", panels: [availabilityOverTime, leastAvailable] },
    { title: "Events with their messages (Loki)", collapsed: true, panels: [logsPanel(statusEvents(EVENTS))] },
  ],
});
