import * as bargauge from "@grafana/grafana-foundation-sdk/bargauge";
import * as common from "@grafana/grafana-foundation-sdk/common";
import * as units from "@grafana/grafana-foundation-sdk/units";
import { chosenEvents, statusChanges, statusEvents } from "./annotations.ts";
import { channelGraph } from "./channel-graph.ts";
import { CHANNEL, channelValues, withUnit } from "./channel-queries.ts";
import { channelTable } from "./channel-table.ts";
import { buildDashboard } from "./dashboard.ts";
import { ID, linkTo, toDevice, toSensor, UIDS, WEB_COLUMN } from "./links.ts";
import { logsPanel } from "./logs-panel.ts";
import { HEIGHT, instantQuery, statPanel, steps, timelinePanel } from "./panels.ts";
import { withWeb } from "./sensor-queries.ts";
import { NEUTRAL, STATUS_CODE_MAPPING } from "./statuses.ts";
import { colored, tablePanel } from "./table.ts";
import {
  choice,
  chosen,
  DATA_SOURCE,
  DEVICE,
  dataSource,
  GROUP,
  JOB,
  logs,
  PROBE,
  SENSOR,
  SERVER,
  SERVERS,
  searched,
  textBox,
} from "./variables.ts";

const FOUND = `${SERVERS},${chosen("probe", "group")},${searched("path")}`;
const SENSORS = `${FOUND},${chosen("device", "sensor")}`;
const EVENTS = chosenEvents("probe", "group", "device", "sensor");
const CHANNELS_FOUND = `${FOUND},${searched("channel")}`;
const CHANNELS = `${SENSORS},${searched("channel")}`;

const found = [
  statPanel({
    title: "Sensors found",
    description: "Sensors with a path that matches the search, on all devices of the selected probes and groups.",
    expr: `count(count by (job, server, sensor_id) (prtg_sensor_status_code{${FOUND}}))`,
    levels: [[null, NEUTRAL]],
    width: 4,
    none: "None",
  }),
  statPanel({
    title: "Channels found",
    description: "Channels with a value, and a path and name that match the search, on all devices.",
    expr: `count(count by (${CHANNEL}) (${channelValues(CHANNELS_FOUND)}))`,
    levels: [[null, NEUTRAL]],
    width: 4,
    none: "None",
  }),
  statPanel({
    title: "Channels shown",
    description: "Channels with a value in the selected devices and sensors, shown in the graph and the table.",
    expr: `count(count by (${CHANNEL}) (${channelValues(CHANNELS)}))`,
    levels: [[null, NEUTRAL]],
    width: 4,
    none: "None",
  }),
];

/** Counted by name and unit first: a base unit is then read from some dozens of names, not from that of each channel. */
const BY_NAME = `count by (__name__, unit) (group by (${CHANNEL}, __name__, unit) (${channelValues(CHANNELS_FOUND)}))`;

const byUnit = new bargauge.PanelBuilder()
  .title("Channels found, by unit")
  .description("Units of the channels that fit the search; the 10 most frequent.")
  .datasource(DATA_SOURCE)
  .span(12)
  .height(HEIGHT.stat)
  .withTarget(
    instantQuery({
      expr: `topk(10, sum by (unit) (${withUnit(BY_NAME)}))`,
      legend: "{{unit}}",
    }),
  )
  .unit(units.LocaleFormat)
  .noValue("None")
  .min(0)
  .thresholds(steps([[null, "blue"]]))
  .displayMode(common.BarGaugeDisplayMode.Basic)
  .valueMode(common.BarGaugeValueMode.Text)
  .namePlacement(common.BarGaugeNamePlacement.Top)
  .orientation(common.VizOrientation.Vertical)
  .showUnfilled(false)
  .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(["lastNotNull"]).values(false).fields(""));

const FOUND_LABELS = "job, server, sensor_id, probe, group, device, sensor, path";
const FOUND_SENSORS = `topk(200, max by (${FOUND_LABELS}) (prtg_sensor_status_code{${FOUND}}))`;
const TREE_COLUMNS = { server: "Server", probe: "Probe", group: "Group", device: "Device" } as const;

const results = tablePanel({
  title: "Sensors found",
  description:
    "At most 200 sensors with a path that matches the search. Click a path to show the channels of that sensor below, click its ID to open it in PRTG.",
  queries: [
    withWeb(FOUND_SENSORS),
    `1000 * max by (${FOUND_LABELS}) (prtg_sensor_status_since_timestamp_seconds{${FOUND}}) and on (job, server, sensor_id) ${FOUND_SENSORS}`,
  ],
  columns: [
    {
      from: "path",
      title: "Path",
      properties: [toSensor({ ...TREE_COLUMNS, sensor: "Sensor" }, ["path", "channel"])],
    },
    { from: "sensor_id", title: ID, pixels: 80, properties: [linkTo("sensor")] },
    {
      from: "value 0",
      title: "Status",
      pixels: 170,
      properties: colored({ id: "mappings", value: [STATUS_CODE_MAPPING] }),
    },
    { from: "value 1", title: "Since", unit: units.DateTimeFromNow, pixels: 140 },
    { from: "sensor", title: "Sensor" },
    { from: "device", title: "Device", properties: [toDevice(TREE_COLUMNS)] },
    { from: "group", title: "Group" },
    { from: "probe", title: "Probe" },
    { from: "server", title: "Server", pixels: 110 },
    WEB_COLUMN,
  ],
  sortBy: { Path: "ascending" },
  height: HEIGHT.graph,
  width: 24,
  none: "No path fits the search",
});

const graph = channelGraph({
  title: "Values and limits",
  description:
    "Channels of the selected sensors. Dashed lines are limits: red for errors, yellow for warnings. Each unit has its own axis.",
  channels: CHANNELS,
  severalSensors: true,
  height: 14,
  width: 24,
  none: "No values in this time range",
});

const statuses = timelinePanel({
  title: "Statuses",
  description: "The statuses of the selected sensors over the time range.",
  series: {
    expr: `max by (job, server, sensor_id, device, sensor) (prtg_sensor_status_code{${SENSORS}})`,
    legend: "{{device}} / {{sensor}} ({{sensor_id}})",
  },
  height: HEIGHT.graph,
  width: 24,
  none: "No sensors",
});

const table = channelTable({
  title: "Channels",
  description: "Each channel with its last value, its limits, and the number of exceeded limits.",
  channels: CHANNELS,
  severalDevices: true,
  width: 24,
  none: "No values: sensors that are paused or down have none",
});

/** Several, and only those that have a sensor which fits the search. */
const DEVICES = {
  ...DEVICE,
  description: "Devices with a sensor that matches the search.",
  query: `label_values(prtg_sensor_status_code{${FOUND}}, device)`,
  multi: true,
};
const SENSORS_FOUND = {
  ...SENSOR,
  description: "Sensors of these devices that match the search.",
  query: `label_values(prtg_sensor_status_code{${FOUND},${chosen("device")}}, sensor)`,
};

export const explorer = buildDashboard({
  title: "PRTG / Sensors and channels",
  description:
    "Find channels by the path of their sensor, select devices and sensors, and see values with units and limits.",
  uid: UIDS.explorer,
  tags: ["monitoring"],
  from: "now-6h",
  refresh: "1m",
  variables: [
    dataSource(),
    ...[JOB, SERVER, PROBE, GROUP].map((variable) => choice(variable)),
    textBox("path", "Path", "Regular expression to search in paths, such as Core.*Ping. Empty: all.", ""),
    choice(DEVICES),
    choice(SENSORS_FOUND),
    textBox("channel", "Channel", "Regular expression to search in channel names. Empty: all.", ""),
    ...logs(),
  ],
  annotations: statusChanges({ sensors: SENSORS, events: EVENTS }),
  sections: [
    { panels: [...found, byUnit, results] },
    { title: "Chosen sensors", panels: [graph, statuses, table] },
    { title: "Events with their messages (Loki)", collapsed: true, panels: [logsPanel(statusEvents(EVENTS))] },
  ],
});
