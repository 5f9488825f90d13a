import { MappingType, type ValueMap } from "@grafana/grafana-foundation-sdk/dashboard";
import * as units from "@grafana/grafana-foundation-sdk/units";
import { chosenEvents, outages, statusChanges } from "./annotations.ts";
import { buildDashboard } from "./dashboard.ts";
import { leadsTo, UIDS, WEB_LINK_COLUMN } from "./links.ts";
import { graphPanel, HEIGHT, type Series, type Steps, statPanel, timelinePanel } from "./panels.ts";
import { withWeb } from "./sensor-queries.ts";
import { colorOf, NEUTRAL } from "./statuses.ts";
import { colored, coloredFromOne, tablePanel } from "./table.ts";
import { type Choice, choice, dataSource, JOB, logs } from "./variables.ts";

const INSTANCE: Choice = {
  name: "instance",
  label: "Instance",
  description: "Exporters of these jobs.",
  query: 'label_values(prtg_exporter_build_info{job=~"$job"}, instance)',
  all: ".+",
};
const SERVER: Choice = {
  name: "server",
  label: "Server",
  description: "Monitoring servers that these exporters read.",
  query: 'label_values(prtg_up{job=~"$job",instance=~"$instance"}, server)',
  all: ".+",
};

const EXPORTER = 'job=~"$job",instance=~"$instance"';
const SERVERS = `${EXPORTER},server=~"$server"`;
const PROBLEM: Steps = [
  [null, NEUTRAL],
  [1, colorOf("down")],
];
const WORKS: ValueMap = {
  type: MappingType.ValueToText,
  options: {
    "0": { text: "Failed", color: colorOf("down"), index: 0 },
    "1": { text: "Worked", color: colorOf("up"), index: 1 },
  },
};
const YES_NO: ValueMap = {
  type: MappingType.ValueToText,
  options: {
    "0": { text: "No", color: colorOf("down"), index: 0 },
    "1": { text: "Yes", color: colorOf("up"), index: 1 },
  },
};

/** Zero for each exporter that runs: what it has not counted yet did not happen. Nothing where none runs. */
function orZero(expr: string): string {
  return `${expr} or on (instance) 0 * max by (instance) (prtg_exporter_build_info{${EXPORTER}})`;
}

/** What happened per second, by labels; zero by exporter as long as it never did. */
function rateOf(metric: string, by: string, matchers = SERVERS): string {
  return `sum by (instance, ${by}) (rate(${metric}{${matchers}}[$__rate_interval]))`;
}

const stats = [
  statPanel({
    title: "Servers out of reach",
    description: "Servers whose health check, or whose last poll of tree, status or channels, failed.",
    expr: `sum(1 - prtg_up{${SERVERS}})`,
    levels: PROBLEM,
    width: 3,
    none: "No exporter",
  }),
  statPanel({
    title: "Polls failing",
    description: "Collectors whose last run failed or was incomplete.",
    expr: `sum(1 - prtg_exporter_collector_success{${SERVERS}} * prtg_exporter_collector_complete{${SERVERS}})`,
    levels: PROBLEM,
    width: 3,
    none: "No polls yet",
  }),
  statPanel({
    title: "Oldest success",
    description: "Longest time since the last success of any enabled collector.",
    expr: `max(time() - prtg_exporter_collector_last_success_timestamp_seconds{${SERVERS}} and on (job, instance, server, collector) prtg_exporter_collector_enabled{${SERVERS}} == 1)`,
    unit: units.Seconds,
    decimals: 0,
    levels: [
      [null, NEUTRAL],
      [1800, colorOf("unusual")],
      [3600, colorOf("down")],
    ],
    width: 3,
    none: "No polls yet",
  }),
  statPanel({
    title: "Breakers open",
    description: "Servers with an open circuit breaker: the exporter pauses requests after repeated failures.",
    expr: `sum(prtg_exporter_api_breaker_open{${SERVERS}})`,
    levels: PROBLEM,
    width: 3,
    none: "No exporter",
  }),
  statPanel({
    title: "Series",
    description: "Served series about monitored objects.",
    expr: `sum(prtg_exporter_series{${EXPORTER}})`,
    levels: [[null, NEUTRAL]],
    width: 3,
    none: "No exporter",
  }),
  statPanel({
    title: "Page size",
    description: "Size of the largest metrics page over the wire, without the exporter's own metrics.",
    expr: `max(prtg_exporter_exposition_bytes{${EXPORTER}})`,
    unit: units.BytesIEC,
    levels: [[null, NEUTRAL]],
    width: 3,
    none: "Not scraped",
  }),
  statPanel({
    title: "Configuration",
    description: "Result of the last reload. If the configuration is invalid, the previous one stays in use.",
    expr: `min(prtg_exporter_config_last_reload_successful{${EXPORTER}})`,
    levels: [
      [null, colorOf("down")],
      [1, NEUTRAL],
    ],
    mappings: [
      {
        type: MappingType.ValueToText,
        options: { "0": { text: "Refused", color: colorOf("down") }, "1": { text: "In force", color: NEUTRAL } },
      },
    ],
    width: 3,
    none: "No exporter",
  }),
  statPanel({
    title: "Uptime",
    description: "Time since the last start of an exporter.",
    expr: `min(time() - process_start_time_seconds{${EXPORTER}} and on (job, instance) prtg_exporter_build_info)`,
    unit: units.Seconds,
    levels: [[null, NEUTRAL]],
    width: 3,
    none: "No exporter",
  }),
];

const exporters = tablePanel({
  title: "Exporters",
  description: "Versions of the exporters, time and result of their last reload.",
  queries: [
    `max by (job, instance, version, revision, node_version) (prtg_exporter_build_info{${EXPORTER}})`,
    `1000 * max by (job, instance) (prtg_exporter_config_last_reload_success_timestamp_seconds{${EXPORTER}})`,
    `count by (job, instance) (prtg_up{${SERVERS}})`,
    `min by (job, instance) (prtg_exporter_config_last_reload_successful{${EXPORTER}})`,
    `min by (job, instance) (prtg_exporter_web_config_last_reload_successful{${EXPORTER}})`,
  ],
  columns: [
    { from: "instance", title: "Instance" },
    { from: "job", title: "Job" },
    { from: "version", title: "Version" },
    { from: "revision", title: "Revision" },
    { from: "node_version", title: "Node.js" },
    { from: "value 1", title: "Configuration read", unit: units.DateTimeFromNow },
    { from: "value 2", title: "Servers", unit: units.LocaleFormat, pixels: 90 },
    {
      from: "value 3",
      title: "In force",
      pixels: 85,
      properties: colored({ id: "mappings", value: [YES_NO] }),
    },
    {
      from: "value 4",
      title: "Web file in force",
      pixels: 140,
      properties: colored({ id: "mappings", value: [YES_NO] }),
    },
  ],
  height: HEIGHT.stat,
  width: 12,
  none: "No exporter",
});

const servers = tablePanel({
  title: "Servers",
  description: "Monitoring servers, their web interfaces and versions, and the offset of their clocks to the exporter.",
  queries: [
    withWeb(`max by (job, instance, server) (prtg_up{${SERVERS}})`),
    `max by (job, instance, server, version) (prtg_server_info{${SERVERS}})`,
    `max by (job, instance, server) (prtg_exporter_server_clock_offset_seconds{${SERVERS}})`,
    `max by (job, instance, server) (prtg_exporter_orphan_objects{${SERVERS}})`,
    `max by (job, instance, server) (prtg_exporter_waiting_channels{${SERVERS}})`,
  ],
  columns: [
    {
      from: "server",
      title: "Server",
      properties: [
        leadsTo({
          title: "Show this server",
          dashboard: UIDS.overview,
          columns: { server: "Server" },
          kept: ["datasource", "logs", "job"],
        }),
      ],
    },
    WEB_LINK_COLUMN,
    { from: "value 0", title: "Reached", pixels: 90, properties: colored({ id: "mappings", value: [YES_NO] }) },
    { from: "version", title: "Version" },
    { from: "value 2", title: "Clock ahead", unit: units.Seconds, decimals: 1, pixels: 110 },
    { from: "value 3", title: "Orphans", unit: units.LocaleFormat, pixels: 90 },
    { from: "value 4", title: "Waiting channels", unit: units.LocaleFormat, pixels: 140 },
  ],
  height: HEIGHT.stat,
  width: 12,
  none: "No exporter",
});

const BY_COLLECTOR = "job, instance, server, collector";

const polls = [
  timelinePanel({
    title: "Polls",
    description: "Result of the last finished run of each collector.",
    series: {
      expr: `min by (server, collector) (prtg_exporter_collector_success{${SERVERS}})`,
      legend: "{{server}} {{collector}}",
    },
    mappings: [WORKS],
    height: HEIGHT.graph,
    width: 12,
    none: "No polls yet",
  }),
  tablePanel({
    title: "Collectors",
    description: "The last finished run of each collector. Collectors without an endpoint on the server are off.",
    queries: [
      `max by (${BY_COLLECTOR}) (prtg_exporter_collector_enabled{${SERVERS}})`,
      `max by (${BY_COLLECTOR}) (prtg_exporter_collector_success{${SERVERS}})`,
      `max by (${BY_COLLECTOR}) (prtg_exporter_collector_complete{${SERVERS}})`,
      `max by (${BY_COLLECTOR}) (prtg_exporter_collector_duration_seconds{${SERVERS}})`,
      `time() - max by (${BY_COLLECTOR}) (prtg_exporter_collector_last_success_timestamp_seconds{${SERVERS}})`,
      `max by (${BY_COLLECTOR}) (prtg_exporter_collector_skipped_runs_total{${SERVERS}})`,
    ],
    columns: [
      { from: "server", title: "Server" },
      { from: "collector", title: "Collector" },
      { from: "value 0", title: "On", pixels: 60, properties: colored({ id: "mappings", value: [YES_NO] }) },
      { from: "value 1", title: "Worked", pixels: 85, properties: colored({ id: "mappings", value: [YES_NO] }) },
      { from: "value 2", title: "Complete", pixels: 95, properties: colored({ id: "mappings", value: [YES_NO] }) },
      { from: "value 3", title: "Took", unit: units.Seconds, pixels: 90 },
      { from: "value 4", title: "Worked ago", unit: units.Seconds, pixels: 110 },
      {
        from: "value 5",
        title: "Skipped",
        unit: units.LocaleFormat,
        pixels: 85,
        properties: coloredFromOne("warning"),
      },
    ],
    sortBy: { Collector: "ascending" },
    height: HEIGHT.graph,
    width: 12,
    none: "No polls yet",
  }),
  graph("Duration of polls", "How long the last finished run of each collector took.", units.Seconds, [
    {
      expr: `max by (server, collector) (prtg_exporter_collector_duration_seconds{${SERVERS}})`,
      legend: "{{server}} {{collector}}",
    },
  ]),
  graph(
    "Age of the last success",
    "Time since the last successful run of each collector. A regular saw tooth is normal.",
    units.Seconds,
    [
      {
        expr: `max by (server, collector) (time() - prtg_exporter_collector_last_success_timestamp_seconds{${SERVERS}})`,
        legend: "{{server}} {{collector}}",
      },
    ],
  ),
  graph("Skipped runs", "Runs that were skipped because the previous one was still running.", units.OpsPerMinute, [
    {
      expr: `60 * ${rateOf("prtg_exporter_collector_skipped_runs_total", "server, collector")}`,
      legend: "{{server}} {{collector}}",
    },
  ]),
];

const api = [
  graph(
    "Requests",
    "Requests to the monitoring server by HTTP status code, or by kind of failure.",
    units.RequestsPerSecond,
    [{ expr: rateOf("prtg_exporter_api_requests_total", "server, code"), legend: "{{server}} {{code}}" }],
  ),
  graph("Failed requests", "Failed requests per server, and over all servers per endpoint.", units.RequestsPerSecond, [
    {
      expr: orZero(rateOf("prtg_exporter_api_requests_total", "server, code", `${SERVERS},code!~"2..|304"`)),
      legend: "{{server}} {{code}}",
    },
    {
      expr: rateOf("prtg_exporter_api_endpoint_requests_total", "endpoint, code", `${EXPORTER},code!~"2..|304"`),
      legend: "{{endpoint}} {{code}}",
    },
  ]),
  graph(
    "Latency",
    "Time from sending a request to the last byte of the answer: median, 95th and 99th percentile.",
    units.Seconds,
    [
      ...[0.5, 0.95, 0.99].map((quantile) => ({
        expr: `histogram_quantile(${quantile}, sum by (server, le) (rate(prtg_exporter_api_request_duration_seconds_bucket{${SERVERS}}[$__rate_interval])))`,
        legend: `{{server}} p${quantile * 100}`,
      })),
    ],
  ),
  graph("Mean latency by endpoint", "Mean time of a request to any of the servers, by endpoint.", units.Seconds, [
    {
      expr: `sum by (endpoint) (rate(prtg_exporter_api_endpoint_request_duration_seconds_sum{${EXPORTER}}[$__rate_interval])) / (sum by (endpoint) (rate(prtg_exporter_api_endpoint_request_duration_seconds_count{${EXPORTER}}[$__rate_interval])) > 0)`,
      legend: "{{endpoint}}",
    },
  ]),
  graph("Received", "Bytes of answers.", units.BytesPerSecondIEC, [
    { expr: rateOf("prtg_exporter_api_response_bytes_total", "server"), legend: "{{server}}" },
  ]),
  graph(
    "Retries and moved lists",
    "Requests that the exporter retried, and lists that changed during the read.",
    units.OpsPerMinute,
    [
      {
        expr: `60 * (${orZero(rateOf("prtg_exporter_api_retries_total", "server"))})`,
        legend: "{{server}} retry",
      },
      {
        expr: `60 * (${orZero(rateOf("prtg_exporter_api_lists_moved_total", "server"))})`,
        legend: "{{server}} moved",
      },
    ],
  ),
  graph(
    "Requests in flight, open breakers",
    "Requests in flight, and whether the circuit breaker pauses requests.",
    units.LocaleFormat,
    [
      { expr: `max by (server) (prtg_exporter_api_requests_in_flight{${SERVERS}})`, legend: "{{server}} in flight" },
      { expr: `max by (server) (prtg_exporter_api_breaker_open{${SERVERS}})`, legend: "{{server}} breaker open" },
    ],
  ),
  graph("Clock offset", "Clock of the monitoring server minus the exporter's.", units.Seconds, [
    { expr: `max by (server) (prtg_exporter_server_clock_offset_seconds{${SERVERS}})`, legend: "{{server}}" },
  ]),
];

const answers = [
  graph(
    "Problems in answers",
    "Invalid data in the server's answers, which the exporter dropped.",
    units.OpsPerMinute,
    [
      {
        expr: `60 * ${rateOf("prtg_exporter_decode_problems_total", "server, problem")}`,
        legend: "{{server}} {{problem}}",
      },
    ],
  ),
  graph(
    "Objects without a place",
    "Channels of unknown sensors, objects with a hidden parent, channels that mapping rules could not convert, and announced objects that the server did not send.",
    units.LocaleFormat,
    [
      { expr: `max by (server) (prtg_exporter_waiting_channels{${SERVERS}})`, legend: "{{server}} waiting channels" },
      { expr: `max by (server) (prtg_exporter_orphan_objects{${SERVERS}})`, legend: "{{server}} orphans" },
      {
        expr: orZero(`max by (instance, server, reason) (prtg_exporter_unmapped_channels{${SERVERS}})`),
        legend: "{{server}} unmapped {{reason}}",
      },
      {
        expr: `max by (server, endpoint) (prtg_exporter_api_total_count_mismatch{${SERVERS}})`,
        legend: "{{server}} missing {{endpoint}}",
      },
    ],
  ),
];

const otlp = [
  graph(
    "Measurements delivered",
    "Measurements that the receiver acknowledged: live ones, and the server's averages for older data.",
    units.CountsPerSecond,
    [
      {
        expr: rateOf("prtg_exporter_otlp_delivered_points_total", "server, resolution"),
        legend: "{{server}} {{resolution}}",
      },
    ],
  ),
  graph(
    "Measurements not delivered",
    "Measurements that the receiver rejected permanently, that are never sent, or that were dropped and are read again.",
    units.CountsPerSecond,
    [
      {
        expr: rateOf("prtg_exporter_otlp_rejected_points_total", "server, resolution"),
        legend: "{{server}} refused {{resolution}}",
      },
      { expr: rateOf("prtg_exporter_otlp_dropped_points_total", "server"), legend: "{{server}} dropped" },
      {
        expr: orZero(rateOf("prtg_exporter_otlp_skipped_points_total", "stream", EXPORTER)),
        legend: "never sent {{stream}}",
      },
    ],
  ),
  graph("Measurements waiting", "Measurements that wait for delivery.", units.LocaleFormat, [
    {
      expr: `max by (server, resolution) (prtg_exporter_otlp_pending_points{${SERVERS}})`,
      legend: "{{server}} {{resolution}}",
    },
  ]),
  graph(
    "Age of the oldest waiting measurement",
    "PRTG keeps full resolution for four hours. Older data is sent as averages.",
    units.Seconds,
    [
      {
        expr: `max by (server, resolution) (prtg_exporter_otlp_oldest_pending_age_seconds{${SERVERS}})`,
        legend: "{{server}} {{resolution}}",
      },
    ],
  ),
  graph(
    "Failed deliveries",
    "Failed deliveries (retried), permanently rejected requests, and failed writes to state_dir.",
    units.OpsPerMinute,
    [
      {
        expr: `60 * ${rateOf("prtg_exporter_otlp_failed_deliveries_total", "server")}`,
        legend: "{{server}} deliveries",
      },
      {
        expr: `60 * (${orZero(rateOf("prtg_exporter_otlp_failed_requests_total", "stream", EXPORTER))})`,
        legend: "requests {{stream}}",
      },
      {
        expr: `60 * (${orZero(rateOf("prtg_exporter_otlp_refused_requests_total", "stream", EXPORTER))})`,
        legend: "refused {{stream}}",
      },
      {
        expr: `60 * ${rateOf("prtg_exporter_otlp_watermark_failures_total", "server")}`,
        legend: "{{server}} state_dir",
      },
    ],
  ),
  graph(
    "State points",
    "Points of the current state, such as statuses and counts, that the receiver acknowledged or rejected.",
    units.CountsPerSecond,
    [{ expr: orZero(rateOf("prtg_exporter_otlp_state_points_total", "outcome", EXPORTER)), legend: "{{outcome}}" }],
  ),
];

const pages = [
  graph("Series by family", "Served series per family. Families without series are omitted.", units.LocaleFormat, [
    { expr: `max by (family) (prtg_exporter_series{${EXPORTER}}) > 0`, legend: "{{family}}" },
  ]),
  graph(
    "Page size",
    "Size of the metrics page over the wire, without the exporter's own metrics. Scrapers limit the uncompressed size.",
    units.BytesIEC,
    [
      {
        expr: `max by (instance, format, encoding) (prtg_exporter_exposition_bytes{${EXPORTER}})`,
        legend: "{{instance}} {{format}} {{encoding}}",
      },
    ],
  ),
  graph("Rendering", "Time to render and compress the last metrics page.", units.Seconds, [
    {
      expr: `max by (instance, format) (prtg_exporter_render_duration_seconds{${EXPORTER}})`,
      legend: "{{instance}} {{format}}",
    },
  ]),
  graph("Scrapes", "Metrics pages served.", units.OpsPerMinute, [
    {
      expr: `60 * (${orZero(rateOf("prtg_exporter_scrapes_total", "format", EXPORTER))})`,
      legend: "{{instance}} {{format}}",
    },
  ]),
  graph(
    "Series left out",
    "Dropped series of whole devices, because the metrics page would exceed a configured limit.",
    units.LocaleFormat,
    [
      {
        expr: orZero(`max by (instance, family) (prtg_exporter_dropped_series{${EXPORTER}})`),
        legend: "{{instance}} {{family}}",
      },
    ],
  ),
  graph(
    "Connections",
    "Open connections to the exporter's web server, and rejected connections and requests per minute.",
    units.LocaleFormat,
    [
      { expr: `max by (instance) (prtg_exporter_http_connections{${EXPORTER}})`, legend: "{{instance}} open" },
      {
        expr: `60 * (${orZero(rateOf("prtg_exporter_http_rejected_total", "reason", EXPORTER))})`,
        legend: "{{instance}} rejected {{reason}}",
      },
    ],
  ),
];

/** Other programs have metrics of these names: only those of exporters count. */
const ours = (metric: string) => `${metric}{${EXPORTER}} and on (job, instance) prtg_exporter_build_info`;

const processes = [
  graph("CPU", "Share of one processor that the exporter uses.", units.PercentUnit, [
    {
      expr: `rate(process_cpu_seconds_total{${EXPORTER}}[$__rate_interval]) and on (job, instance) prtg_exporter_build_info`,
      legend: "{{instance}}",
    },
  ]),
  graph("Memory", "Resident memory, and the part of it that the JavaScript heap uses.", units.BytesIEC, [
    { expr: ours("process_resident_memory_bytes"), legend: "{{instance}} resident" },
    { expr: ours("nodejs_heap_size_used_bytes"), legend: "{{instance}} heap" },
    { expr: ours("nodejs_external_memory_bytes"), legend: "{{instance}} external" },
  ]),
  graph("Event loop lag", "Event loop lag, 50 ms when idle: median, 99th percentile and maximum.", units.Seconds, [
    { expr: ours("nodejs_eventloop_lag_p50_seconds"), legend: "{{instance}} p50" },
    { expr: ours("nodejs_eventloop_lag_p99_seconds"), legend: "{{instance}} p99" },
    { expr: ours("nodejs_eventloop_lag_max_seconds"), legend: "{{instance}} max" },
  ]),
  graph(
    "Reads held back",
    "Reads of time series and limits that wait while the process is busy, and reads deferred to a later run per minute.",
    units.LocaleFormat,
    [
      {
        expr: `max by (instance, collector) (prtg_exporter_extra_reads_waiting{${EXPORTER}})`,
        legend: "{{instance}} {{collector}} waiting",
      },
      {
        expr: `60 * ${rateOf("prtg_exporter_extra_reads_deferred_total", "instance, collector", EXPORTER)}`,
        legend: "{{instance}} {{collector}} left for later",
      },
    ],
  ),
  graph(
    "Event loop",
    "Busy share of the event loop. Above 70 %, the exporter starts only four reads of time series and limits per second.",
    units.PercentUnit,
    [
      {
        expr: `max by (instance) (prtg_exporter_event_loop_utilization_ratio{${EXPORTER}})`,
        legend: "{{instance}}",
      },
    ],
  ),
  graph("Garbage collection", "Share of the time that goes into garbage collection, by kind.", units.PercentUnit, [
    {
      expr: `sum by (instance, kind) (rate(nodejs_gc_duration_seconds_sum{${EXPORTER}}[$__rate_interval]) and on (job, instance) prtg_exporter_build_info)`,
      legend: "{{instance}} {{kind}}",
    },
  ]),
];

function graph(title: string, description: string, unit: string, series: readonly Series[]) {
  return graphPanel({ title, description, unit, series, width: 12 });
}

export const exporterHealth = buildDashboard({
  title: "PRTG / Exporter health",
  description: "State of the exporter: polls, requests to the servers, OTLP delivery, scrapes and the process.",
  uid: UIDS.exporterHealth,
  tags: ["exporter"],
  from: "now-3h",
  refresh: "1m",
  variables: [dataSource(), choice(JOB), choice(INSTANCE), choice(SERVER), ...logs()],
  annotations: [
    outages(),
    ...statusChanges({ sensors: SERVERS, events: chosenEvents() }).map((each) => each.enable(false)),
  ],
  sections: [
    { panels: [...stats, exporters, servers] },
    { title: "Polls", panels: polls },
    { title: "Requests to the servers", panels: api },
    { title: "Answers of the servers", panels: answers },
    { title: "OTLP", panels: otlp },
    { title: "Metrics pages", panels: pages },
    { title: "Process", panels: processes },
  ],
});
