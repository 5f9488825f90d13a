import { collectorsWith } from "../collectors/collector.ts";
import { EVENT_DROPS, EVENT_NAMES, EVENT_OUTPUTS } from "../events/event-names.ts";
import { DECODE_PROBLEMS } from "../prtg/decode-problems.ts";

/**
 * Declares each metric about the exporter once, for the registry, the recorders, `docs/metrics.md` and the checks of dashboards. Each group
 * has a recorder.
 */
export interface MetricDeclaration {
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly help: string;
  /** In the order of the page. `server` is the configured name of the PRTG server. */
  readonly labels: readonly string[];
  /** Known label values. A counter starts at 0 if all its labels are known. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Start value of a gauge, if the recorder fixes all its labels. */
  readonly initial?: number;
  /** The recorder adds to the gauge instead of setting it. */
  readonly adds?: boolean;
  /** Labels that `metrics.api_detail: endpoint` adds: a dozen series per server. */
  readonly detailLabels?: readonly string[];
  /** Start the counter at 0 for each endpoint that every server has, or only for the lists. */
  readonly startsBy?: "endpoint" | "list";
  readonly buckets?: readonly number[];
}

/** PRTG gives up after 25 s. */
const REQUEST_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25] as const;

/** Problems that users can solve. */
export const UNMAPPED_REASONS = ["unknown_unit", "unconverted"] as const;
export type UnmappedReason = (typeof UNMAPPED_REASONS)[number];

export const RESOLUTIONS = ["live", "short", "medium", "long"] as const;

/** Measurements of a resolution, repeated last values, or the current state. */
const STREAMS = [...RESOLUTIONS, "repeated", "state"] as const;
export type Stream = (typeof STREAMS)[number];

const OUTCOMES = ["delivered", "rejected"] as const;

export const SYNC_CHANGES = ["acknowledge", "silence", "expire"] as const;
/** `refused`: the object has another status by now. */
export const SYNC_RESULTS = ["done", "refused", "failed"] as const;

/** Tools of the MCP server. */
export const MCP_TOOLS = [
  "list_servers",
  "list_outages",
  "find_objects",
  "get_object",
  "get_changes",
  "get_history",
  "explain_series",
] as const;
export type McpTool = (typeof MCP_TOOLS)[number];
/** `refused`: an unknown object, or too many calls. `failed`: an error of the exporter. */
export const MCP_RESULTS = ["ok", "refused", "failed"] as const;
export type McpResult = (typeof MCP_RESULTS)[number];

type Options = Pick<MetricDeclaration, "detailLabels" | "values" | "initial" | "adds" | "startsBy" | "buckets">;

const [gauge, counter, histogram] = [metricOf("gauge"), metricOf("counter"), metricOf("histogram")];

function metricOf<const Type extends MetricDeclaration["type"]>(type: Type) {
  return <const Labels extends readonly string[], const More extends Options = Record<never, never>>(
    name: string,
    labels: Labels,
    help: string,
    more?: More,
  ) => ({ name, type, help, labels, ...(more as More) });
}

/** 500 servers would have 100,000 of these series with endpoints. */
const BY_ENDPOINT = { detailLabels: ["endpoint"] } as const;

export const EXPORTER_METRICS = {
  server: {
    up: gauge(
      "prtg_up",
      ["server"],
      "1 if the last health check and the last runs of the collectors tree, status and channels succeeded, else 0. After a reload with another server, user or larger selection, 0 until all objects are read.",
      { initial: 0 },
    ),
    requests: counter(
      "prtg_exporter_api_requests_total",
      ["server", "endpoint", "code"],
      "Requests to the monitoring server by HTTP status code, or by kind of failure if no answer came.",
      BY_ENDPOINT,
    ),
    requestDuration: histogram(
      "prtg_exporter_api_request_duration_seconds",
      ["server", "endpoint"],
      "Time from sending a request to the last byte of the answer, without waiting for the request budget.",
      { ...BY_ENDPOINT, buckets: REQUEST_BUCKETS },
    ),
    responseBytes: counter(
      "prtg_exporter_api_response_bytes_total",
      ["server", "endpoint"],
      "Bytes of response bodies received from the monitoring server.",
      { ...BY_ENDPOINT, startsBy: "endpoint" },
    ),
    retried: counter(
      "prtg_exporter_api_retries_total",
      ["server", "endpoint"],
      "Requests that the exporter retried after a failure.",
      { ...BY_ENDPOINT, startsBy: "endpoint" },
    ),
    inFlight: gauge(
      "prtg_exporter_api_requests_in_flight",
      ["server"],
      "Requests to the monitoring server in flight.",
      { initial: 0, adds: true },
    ),
    breakerChanged: gauge(
      "prtg_exporter_api_breaker_open",
      ["server"],
      "1 while the exporter pauses requests because the server is unreachable or unavailable, else 0.",
      { initial: 0 },
    ),
    unverified: gauge(
      "prtg_exporter_api_unverified",
      ["server"],
      "1 if the certificate of the server is not checked (`tls.insecure_skip_verify`), else 0.",
      { initial: 0 },
    ),
    listMoved: counter(
      "prtg_exporter_api_lists_moved_total",
      ["server", "endpoint"],
      "Lists that changed between their pages and that the exporter read again.",
      { ...BY_ENDPOINT, startsBy: "list" },
    ),
    totalMismatch: gauge(
      "prtg_exporter_api_total_count_mismatch",
      ["server", "endpoint"],
      "X-Total-Count minus the objects on all pages, at the last complete read of the list.",
    ),
    clockOffset: gauge(
      "prtg_exporter_server_clock_offset_seconds",
      ["server"],
      "Clock of the monitoring server minus the exporter's clock, from the Date header.",
    ),
  },
  /** Requests to all servers together: shows which endpoint is slow or fails. */
  endpoints: {
    requests: counter(
      "prtg_exporter_api_endpoint_requests_total",
      ["endpoint", "code"],
      "Requests to all monitoring servers by endpoint and HTTP status code, or by kind of failure if no answer came.",
    ),
    requestDuration: histogram(
      "prtg_exporter_api_endpoint_request_duration_seconds",
      ["endpoint"],
      "Time from sending a request to the last byte of the answer, over all monitoring servers.",
      { buckets: REQUEST_BUCKETS },
    ),
  },
  collector: {
    enabled: gauge(
      "prtg_exporter_collector_enabled",
      ["server", "collector"],
      "1 if the collector runs on its schedule, 0 if the server lacks its endpoint.",
      { initial: 1 },
    ),
    success: gauge(
      "prtg_exporter_collector_success",
      ["server", "collector"],
      "1 if the last finished run of the collector succeeded, else 0.",
    ),
    complete: gauge(
      "prtg_exporter_collector_complete",
      ["server", "collector"],
      "1 if the last finished run read every object, else 0. Also 0 after a reload until a run has read the added objects. An incomplete run removes no objects.",
    ),
    duration: gauge(
      "prtg_exporter_collector_duration_seconds",
      ["server", "collector"],
      "Duration of the last finished run.",
    ),
    lastSuccess: gauge(
      "prtg_exporter_collector_last_success_timestamp_seconds",
      ["server", "collector"],
      "Unix time of the last successful run of the collector.",
    ),
    skipped: counter(
      "prtg_exporter_collector_skipped_runs_total",
      ["server", "collector"],
      "Runs that were skipped because the previous one was still running.",
    ),
  },
  objects: {
    decodeProblem: counter(
      "prtg_exporter_decode_problems_total",
      ["server", "problem"],
      "Problems in the server's answers, by kind: record, status, value (not a number in its unit), timestamp, summary, lookup, text (too long, cut), secret (credentials in a text, replaced by [redacted]), duplicate (second record with the same id). The exporter drops the invalid data.",
      { values: { problem: DECODE_PROBLEMS } },
    ),
    waitingChannels: gauge(
      "prtg_exporter_waiting_channels",
      ["server"],
      "Channels of the last poll that wait because their sensor is not known yet.",
      { initial: 0 },
    ),
    unmappedChannels: gauge(
      "prtg_exporter_unmapped_channels",
      ["server", "reason"],
      "Channels without a mapped metric: their unit is unknown (unknown_unit) or cannot be converted to the unit of the rule (unconverted). Only with mapping rules.",
      { values: { reason: UNMAPPED_REASONS } },
    ),
    orphans: gauge(
      "prtg_exporter_orphan_objects",
      ["server"],
      "Objects with a parent that the user cannot see. They are shown under their nearest known ancestor.",
      { initial: 0 },
    ),
  },
  measurements: {
    delivered: counter(
      "prtg_exporter_otlp_delivered_points_total",
      ["server", "resolution"],
      "Measurements that the OTLP receiver acknowledged, by resolution: live, or the server's averages short, medium, long.",
      { values: { resolution: RESOLUTIONS } },
    ),
    rejected: counter(
      "prtg_exporter_otlp_rejected_points_total",
      ["server", "resolution"],
      "Measurements that the OTLP receiver rejected permanently. The exporter does not retry them.",
      { values: { resolution: RESOLUTIONS } },
    ),
    repeated: counter(
      "prtg_exporter_otlp_repeated_points_total",
      ["server", "outcome"],
      "Repeated last values of rarely scanned sensors that the OTLP receiver acknowledged (delivered) or rejected permanently (rejected). Only this metric counts them.",
      { values: { outcome: OUTCOMES } },
    ),
    deliveryFailed: counter(
      "prtg_exporter_otlp_failed_deliveries_total",
      ["server"],
      "Failed deliveries of measurements. The exporter retries them.",
    ),
    pending: gauge(
      "prtg_exporter_otlp_pending_points",
      ["server", "resolution"],
      "Measurements that wait for delivery.",
      { values: { resolution: RESOLUTIONS } },
    ),
    oldestPending: gauge(
      "prtg_exporter_otlp_oldest_pending_age_seconds",
      ["server", "resolution"],
      "Age of the oldest measurement that waits for delivery, or 0.",
      { values: { resolution: RESOLUTIONS } },
    ),
    dropped: counter(
      "prtg_exporter_otlp_dropped_points_total",
      ["server"],
      "Measurements dropped to save memory. The exporter reads them from the server again.",
    ),
    seriesUnreadable: gauge(
      "prtg_exporter_otlp_series_unreadable",
      ["server"],
      "1 while no time series can be read, so that only the values of the lists are pushed and the history between them is missing, else 0.",
      { initial: 0 },
    ),
    watermarkFailed: counter(
      "prtg_exporter_otlp_watermark_failures_total",
      ["server"],
      "Failed writes of the delivery watermarks to state_dir.",
    ),
  },
  otlp: {
    statePoints: counter(
      "prtg_exporter_otlp_state_points_total",
      ["outcome"],
      "Points of the current state that the OTLP receiver acknowledged (delivered) or rejected permanently (rejected).",
      { values: { outcome: OUTCOMES } },
    ),
    stateHeld: counter(
      "prtg_exporter_otlp_held_state_pushes_total",
      [],
      "Pushes of the current state that were skipped because the OTLP receiver asked for a pause.",
    ),
    endsDropped: counter(
      "prtg_exporter_otlp_dropped_series_ends_total",
      [],
      "Ends of series that the exporter did not send to the OTLP receiver because too many were waiting.",
    ),
    attemptFailed: counter(
      "prtg_exporter_otlp_failed_requests_total",
      ["stream"],
      "OTLP requests that failed, by content: a resolution of measurements, repeated values, or state.",
      { values: { stream: STREAMS } },
    ),
    requestRefused: counter(
      "prtg_exporter_otlp_refused_requests_total",
      ["stream"],
      "OTLP requests that the receiver rejected permanently, by content.",
      { values: { stream: STREAMS } },
    ),
    skipped: counter(
      "prtg_exporter_otlp_skipped_points_total",
      ["stream"],
      "Measurements that are never sent, because their channel is gone or their value is not a finite number.",
      { values: { stream: STREAMS } },
    ),
  },
  events: {
    told: counter(
      "prtg_exporter_events_total",
      ["server", "event"],
      "Events that the exporter detected and queued for the outputs, by name.",
      { values: { event: EVENT_NAMES } },
    ),
    delivered: counter(
      "prtg_exporter_events_delivered_total",
      ["server", "output"],
      "Events that an output (otlp or file) accepted.",
      { values: { output: EVENT_OUTPUTS } },
    ),
    dropped: counter(
      "prtg_exporter_events_dropped_total",
      ["server", "reason"],
      "Events that are never delivered: rejected permanently by an output (rejected), dropped from a full queue (full), or merged with the next status change in a full queue (merged).",
      { values: { reason: EVENT_DROPS } },
    ),
    pending: gauge("prtg_exporter_events_pending", ["server", "output"], "Events that wait for delivery."),
    deliveryFailed: counter(
      "prtg_exporter_events_failed_deliveries_total",
      ["server", "output"],
      "Failed deliveries of events. The exporter retries them.",
      { values: { output: EVENT_OUTPUTS } },
    ),
    memoryFailed: counter(
      "prtg_exporter_events_memory_failures_total",
      ["server"],
      "Failed writes of the event state to state_dir.",
    ),
  },
  extras: {
    loop: gauge(
      "prtg_exporter_event_loop_utilization_ratio",
      [],
      "Busy share of the event loop in the last seconds. Above 0.7, the exporter starts only four reads of time series and limits per second.",
      { initial: 0 },
    ),
    waiting: gauge(
      "prtg_exporter_extra_reads_waiting",
      ["collector"],
      "Reads of time series and limits that wait because the process is busy.",
    ),
    deferred: counter(
      "prtg_exporter_extra_reads_deferred_total",
      ["collector"],
      "Due reads of time series that were deferred to a later run because the process was busy. No measurements are lost, because the server keeps them. Reads of limits wait and are never deferred.",
      { values: { collector: collectorsWith("defers") } },
    ),
    heldBack: gauge(
      "prtg_exporter_extra_held_back",
      [],
      "1 while reads of time series are deferred because the process is busy, else 0. Stays 1 for 5 more minutes, or 1.5 cycles of time series if that is longer.",
      { initial: 0 },
    ),
  },
  config: {
    webInterface: gauge(
      "prtg_exporter_server_web_info",
      ["server", "web_url"],
      "Always 1. The label web_url has the address of the PRTG web interface (servers[].web_url), for links.",
    ),
    statusPage: gauge(
      "prtg_exporter_server_page_info",
      ["server", "page_url"],
      "Always 1. The label page_url has the address of the server's page in the exporter, for links. Append `&id=` and the id of an object for its page. Absent without web.external_url.",
    ),
    reloadSuccessful: gauge(
      "prtg_exporter_config_last_reload_successful",
      [],
      "1 if the last configuration was loaded, 0 if it was invalid and the previous one is still in use.",
    ),
    reloadTime: gauge(
      "prtg_exporter_config_last_reload_success_timestamp_seconds",
      [],
      "Unix time of the last successful load of the configuration.",
    ),
    badServerFiles: gauge(
      "prtg_exporter_config_bad_server_files",
      [],
      "Invalid files of servers_from. Their servers keep the previous configuration. The log has the errors.",
    ),
    deprecated: gauge(
      "prtg_exporter_deprecated_settings",
      [],
      "Uses of deprecated keys and flags. The log and check name them and their successors.",
    ),
    hash: gauge(
      "prtg_exporter_config_hash",
      [],
      "Hash (48 bits) of the loaded configuration with rules and certificates, without secrets. Equal hashes mean equal behaviour.",
    ),
  },
  /** Only with `--leader-elect`. */
  leadership: {
    leader: gauge(
      "prtg_exporter_leader",
      ["lease"],
      "1 on the replica that holds this Lease (`namespace/name`), 0 on a standby, which reads and pushes nothing. Only with `--leader-elect`.",
    ),
  },
  /** Only of `prtg-exporter sync`. */
  sync: {
    changes: counter(
      "prtg_sync_changes_total",
      ["kind", "result"],
      "Changes in PRTG (acknowledge) and Alertmanager (silence: created or prolonged, expire), by result. refused: the sensor has another status by now. Only of `prtg-exporter sync`.",
      { values: { kind: SYNC_CHANGES, result: SYNC_RESULTS } },
    ),
    waiting: gauge(
      "prtg_sync_waiting_changes",
      [],
      "Changes that wait, because sync.changes_per_minute is reached. Only of `prtg-exporter sync`.",
      { initial: 0 },
    ),
    ignored: gauge(
      "prtg_sync_ignored_silences",
      [],
      "Silences and pauses that change nothing: they have more than sync.max_sensors sensors, or a matcher that is not understood. Only of `prtg-exporter sync`.",
      { initial: 0 },
    ),
    roundEnded: gauge(
      "prtg_sync_last_success_timestamp_seconds",
      [],
      "Time of the last round in which Alertmanager and all PRTG servers were read. Only of `prtg-exporter sync`.",
    ),
    roundFailed: counter(
      "prtg_sync_failed_rounds_total",
      [],
      "Rounds in which Alertmanager could not be read, or state_dir could not be written. Only of `prtg-exporter sync`.",
    ),
  },
  exposition: {
    droppedSeries: gauge(
      "prtg_exporter_dropped_series",
      ["family"],
      "Series dropped from the metrics page because it would exceed limits.max_series or limits.max_bytes. Absent if the page is complete.",
    ),
    bytes: gauge(
      "prtg_exporter_exposition_bytes",
      ["format", "encoding"],
      "Size of the metrics page over the wire, or of the largest requested shard, without the exporter's own metrics.",
    ),
    renderDuration: gauge(
      "prtg_exporter_render_duration_seconds",
      ["format"],
      "Time to render and compress the last metrics page.",
    ),
    scraped: counter("prtg_exporter_scrapes_total", ["format"], "Metrics pages served."),
  },
  web: {
    connections: gauge("prtg_exporter_http_connections", [], "Open connections to the exporter's web server."),
    rejected: counter(
      "prtg_exporter_http_rejected_total",
      ["reason"],
      "Requests and connections that the exporter's web server rejected or closed.",
    ),
    configReloadSuccessful: gauge(
      "prtg_exporter_web_config_last_reload_successful",
      [],
      "0 if the last change of --web.config.file or of a file in it was invalid and not loaded, else 1.",
      { initial: 1 },
    ),
  },
  mcp: {
    calls: counter(
      "prtg_exporter_mcp_calls_total",
      ["tool", "result"],
      "Calls of tools of the MCP server (`web.mcp`): `ok`, `refused` (unknown object, too many calls) or `failed`. Calls with invalid arguments are not counted.",
      { values: { tool: MCP_TOOLS, result: MCP_RESULTS } },
    ),
  },
  process: {
    build: gauge(
      "prtg_exporter_build_info",
      ["version", "revision", "node_version"],
      "Always 1. Versions of the exporter and Node.js.",
    ),
    series: gauge("prtg_exporter_series", ["family"], "Series about monitored objects, per family."),
  },
} as const;

/** In the order of the metrics page. */
export const EXPORTER_FAMILIES: readonly MetricDeclaration[] = familiesOf(Object.values(EXPORTER_METRICS));

const { sync, leadership, exposition, web, process } = EXPORTER_METRICS;

/** On the page of `prtg-exporter sync`. */
export const SYNC_FAMILIES: readonly MetricDeclaration[] = familiesOf([sync, leadership, exposition, web, process]);

/** On the page of `prtg-exporter serve`. */
export const SERVE_FAMILIES: readonly MetricDeclaration[] = familiesOf(
  Object.values(EXPORTER_METRICS).filter((group) => group !== sync),
);

function familiesOf(groups: readonly Readonly<Record<string, MetricDeclaration>>[]): readonly MetricDeclaration[] {
  return groups.flatMap((group) => Object.values(group));
}
