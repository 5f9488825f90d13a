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

/** Problems in the server's responses that are counted and left out. */
export const DECODE_PROBLEMS = [
  "record",
  "status",
  "value",
  "timestamp",
  "summary",
  "lookup",
  "text",
  "secret",
  "duplicate",
] as const;
export type DecodeProblem = (typeof DECODE_PROBLEMS)[number];

/** Problems that users can solve. */
export const UNMAPPED_REASONS = ["unknown_unit", "unconverted"] as const;
export type UnmappedReason = (typeof UNMAPPED_REASONS)[number];

export const RESOLUTIONS = ["live", "short", "medium", "long"] as const;

/** Measurements of a resolution, repeated last values, or the current state. */
const STREAMS = [...RESOLUTIONS, "repeated", "state"] as const;
export type Stream = (typeof STREAMS)[number];

/** The first two are sent by default, those of the structure on request. */
export const EVENT_NAMES = [
  "prtg.sensor.status_change",
  "prtg.node.status_change",
  "prtg.object.added",
  "prtg.object.removed",
  "prtg.object.renamed",
  "prtg.object.moved",
] as const;

export const EVENT_OUTPUTS = ["file", "otlp"] as const;

/** Why events are never delivered. */
const EVENT_DROPS = ["rejected", "full", "merged"] as const;

const OUTCOMES = ["delivered", "rejected"] as const;

/** Collectors that pause when the process is busy. */
export const EXTRA_COLLECTORS = ["limits", "details", "timeseries"] as const;
/** Collectors that defer reads to a later run. */
export const DEFERRED_COLLECTORS = ["timeseries"] as const;

export type EventOutput = (typeof EVENT_OUTPUTS)[number];

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
      "1 when the last health check and the last finished run of the tree, status and channels collectors each worked, else 0. After a reload that selects more, or names another server or user, 0 until each has read all of it.",
      { initial: 0 },
    ),
    requests: metric(
      "prtg_exporter_api_requests_total",
      "counter",
      ["server", "endpoint", "code"],
      "Requests to the monitoring server by HTTP status code, or the kind of failure where none came.",
      BY_ENDPOINT,
    ),
    requestDuration: metric(
      "prtg_exporter_api_request_duration_seconds",
      "histogram",
      ["server", "endpoint"],
      "Time from sending a request to its last byte; waiting for the budget is not included.",
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
      "Requests that were sent again after a failure.",
      { ...BY_ENDPOINT, startsBy: "endpoint" },
    ),
    inFlight: metric(
      "prtg_exporter_api_requests_in_flight",
      "gauge",
      ["server"],
      "Requests to the monitoring server that are under way.",
      { initial: 0, adds: true },
    ),
    breakerChanged: metric(
      "prtg_exporter_api_breaker_open",
      "gauge",
      ["server"],
      "1 while requests are held back because the server is unreachable or unavailable, else 0.",
      { initial: 0 },
    ),
    unverified: metric(
      "prtg_exporter_api_unverified",
      "gauge",
      ["server"],
      "1 while the certificate of the server is not checked (`tls.insecure_skip_verify`), else 0.",
      { initial: 0 },
    ),
    listMoved: metric(
      "prtg_exporter_api_lists_moved_total",
      "counter",
      ["server", "endpoint"],
      "Lists that changed while their pages were read and were read again.",
      { ...BY_ENDPOINT, startsBy: "list" },
    ),
    totalMismatch: metric(
      "prtg_exporter_api_total_count_mismatch",
      "gauge",
      ["server", "endpoint"],
      "Objects that the server announced in X-Total-Count minus those that its pages held, at the last complete read.",
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
      "Requests to all monitoring servers by endpoint and HTTP status code, or the kind of failure where none came.",
    ),
    requestDuration: metric(
      "prtg_exporter_api_endpoint_request_duration_seconds",
      "histogram",
      ["endpoint"],
      "Time from sending a request to its last byte, of all monitoring servers together.",
      { buckets: REQUEST_BUCKETS },
    ),
  },
  collector: {
    enabled: metric(
      "prtg_exporter_collector_enabled",
      "gauge",
      ["server", "collector"],
      "1 while the collector runs on its schedule; 0 when the server lacks the endpoint that it needs.",
      { initial: 1 },
    ),
    success: metric(
      "prtg_exporter_collector_success",
      "gauge",
      ["server", "collector"],
      "1 when the last finished run of the collector worked, else 0.",
    ),
    complete: metric(
      "prtg_exporter_collector_complete",
      "gauge",
      ["server", "collector"],
      "1 when the last finished run saw every object, else 0; also 0 until a run has read what a reload added; nothing is removed on the word of an incomplete run.",
    ),
    duration: metric(
      "prtg_exporter_collector_duration_seconds",
      "gauge",
      ["server", "collector"],
      "Time that the last finished run took.",
    ),
    lastSuccess: metric(
      "prtg_exporter_collector_last_success_timestamp_seconds",
      "gauge",
      ["server", "collector"],
      "Unix time at which the collector last worked.",
    ),
    skipped: metric(
      "prtg_exporter_collector_skipped_runs_total",
      "counter",
      ["server", "collector"],
      "Runs that were left out because the one before was still under way.",
    ),
  },
  objects: {
    decodeProblem: metric(
      "prtg_exporter_decode_problems_total",
      "counter",
      ["server", "problem"],
      "What was wrong in the server's answers and was left out: record, status, value (no number in its unit), timestamp, summary, lookup, text (too long, and cut), secret (credentials in a text, replaced by [redacted]), duplicate (another record of the list has the same id).",
      { values: { problem: DECODE_PROBLEMS } },
    ),
    waitingChannels: metric(
      "prtg_exporter_waiting_channels",
      "gauge",
      ["server"],
      "Channels of the last poll whose sensor is not known yet.",
      { initial: 0 },
    ),
    unmappedChannels: metric(
      "prtg_exporter_unmapped_channels",
      "gauge",
      ["server", "reason"],
      "Channels without a mapped metric because their unit is not recognised (unknown_unit), or because it does not become the unit of the rule that fits (unconverted). Only with mapping rules.",
      { values: { reason: UNMAPPED_REASONS } },
    ),
    orphans: metric(
      "prtg_exporter_orphan_objects",
      "gauge",
      ["server"],
      "Objects whose parent is not visible to the user; kept under the nearest known ancestor.",
      { initial: 0 },
    ),
  },
  sync: {
    delivered: metric(
      "prtg_exporter_otlp_delivered_points_total",
      "counter",
      ["server", "resolution"],
      "Measurements that the OTLP receiver acknowledged: live, or the server's averages short, medium, long.",
      { values: { resolution: RESOLUTIONS } },
    ),
    rejected: metric(
      "prtg_exporter_otlp_rejected_points_total",
      "counter",
      ["server", "resolution"],
      "Measurements that the OTLP receiver refused for good; they are not sent again.",
      { values: { resolution: RESOLUTIONS } },
    ),
    repeated: metric(
      "prtg_exporter_otlp_repeated_points_total",
      "counter",
      ["server", "outcome"],
      "Last values that were sent again because the sensor is scanned rarely: acknowledged by the OTLP receiver (delivered), or refused for good (rejected). They are no measurements, and counted here only.",
      { values: { outcome: OUTCOMES } },
    ),
    deliveryFailed: metric(
      "prtg_exporter_otlp_failed_deliveries_total",
      "counter",
      ["server"],
      "Deliveries of measurements that failed and are tried again.",
    ),
    pending: metric(
      "prtg_exporter_otlp_pending_points",
      "gauge",
      ["server", "resolution"],
      "Measurements that wait to be delivered.",
      { values: { resolution: RESOLUTIONS } },
    ),
    oldestPending: metric(
      "prtg_exporter_otlp_oldest_pending_age_seconds",
      "gauge",
      ["server", "resolution"],
      "Age of the oldest measurement that waits to be delivered; 0 when none waits.",
      { values: { resolution: RESOLUTIONS } },
    ),
    dropped: metric(
      "prtg_exporter_otlp_dropped_points_total",
      "counter",
      ["server"],
      "Measurements that were dropped for want of memory and are read from the server again.",
    ),
    watermarkFailed: metric(
      "prtg_exporter_otlp_watermark_failures_total",
      "counter",
      ["server"],
      "Times that the record of what was delivered could not be written to state_dir.",
    ),
  },
  otlp: {
    statePoints: metric(
      "prtg_exporter_otlp_state_points_total",
      "counter",
      ["outcome"],
      "Points of the current state that the OTLP receiver acknowledged (delivered) or refused for good (rejected).",
      { values: { outcome: OUTCOMES } },
    ),
    stateHeld: metric(
      "prtg_exporter_otlp_held_state_pushes_total",
      "counter",
      [],
      "Pushes of the current state that were skipped because the OTLP receiver had asked for a pause.",
    ),
    endsDropped: metric(
      "prtg_exporter_otlp_dropped_series_ends_total",
      "counter",
      [],
      "Series that ended and of which the OTLP receiver is not told, as too many wait for that.",
    ),
    attemptFailed: metric(
      "prtg_exporter_otlp_failed_requests_total",
      "counter",
      ["stream"],
      "OTLP requests that could not be delivered, by what they carried: a resolution of measurements, repeated values, or state.",
      { values: { stream: STREAMS } },
    ),
    requestRefused: metric(
      "prtg_exporter_otlp_refused_requests_total",
      "counter",
      ["stream"],
      "OTLP requests that the receiver refused for good, by what they carried.",
      { values: { stream: STREAMS } },
    ),
    skipped: metric(
      "prtg_exporter_otlp_skipped_points_total",
      "counter",
      ["stream"],
      "Measurements that are never sent: their channel is not known any more, or the value is no finite number.",
      { values: { stream: STREAMS } },
    ),
  },
  events: {
    told: metric(
      "prtg_exporter_events_total",
      "counter",
      ["server", "event"],
      "Events that were found and queued for the outputs, by name.",
      { values: { event: EVENT_NAMES } },
    ),
    delivered: metric(
      "prtg_exporter_events_delivered_total",
      "counter",
      ["server", "output"],
      "Events that an output has: otlp, or file.",
      { values: { output: EVENT_OUTPUTS } },
    ),
    dropped: metric(
      "prtg_exporter_events_dropped_total",
      "counter",
      ["server", "reason"],
      "Events that are never delivered: refused for good by an output (rejected), left out for want of room (full), or changes of a status that the next one overtook while there was no room (merged).",
      { values: { reason: EVENT_DROPS } },
    ),
    pending: metric("prtg_exporter_events_pending", "gauge", ["server", "output"], "Events that wait to be delivered."),
    deliveryFailed: metric(
      "prtg_exporter_events_failed_deliveries_total",
      "counter",
      ["server", "output"],
      "Deliveries of events that failed and are tried again.",
      { values: { output: EVENT_OUTPUTS } },
    ),
    memoryFailed: metric(
      "prtg_exporter_events_memory_failures_total",
      "counter",
      ["server"],
      "Times that the record of what was told could not be written to state_dir.",
    ),
  },
  extras: {
    loop: metric(
      "prtg_exporter_event_loop_utilization_ratio",
      "gauge",
      [],
      "Part of the time in which the event loop was busy, over the last seconds; time series are held back where it is more than 0.7.",
      { initial: 0 },
    ),
    waiting: metric(
      "prtg_exporter_extra_reads_waiting",
      "gauge",
      ["collector"],
      "Reads of time series and limits that wait until the process has time for them.",
    ),
    deferred: metric(
      "prtg_exporter_extra_reads_deferred_total",
      "counter",
      ["collector"],
      "Reads of time series that were due and left for a later run, because the process was busy; limits wait, and are never left. Measurements are not lost by it: the server still has them.",
      { values: { collector: DEFERRED_COLLECTORS } },
    ),
    heldBack: metric(
      "prtg_exporter_extra_held_back",
      "gauge",
      [],
      "1 while reads of time series are left for later because the process is busy, and for 5 minutes or one and a half of their cycles after that, whichever is longer, else 0.",
      { initial: 0 },
    ),
  },
  config: {
    webInterface: metric(
      "prtg_exporter_server_web_info",
      "gauge",
      ["server", "web_url"],
      "Always 1; address of the server's own web interface as the configuration has it (servers[].web_url), for links to its pages.",
    ),
    reloadSuccessful: metric(
      "prtg_exporter_config_last_reload_successful",
      "gauge",
      [],
      "1 when the configuration that was read last is in force, 0 when it was wrong and the one before still is.",
    ),
    reloadTime: metric(
      "prtg_exporter_config_last_reload_success_timestamp_seconds",
      "gauge",
      [],
      "Unix time at which the configuration was last read and found right.",
    ),
    badServerFiles: metric(
      "prtg_exporter_config_bad_server_files",
      "gauge",
      [],
      "Files of servers_from that are wrong: their servers are as they were when the files were right. The log says what is wrong.",
    ),
    hash: metric(
      "prtg_exporter_config_hash",
      "gauge",
      [],
      "48 bits of the hash of the configuration in force, with its rules and certificates but without secrets: equal where the exporter does the same.",
    ),
  },
  /** Only with `--leader-elect`. */
  leadership: {
    leader: metric(
      "prtg_exporter_leader",
      "gauge",
      ["lease"],
      "1 on the replica that leads by this Lease (`namespace/name`), 0 on one that stands by: it reads and pushes nothing. Only with `--leader-elect`.",
    ),
  },
  exposition: {
    droppedSeries: metric(
      "prtg_exporter_dropped_series",
      "gauge",
      ["family"],
      "Series that the metrics page lacks because it would exceed limits.max_series or limits.max_bytes; no series while it is whole.",
    ),
    bytes: metric(
      "prtg_exporter_exposition_bytes",
      "gauge",
      ["format", "encoding"],
      "Size of the metrics page, or of the largest part (shard) that is asked for, as it goes over the wire, without the exporter's own metrics.",
    ),
    renderDuration: metric(
      "prtg_exporter_render_duration_seconds",
      "gauge",
      ["format"],
      "Time that putting together and compressing the last metrics page took.",
    ),
    scraped: metric("prtg_exporter_scrapes_total", "counter", ["format"], "Metrics pages served."),
  },
  web: {
    connections: metric(
      "prtg_exporter_http_connections",
      "gauge",
      [],
      "Open connections to the exporter's own web server.",
    ),
    rejected: metric(
      "prtg_exporter_http_rejected_total",
      "counter",
      ["reason"],
      "Requests and connections that the exporter's own web server turned away or cut.",
    ),
    configReloadSuccessful: metric(
      "prtg_exporter_web_config_last_reload_successful",
      "gauge",
      [],
      "0 when a change of the file given to --web.config.file, or of one that it names, is wrong and therefore not in force, else 1.",
      { initial: 1 },
    ),
  },
  process: {
    build: metric(
      "prtg_exporter_build_info",
      "gauge",
      ["version", "revision", "node_version"],
      "Always 1; what is running.",
    ),
    series: metric("prtg_exporter_series", "gauge", ["family"], "Series served per family about the monitored world."),
  },
} as const;

/** In the order of the metrics page. */
export const EXPORTER_FAMILIES: readonly MetricDeclaration[] = Object.values(EXPORTER_METRICS).flatMap(
  (group): MetricDeclaration[] => Object.values(group),
);
