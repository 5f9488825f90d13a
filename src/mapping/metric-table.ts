/**
 * The one table of metric families. The code takes names, help and labels from here; `docs/metrics.md` is generated
 * from it; dashboards and alerts may use nothing else.
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
    "Sensors per status below a probe or group (include=sensor_status_summary).",
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
} as const satisfies Record<string, MetricFamily>;

export type TreeFamilyName = keyof typeof TREE_FAMILIES;

function own<const Name extends string, const Type extends MetricFamily["type"]>(
  name: Name,
  type: Type,
  labels: readonly string[],
  help: string,
) {
  return { name, type, help, labels } as const;
}

/** Families about the exporter itself: held in a prom-client registry, always fresh. */
export const EXPORTER_FAMILIES = {
  up: own(
    "prtg_up",
    "gauge",
    ["server"],
    "1 when the last health check and the last finished run of the tree, status and channels collectors each worked, else 0.",
  ),
  buildInfo: own(
    "prtg_exporter_build_info",
    "gauge",
    ["version", "revision", "node_version"],
    "Always 1; what is running.",
  ),
  apiRequests: own(
    "prtg_exporter_api_requests_total",
    "counter",
    ["server", "endpoint", "code"],
    "Requests to the monitoring server by endpoint and HTTP status code, or the kind of failure where none came.",
  ),
  apiRequestDuration: own(
    "prtg_exporter_api_request_duration_seconds",
    "histogram",
    ["server", "endpoint"],
    "Time from sending a request to its last byte; waiting for the budget is not included.",
  ),
  apiResponseBytes: own(
    "prtg_exporter_api_response_bytes_total",
    "counter",
    ["server", "endpoint"],
    "Bytes of response bodies received from the monitoring server.",
  ),
  apiRetries: own(
    "prtg_exporter_api_retries_total",
    "counter",
    ["server", "endpoint"],
    "Requests that were sent again after a failure.",
  ),
  apiInFlight: own(
    "prtg_exporter_api_requests_in_flight",
    "gauge",
    ["server"],
    "Requests to the monitoring server that are under way.",
  ),
  apiBreakerOpen: own(
    "prtg_exporter_api_breaker_open",
    "gauge",
    ["server"],
    "1 while requests are held back because the server is unreachable or unavailable, else 0.",
  ),
  apiUnverified: own(
    "prtg_exporter_api_unverified",
    "gauge",
    ["server"],
    "1 while the certificate of the server is not checked (`tls.insecure_skip_verify`), else 0.",
  ),
  apiListsMoved: own(
    "prtg_exporter_api_lists_moved_total",
    "counter",
    ["server", "endpoint"],
    "Lists that changed while their pages were read and were read again.",
  ),
  apiTotalMismatch: own(
    "prtg_exporter_api_total_count_mismatch",
    "gauge",
    ["server", "endpoint"],
    "Objects that the server announced in X-Total-Count minus those that its pages held, at the last complete read.",
  ),
  clockOffset: own(
    "prtg_exporter_server_clock_offset_seconds",
    "gauge",
    ["server"],
    "Clock of the monitoring server minus the exporter's clock, from the Date header.",
  ),
  collectorEnabled: own(
    "prtg_exporter_collector_enabled",
    "gauge",
    ["server", "collector"],
    "1 while the collector runs on its schedule; 0 when the server lacks the endpoint that it needs.",
  ),
  collectorSuccess: own(
    "prtg_exporter_collector_success",
    "gauge",
    ["server", "collector"],
    "1 when the last finished run of the collector worked, else 0.",
  ),
  collectorComplete: own(
    "prtg_exporter_collector_complete",
    "gauge",
    ["server", "collector"],
    "1 when the last finished run saw every object, else 0; nothing is removed on the word of an incomplete run.",
  ),
  collectorDuration: own(
    "prtg_exporter_collector_duration_seconds",
    "gauge",
    ["server", "collector"],
    "Time that the last finished run took.",
  ),
  collectorLastSuccess: own(
    "prtg_exporter_collector_last_success_timestamp_seconds",
    "gauge",
    ["server", "collector"],
    "Unix time at which the collector last worked.",
  ),
  collectorSkippedRuns: own(
    "prtg_exporter_collector_skipped_runs_total",
    "counter",
    ["server", "collector"],
    "Runs that were left out because the one before was still under way.",
  ),
  decodeProblems: own(
    "prtg_exporter_decode_problems_total",
    "counter",
    ["server", "problem"],
    "What was wrong in the server's answers and was left out: record, status, value, timestamp, summary, lookup, text (too long, and cut).",
  ),
  waitingChannels: own(
    "prtg_exporter_waiting_channels",
    "gauge",
    ["server"],
    "Channels of the last poll whose sensor is not known yet.",
  ),
  unmappedChannels: own(
    "prtg_exporter_unmapped_channels",
    "gauge",
    ["server", "reason"],
    "Channels without a mapped metric because their unit is not recognised (unknown_unit), or because it does not become the unit of the rule that fits (unconverted). Only with mapping rules.",
  ),
  orphans: own(
    "prtg_exporter_orphan_objects",
    "gauge",
    ["server"],
    "Objects whose parent is not visible to the user; kept under the nearest known ancestor.",
  ),
  syncDelivered: own(
    "prtg_exporter_otlp_delivered_points_total",
    "counter",
    ["server", "resolution"],
    "Measurements that the OTLP receiver acknowledged: live, or the server's averages short, medium, long.",
  ),
  syncRejected: own(
    "prtg_exporter_otlp_rejected_points_total",
    "counter",
    ["server", "resolution"],
    "Measurements that the OTLP receiver refused for good; they are not sent again.",
  ),
  syncFailedDeliveries: own(
    "prtg_exporter_otlp_failed_deliveries_total",
    "counter",
    ["server"],
    "Deliveries of measurements that failed and are tried again.",
  ),
  syncPending: own(
    "prtg_exporter_otlp_pending_points",
    "gauge",
    ["server", "resolution"],
    "Measurements that wait to be delivered.",
  ),
  syncOldestPending: own(
    "prtg_exporter_otlp_oldest_pending_age_seconds",
    "gauge",
    ["server", "resolution"],
    "Age of the oldest measurement that waits to be delivered; 0 when none waits.",
  ),
  syncDropped: own(
    "prtg_exporter_otlp_dropped_points_total",
    "counter",
    ["server"],
    "Measurements that were dropped for want of memory and are read from the server again.",
  ),
  syncWatermarkFailures: own(
    "prtg_exporter_otlp_watermark_failures_total",
    "counter",
    ["server"],
    "Times that the record of what was delivered could not be written to state_dir.",
  ),
  otlpStatePoints: own(
    "prtg_exporter_otlp_state_points_total",
    "counter",
    ["outcome"],
    "Points of the current state that the OTLP receiver acknowledged (delivered) or refused for good (rejected).",
  ),
  otlpFailedRequests: own(
    "prtg_exporter_otlp_failed_requests_total",
    "counter",
    ["stream"],
    "OTLP requests that could not be delivered, by what they carried: a resolution of measurements, or state.",
  ),
  otlpRefusedRequests: own(
    "prtg_exporter_otlp_refused_requests_total",
    "counter",
    ["stream"],
    "OTLP requests that the receiver refused for good, by what they carried.",
  ),
  otlpSkippedPoints: own(
    "prtg_exporter_otlp_skipped_points_total",
    "counter",
    ["stream"],
    "Measurements that are never sent: their channel is not known any more, or the value is no finite number.",
  ),
  configReloadSuccessful: own(
    "prtg_exporter_config_last_reload_successful",
    "gauge",
    [],
    "1 when the configuration that was read last is in force, 0 when it was wrong and the one before still is.",
  ),
  configReloadTime: own(
    "prtg_exporter_config_last_reload_success_timestamp_seconds",
    "gauge",
    [],
    "Unix time at which the configuration was last read and found right.",
  ),
  configHash: own(
    "prtg_exporter_config_hash",
    "gauge",
    [],
    "48 bits of the hash of the configuration in force, with its rules and certificates but without secrets: equal where the exporter does the same.",
  ),
  series: own("prtg_exporter_series", "gauge", ["family"], "Series served per family about the monitored world."),
  expositionBytes: own(
    "prtg_exporter_exposition_bytes",
    "gauge",
    ["format", "encoding"],
    "Size of the metrics page, or of the largest part (shard) that is asked for, as it goes over the wire, without the exporter's own metrics.",
  ),
  droppedSeries: own(
    "prtg_exporter_dropped_series",
    "gauge",
    ["family"],
    "Series that the metrics page lacks because it would exceed limits.max_series or limits.max_bytes; no series while it is whole.",
  ),
  renderDuration: own(
    "prtg_exporter_render_duration_seconds",
    "gauge",
    ["format"],
    "Time that putting together and compressing the last metrics page took.",
  ),
  httpConnections: own(
    "prtg_exporter_http_connections",
    "gauge",
    [],
    "Open connections to the exporter's own web server.",
  ),
  httpRejected: own(
    "prtg_exporter_http_rejected_total",
    "counter",
    ["reason"],
    "Requests and connections that the exporter's own web server turned away or cut.",
  ),
  webConfigReloadSuccessful: own(
    "prtg_exporter_web_config_last_reload_successful",
    "gauge",
    [],
    "0 when a change of the file given to --web.config.file, or of one that it names, is wrong and therefore not in force, else 1.",
  ),
  scrapes: own("prtg_exporter_scrapes_total", "counter", ["format"], "Metrics pages served."),
} as const satisfies Record<string, MetricFamily>;
