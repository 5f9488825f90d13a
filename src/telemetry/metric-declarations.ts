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

type Options = Pick<MetricDeclaration, "detailLabels" | "values" | "initial" | "adds" | "startsBy" | "buckets">;

function metric<
  const Type extends MetricDeclaration["type"],
  const Labels extends readonly string[],
  const More extends Options = Record<never, never>,
>(name: string, type: Type, labels: Labels, help: string, more?: More) {
  return { name, type, help, labels, ...(more as More) };
}

/** 500 servers would have 100,000 of these series with endpoints. */
const BY_ENDPOINT = { detailLabels: ["endpoint"] } as const;

export const EXPORTER_METRICS = {
  server: {
    up: metric(
      "prtg_up",
      "gauge",
      ["server"],
      "1 if the last health check and the last runs of the collectors tree, status and channels succeeded, else 0. After a reload with another server, user or larger selection, 0 until all objects are read.",
      { initial: 0 },
    ),
    requests: metric(
      "prtg_exporter_api_requests_total",
      "counter",
      ["server", "endpoint", "code"],
      "Requests to the monitoring server by HTTP status code, or by kind of failure if no answer came.",
      BY_ENDPOINT,
    ),
    requestDuration: metric(
      "prtg_exporter_api_request_duration_seconds",
      "histogram",
      ["server", "endpoint"],
      "Time from sending a request to the last byte of the answer, without waiting for the request budget.",
      { ...BY_ENDPOINT, buckets: REQUEST_BUCKETS },
    ),
    responseBytes: metric(
      "prtg_exporter_api_response_bytes_total",
      "counter",
      ["server", "endpoint"],
      "Bytes of response bodies received from the monitoring server.",
      { ...BY_ENDPOINT, startsBy: "endpoint" },
    ),
    retried: metric(
      "prtg_exporter_api_retries_total",
      "counter",
      ["server", "endpoint"],
      "Requests that the exporter retried after a failure.",
      { ...BY_ENDPOINT, startsBy: "endpoint" },
    ),
    inFlight: metric(
      "prtg_exporter_api_requests_in_flight",
      "gauge",
      ["server"],
      "Requests to the monitoring server in flight.",
      { initial: 0, adds: true },
    ),
    breakerChanged: metric(
      "prtg_exporter_api_breaker_open",
      "gauge",
      ["server"],
      "1 while the exporter pauses requests because the server is unreachable or unavailable, else 0.",
      { initial: 0 },
    ),
    unverified: metric(
      "prtg_exporter_api_unverified",
      "gauge",
      ["server"],
      "1 if the certificate of the server is not checked (`tls.insecure_skip_verify`), else 0.",
      { initial: 0 },
    ),
    listMoved: metric(
      "prtg_exporter_api_lists_moved_total",
      "counter",
      ["server", "endpoint"],
      "Lists that changed between their pages and that the exporter read again.",
      { ...BY_ENDPOINT, startsBy: "list" },
    ),
    totalMismatch: metric(
      "prtg_exporter_api_total_count_mismatch",
      "gauge",
      ["server", "endpoint"],
      "X-Total-Count minus the objects on all pages, at the last complete read of the list.",
    ),
    clockOffset: metric(
      "prtg_exporter_server_clock_offset_seconds",
      "gauge",
      ["server"],
      "Clock of the monitoring server minus the exporter's clock, from the Date header.",
    ),
  },
  /** Requests to all servers together: shows which endpoint is slow or fails. */
  endpoints: {
    requests: metric(
      "prtg_exporter_api_endpoint_requests_total",
      "counter",
      ["endpoint", "code"],
      "Requests to all monitoring servers by endpoint and HTTP status code, or by kind of failure if no answer came.",
    ),
    requestDuration: metric(
      "prtg_exporter_api_endpoint_request_duration_seconds",
      "histogram",
      ["endpoint"],
      "Time from sending a request to the last byte of the answer, over all monitoring servers.",
      { buckets: REQUEST_BUCKETS },
    ),
  },
  collector: {
    enabled: metric(
      "prtg_exporter_collector_enabled",
      "gauge",
      ["server", "collector"],
      "1 if the collector runs on its schedule, 0 if the server lacks its endpoint.",
      { initial: 1 },
    ),
    success: metric(
      "prtg_exporter_collector_success",
      "gauge",
      ["server", "collector"],
      "1 if the last finished run of the collector succeeded, else 0.",
    ),
    complete: metric(
      "prtg_exporter_collector_complete",
      "gauge",
      ["server", "collector"],
      "1 if the last finished run read every object, else 0. Also 0 after a reload until a run has read the added objects. An incomplete run removes no objects.",
    ),
    duration: metric(
      "prtg_exporter_collector_duration_seconds",
      "gauge",
      ["server", "collector"],
      "Duration of the last finished run.",
    ),
    lastSuccess: metric(
      "prtg_exporter_collector_last_success_timestamp_seconds",
      "gauge",
      ["server", "collector"],
      "Unix time of the last successful run of the collector.",
    ),
    skipped: metric(
      "prtg_exporter_collector_skipped_runs_total",
      "counter",
      ["server", "collector"],
      "Runs that were skipped because the previous one was still running.",
    ),
  },
  objects: {
    decodeProblem: metric(
      "prtg_exporter_decode_problems_total",
      "counter",
      ["server", "problem"],
      "Problems in the server's answers, by kind: record, status, value (not a number in its unit), timestamp, summary, lookup, text (too long, cut), secret (credentials in a text, replaced by [redacted]), duplicate (second record with the same id). The exporter drops the invalid data.",
      { values: { problem: DECODE_PROBLEMS } },
    ),
    waitingChannels: metric(
      "prtg_exporter_waiting_channels",
      "gauge",
      ["server"],
      "Channels of the last poll that wait because their sensor is not known yet.",
      { initial: 0 },
    ),
    unmappedChannels: metric(
      "prtg_exporter_unmapped_channels",
      "gauge",
      ["server", "reason"],
      "Channels without a mapped metric: their unit is unknown (unknown_unit) or cannot be converted to the unit of the rule (unconverted). Only with mapping rules.",
      { values: { reason: UNMAPPED_REASONS } },
    ),
    orphans: metric(
      "prtg_exporter_orphan_objects",
      "gauge",
      ["server"],
      "Objects with a parent that the user cannot see. They are shown under their nearest known ancestor.",
      { initial: 0 },
    ),
  },
  sync: {
    delivered: metric(
      "prtg_exporter_otlp_delivered_points_total",
      "counter",
      ["server", "resolution"],
      "Measurements that the OTLP receiver acknowledged, by resolution: live, or the server's averages short, medium, long.",
      { values: { resolution: RESOLUTIONS } },
    ),
    rejected: metric(
      "prtg_exporter_otlp_rejected_points_total",
      "counter",
      ["server", "resolution"],
      "Measurements that the OTLP receiver rejected permanently. The exporter does not retry them.",
      { values: { resolution: RESOLUTIONS } },
    ),
    repeated: metric(
      "prtg_exporter_otlp_repeated_points_total",
      "counter",
      ["server", "outcome"],
      "Repeated last values of rarely scanned sensors that the OTLP receiver acknowledged (delivered) or rejected permanently (rejected). Only this metric counts them.",
      { values: { outcome: OUTCOMES } },
    ),
    deliveryFailed: metric(
      "prtg_exporter_otlp_failed_deliveries_total",
      "counter",
      ["server"],
      "Failed deliveries of measurements. The exporter retries them.",
    ),
    pending: metric(
      "prtg_exporter_otlp_pending_points",
      "gauge",
      ["server", "resolution"],
      "Measurements that wait for delivery.",
      { values: { resolution: RESOLUTIONS } },
    ),
    oldestPending: metric(
      "prtg_exporter_otlp_oldest_pending_age_seconds",
      "gauge",
      ["server", "resolution"],
      "Age of the oldest measurement that waits for delivery, or 0.",
      { values: { resolution: RESOLUTIONS } },
    ),
    dropped: metric(
      "prtg_exporter_otlp_dropped_points_total",
      "counter",
      ["server"],
      "Measurements dropped to save memory. The exporter reads them from the server again.",
    ),
    seriesUnreadable: metric(
      "prtg_exporter_otlp_series_unreadable",
      "gauge",
      ["server"],
      "1 while no time series can be read, so that only the values of the lists are pushed and the history between them is missing, else 0.",
      { initial: 0 },
    ),
    watermarkFailed: metric(
      "prtg_exporter_otlp_watermark_failures_total",
      "counter",
      ["server"],
      "Failed writes of the delivery watermarks to state_dir.",
    ),
  },
  otlp: {
    statePoints: metric(
      "prtg_exporter_otlp_state_points_total",
      "counter",
      ["outcome"],
      "Points of the current state that the OTLP receiver acknowledged (delivered) or rejected permanently (rejected).",
      { values: { outcome: OUTCOMES } },
    ),
    stateHeld: metric(
      "prtg_exporter_otlp_held_state_pushes_total",
      "counter",
      [],
      "Pushes of the current state that were skipped because the OTLP receiver asked for a pause.",
    ),
    endsDropped: metric(
      "prtg_exporter_otlp_dropped_series_ends_total",
      "counter",
      [],
      "Ends of series that the exporter did not send to the OTLP receiver because too many were waiting.",
    ),
    attemptFailed: metric(
      "prtg_exporter_otlp_failed_requests_total",
      "counter",
      ["stream"],
      "OTLP requests that failed, by content: a resolution of measurements, repeated values, or state.",
      { values: { stream: STREAMS } },
    ),
    requestRefused: metric(
      "prtg_exporter_otlp_refused_requests_total",
      "counter",
      ["stream"],
      "OTLP requests that the receiver rejected permanently, by content.",
      { values: { stream: STREAMS } },
    ),
    skipped: metric(
      "prtg_exporter_otlp_skipped_points_total",
      "counter",
      ["stream"],
      "Measurements that are never sent, because their channel is gone or their value is not a finite number.",
      { values: { stream: STREAMS } },
    ),
  },
  events: {
    told: metric(
      "prtg_exporter_events_total",
      "counter",
      ["server", "event"],
      "Events that the exporter detected and queued for the outputs, by name.",
      { values: { event: EVENT_NAMES } },
    ),
    delivered: metric(
      "prtg_exporter_events_delivered_total",
      "counter",
      ["server", "output"],
      "Events that an output (otlp or file) accepted.",
      { values: { output: EVENT_OUTPUTS } },
    ),
    dropped: metric(
      "prtg_exporter_events_dropped_total",
      "counter",
      ["server", "reason"],
      "Events that are never delivered: rejected permanently by an output (rejected), dropped from a full queue (full), or merged with the next status change in a full queue (merged).",
      { values: { reason: EVENT_DROPS } },
    ),
    pending: metric("prtg_exporter_events_pending", "gauge", ["server", "output"], "Events that wait for delivery."),
    deliveryFailed: metric(
      "prtg_exporter_events_failed_deliveries_total",
      "counter",
      ["server", "output"],
      "Failed deliveries of events. The exporter retries them.",
      { values: { output: EVENT_OUTPUTS } },
    ),
    memoryFailed: metric(
      "prtg_exporter_events_memory_failures_total",
      "counter",
      ["server"],
      "Failed writes of the event state to state_dir.",
    ),
  },
  extras: {
    loop: metric(
      "prtg_exporter_event_loop_utilization_ratio",
      "gauge",
      [],
      "Busy share of the event loop in the last seconds. Above 0.7, the exporter starts only four reads of time series and limits per second.",
      { initial: 0 },
    ),
    waiting: metric(
      "prtg_exporter_extra_reads_waiting",
      "gauge",
      ["collector"],
      "Reads of time series and limits that wait because the process is busy.",
    ),
    deferred: metric(
      "prtg_exporter_extra_reads_deferred_total",
      "counter",
      ["collector"],
      "Due reads of time series that were deferred to a later run because the process was busy. No measurements are lost, because the server keeps them. Reads of limits wait and are never deferred.",
      { values: { collector: collectorsWith("defers") } },
    ),
    heldBack: metric(
      "prtg_exporter_extra_held_back",
      "gauge",
      [],
      "1 while reads of time series are deferred because the process is busy, else 0. Stays 1 for 5 more minutes, or 1.5 cycles of time series if that is longer.",
      { initial: 0 },
    ),
  },
  config: {
    webInterface: metric(
      "prtg_exporter_server_web_info",
      "gauge",
      ["server", "web_url"],
      "Always 1. The label web_url has the address of the PRTG web interface (servers[].web_url), for links.",
    ),
    statusPage: metric(
      "prtg_exporter_server_page_info",
      "gauge",
      ["server", "page_url"],
      "Always 1. The label page_url has the address of the server's page in the exporter, for links. Append `&id=` and the id of an object for its page. Absent without web.external_url.",
    ),
    reloadSuccessful: metric(
      "prtg_exporter_config_last_reload_successful",
      "gauge",
      [],
      "1 if the last configuration was loaded, 0 if it was invalid and the previous one is still in use.",
    ),
    reloadTime: metric(
      "prtg_exporter_config_last_reload_success_timestamp_seconds",
      "gauge",
      [],
      "Unix time of the last successful load of the configuration.",
    ),
    badServerFiles: metric(
      "prtg_exporter_config_bad_server_files",
      "gauge",
      [],
      "Invalid files of servers_from. Their servers keep the previous configuration. The log has the errors.",
    ),
    deprecated: metric(
      "prtg_exporter_deprecated_settings",
      "gauge",
      [],
      "Uses of deprecated keys and flags. The log and check name them and their successors.",
    ),
    hash: metric(
      "prtg_exporter_config_hash",
      "gauge",
      [],
      "Hash (48 bits) of the loaded configuration with rules and certificates, without secrets. Equal hashes mean equal behaviour.",
    ),
  },
  /** Only with `--leader-elect`. */
  leadership: {
    leader: metric(
      "prtg_exporter_leader",
      "gauge",
      ["lease"],
      "1 on the replica that holds this Lease (`namespace/name`), 0 on a standby, which reads and pushes nothing. Only with `--leader-elect`.",
    ),
  },
  exposition: {
    droppedSeries: metric(
      "prtg_exporter_dropped_series",
      "gauge",
      ["family"],
      "Series dropped from the metrics page because it would exceed limits.max_series or limits.max_bytes. Absent if the page is complete.",
    ),
    bytes: metric(
      "prtg_exporter_exposition_bytes",
      "gauge",
      ["format", "encoding"],
      "Size of the metrics page over the wire, or of the largest requested shard, without the exporter's own metrics.",
    ),
    renderDuration: metric(
      "prtg_exporter_render_duration_seconds",
      "gauge",
      ["format"],
      "Time to render and compress the last metrics page.",
    ),
    scraped: metric("prtg_exporter_scrapes_total", "counter", ["format"], "Metrics pages served."),
  },
  web: {
    connections: metric(
      "prtg_exporter_http_connections",
      "gauge",
      [],
      "Open connections to the exporter's web server.",
    ),
    rejected: metric(
      "prtg_exporter_http_rejected_total",
      "counter",
      ["reason"],
      "Requests and connections that the exporter's web server rejected or closed.",
    ),
    configReloadSuccessful: metric(
      "prtg_exporter_web_config_last_reload_successful",
      "gauge",
      [],
      "0 if the last change of --web.config.file or of a file in it was invalid and not loaded, else 1.",
      { initial: 1 },
    ),
  },
  process: {
    build: metric(
      "prtg_exporter_build_info",
      "gauge",
      ["version", "revision", "node_version"],
      "Always 1. Versions of the exporter and Node.js.",
    ),
    series: metric("prtg_exporter_series", "gauge", ["family"], "Series about monitored objects, per family."),
  },
} as const;

/** In the order of the metrics page. */
export const EXPORTER_FAMILIES: readonly MetricDeclaration[] = Object.values(EXPORTER_METRICS).flatMap(
  (group): MetricDeclaration[] => Object.values(group),
);
