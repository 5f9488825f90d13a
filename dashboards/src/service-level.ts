import * as units from "@grafana/grafana-foundation-sdk/units";
import { chosenEvents, statusChanges } from "./annotations.ts";
import { buildDashboard } from "./dashboard.ts";
import { UIDS, WEB_LINK_COLUMN } from "./links.ts";
import { graphPanel, HEIGHT, type Steps } from "./panels.ts";
import { withWeb } from "./sensor-queries.ts";
import { colorOf } from "./statuses.ts";
import { type Column, colored, tablePanel } from "./table.ts";
import {
  type Choice,
  choice,
  chosen,
  dataSource,
  JOB,
  logs,
  NAME_OPTION,
  nameMatch,
  PROBE,
  SERVER,
  SERVERS,
} from "./variables.ts";

/** The same statuses as in the rules of the error budget. */
const FAILED = "down|disconnected|acknowledged";
const KNOWN = `up|warning|unusual|partialdown|${FAILED}`;
const PLANNED = "paused.*";
const RULES = "Needs the recording rules of deploy/prometheus";

const SERVICE: Choice = {
  // The variable `service` belongs to the events in Loki.
  name: "offering",
  options: NAME_OPTION,
  label: "Service",
  description: "Names from tags such as service:shop of sensors and devices.",
  query: `label_values(server_sensor:prtg_service:info{${SERVERS}}, service)`,
  // Also sensors without a service.
  all: "(?s:.*)",
};

const CHOSEN = `${SERVERS},${chosen("probe")},service=~${nameMatch("offering")}`;
const HOURS = "server_probe_group_service_status:prtg_sensors:sum1h";
const MONTHS = "server_probe_group_service_status_month:prtg_sensor_minutes:sum";

/** Sensor-minutes of all months in the time range. */
function minutes(by: string, statuses: string, more = ""): string {
  return `sum by (${by}) (last_over_time(${MONTHS}{${CHOSEN},status=~"${statuses}"${more}}[$__range]))`;
}

/** Without a failed minute, there is no series of failed ones. */
function availability(by: string, more = ""): string {
  const known = minutes(by, KNOWN, more);
  return `1 - (${minutes(by, FAILED, more)} or 0 * ${known}) / ${known}`;
}

const LEVELS: Steps = [
  [null, colorOf("down")],
  [0.99, colorOf("warning")],
  [0.995, colorOf("up")],
];

const SHARE = {
  unit: units.PercentUnit,
  decimals: 3,
  pixels: 120,
  properties: colored(
    { id: "color", value: { mode: "thresholds" } },
    { id: "thresholds", value: { mode: "absolute", steps: LEVELS.map(([value, color]) => ({ value, color })) } },
  ),
};

interface Breakdown {
  readonly title: string;
  readonly description: string;
  /** Labels beside job, server and month. */
  readonly labels: readonly Column[];
  readonly width: number;
  readonly none: string;
  /** Matchers, with a comma before them. */
  readonly only?: string;
}

function byMonth({ title, description, labels, width, none, only = "" }: Breakdown) {
  const by = ["job", "server", "month", ...labels.map(({ from }) => from)].join(", ");
  const hours = (statuses: string) => `${minutes(by, statuses, only)} / 60`;
  return tablePanel({
    title,
    description: `${description} The newest month first. ${RULES}.`,
    queries: [withWeb(availability(by, only)), hours(FAILED), hours(KNOWN), hours(PLANNED)],
    columns: [
      { from: "month", title: "Month", pixels: 90 },
      ...labels,
      { ...SHARE, from: "value 0", title: "Availability" },
      { from: "value 1", title: "Down (h)", unit: units.LocaleFormat, decimals: 1, pixels: 95 },
      { from: "value 2", title: "Measured (h)", unit: units.LocaleFormat, decimals: 0, pixels: 110 },
      { from: "value 3", title: "Paused (h)", unit: units.LocaleFormat, decimals: 0, pixels: 100 },
      { from: "server", title: "Server", pixels: 110 },
      { ...WEB_LINK_COLUMN, pixels: 110 },
    ],
    sortBy: { Month: "descending", Availability: "ascending" },
    width,
    none,
  });
}

const NO_MONTH = "No month is recorded: load the recording rules and wait an hour";

const services = byMonth({
  title: "Services by month",
  description:
    "Share of the measured time in which the sensors of a service were not down, by calendar month (UTC). A service is the first tag service:NAME of a sensor or its device.",
  labels: [{ from: "service", title: "Service" }],
  only: ',service!=""',
  width: 24,
  none: "No service is recorded: tag sensors or devices with service:NAME in PRTG",
});

const sites = byMonth({
  title: "Sites by month",
  description: "Share of the measured time in which the sensors of a probe were not down, by calendar month (UTC).",
  labels: [{ from: "probe", title: "Probe" }],
  width: 24,
  none: NO_MONTH,
});

const groups = byMonth({
  title: "Groups by month",
  description:
    "Share of the measured time in which the sensors whose direct group this is were not down, by calendar month (UTC).",
  labels: [
    { from: "group", title: "Group" },
    { from: "probe", title: "Probe" },
  ],
  width: 24,
  none: NO_MONTH,
});

function perHour(by: string, only = ""): string {
  const sum = (statuses: string) => `sum by (${by}) (${HOURS}{${CHOSEN},status=~"${statuses}"${only}})`;
  return `1 - (${sum(FAILED)} or 0 * ${sum(KNOWN)}) / ${sum(KNOWN)}`;
}

function overTime(title: string, description: string, expr: string, legend: string, none: string) {
  return graphPanel({
    title,
    description: `${description} ${RULES}.`,
    series: [{ expr, legend }],
    unit: units.PercentUnit,
    max: 1,
    height: HEIGHT.graph,
    calcs: ["min", "mean"],
    width: 12,
    none,
  });
}

const history = [
  overTime(
    "Services over time",
    "Availability of each service in the hour before.",
    perHour("service", ',service!=""'),
    "{{service}}",
    "No service is recorded",
  ),
  overTime(
    "Sites over time",
    "Availability of the sensors of each probe in the hour before.",
    perHour("server, probe"),
    "{{probe}} ({{server}})",
    "No hour is recorded",
  ),
];

export const serviceLevel = buildDashboard({
  title: "PRTG / SLA",
  description: "Availability by month, service and site. Paused sensors, as in planned maintenance, do not count.",
  uid: UIDS.serviceLevel,
  tags: ["monitoring"],
  from: "now-90d",
  refresh: "1h",
  variables: [dataSource(), choice(JOB), choice(SERVER), choice(PROBE), choice(SERVICE), ...logs()],
  annotations: statusChanges({
    sensors: `${SERVERS},${chosen("probe")}`,
    events: chosenEvents("probe"),
    isShown: false,
  }),
  sections: [
    { panels: [services, sites] },
    { title: "Over time", panels: history },
    { title: "Groups", panels: [groups] },
  ],
});
