import { z } from "zod";
import { count, instant } from "./report-parts.ts";
import { SERVER_STATES } from "./status-order.ts";

/* The servers of `/status.json`. See report.ts. */

export const byStatus = () => z.record(z.string(), count());

export const parentsByStatus = () =>
  z.strictObject({
    probe: byStatus().describe("probes per status"),
    group: byStatus().describe("groups per status"),
    device: byStatus().describe("devices per status"),
  });
export type ParentCounts = z.infer<ReturnType<typeof parentsByStatus>>;

const Collector = z.strictObject({
  name: z.string().describe("health, tree, status, channels, limits, details or timeseries"),
  state: z
    .enum(["waiting", "running", "off"])
    .describe("`off`: the server lacks the endpoint, and retries become rarer"),
  last_success_at: instant().nullable().describe("end of the last successful run"),
  age_seconds: z.number().nullable().describe("time since `last_success_at`"),
  last_duration_seconds: z.number().nullable().describe("duration of the last finished run"),
  next_run_at: instant().nullable().describe("when the next run is due"),
  complete: z.boolean().nullable().describe("whether the last finished run saw every object"),
  failed_runs: count().describe("runs that failed"),
  skipped_runs: count().describe("runs skipped because the previous one was still running"),
  error: z.string().nullable().describe("error of the last run, or null"),
});

const Endpoint = z.strictObject({
  endpoint: z.string().describe("path of the API"),
  requests: count().describe("finished requests"),
  failures: z.record(z.string(), count()).describe("failed requests by status or error code"),
  retries: count().describe("requests sent again after a failure"),
  mean_seconds: z.number().nullable().describe("mean time of a request"),
  p95_seconds: z.number().nullable().describe("95th percentile of the duration, from the histogram"),
  received_bytes: count().describe("bytes of response bodies"),
});

export const Measurements = z.strictObject({
  delivered: count().describe("measurements that the receiver acknowledged"),
  rejected: count().describe("measurements that the receiver rejected permanently"),
  pending: count().describe("measurements that wait to be delivered"),
  oldest_pending_seconds: z.number().describe("age of the oldest pending measurement, or 0"),
  failed_deliveries: count().describe("failed deliveries, which the exporter retries"),
  dropped: count().describe("measurements dropped to save memory. The exporter reads them again"),
});

export const objects = () =>
  z.strictObject({
    probe: count().describe("probes"),
    group: count().describe("groups"),
    device: count().describe("devices"),
    sensor: count().describe("sensors"),
    channel: count().describe("channels of known sensors"),
  });

const ServerEntry = z.strictObject({
  name: z.string().describe("the configured name"),
  url: z.string().describe("URL of the API without secrets"),
  up: z.boolean().describe("like `prtg_up`: the last runs of health, tree, status and channels succeeded"),
  state: z
    .enum(SERVER_STATES)
    .describe(
      "`unreachable`: no answer, requests are paused. `failing`: not up. `impaired`: up, but limits, details or timeseries failed. `starting`: first runs not finished",
    ),
  failed_collectors: z.array(z.string()).describe("collectors whose last run failed"),
  reason: z.string().nullable().describe("error of the first failed collector, or null"),
  monitored_since: instant().describe("start of the monitoring by this process"),
  last_poll_at: instant()
    .nullable()
    .describe("end of the last successful run of tree, status or channels. Null: nothing is known of the server yet"),
  version: z.string().nullable().describe("version of the monitoring server"),
  objects: objects().describe("known objects"),
  sensors_by_status: byStatus().describe("known sensors per status"),
  parents_by_status: parentsByStatus().describe(
    "known probes, groups and devices per own status, without their sensors",
  ),
});

const ServerDetails = z.strictObject({
  collectors: z.array(Collector).describe("like the following members, only if the report has one server"),
  api: z.strictObject({
    breaker_open: z.boolean().describe("requests are paused because the server is unreachable"),
    in_flight: count().describe("requests in flight"),
    requests: count().describe("finished requests"),
    failures: z.record(z.string(), count()).describe("failed requests by status or error code"),
    clock_offset_seconds: z.number().describe("server clock minus exporter clock"),
    endpoints: z.array(Endpoint),
  }),
  problems: z.strictObject({
    decode: z.record(z.string(), count()).describe("problems in answers by kind. The exporter drops the data"),
    waiting_channels: count().describe("channels of unknown sensors"),
    orphans: count().describe("objects with a parent that the user cannot see"),
  }),
  measurements: Measurements.nullable().describe("measurements pushed by OTLP, or null without a push"),
});

export const Server = z.strictObject({ ...ServerEntry.shape, ...ServerDetails.partial().shape });

export type Measurements = z.infer<typeof Measurements>;
export type ServerEntry = z.infer<typeof ServerEntry>;
export type ServerDetails = z.infer<typeof ServerDetails>;
export type ServerReport = z.infer<typeof Server>;
export type WholeServerReport = ServerEntry & ServerDetails;

export type CollectorReport = z.infer<typeof Collector>;
export type EndpointReport = z.infer<typeof Endpoint>;
