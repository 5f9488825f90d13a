import { z } from "zod";
import { SERVER_STATES } from "./status-marks.ts";

/*
 * What `/status.json` answers and pages show. Source of docs/status.md; tests hold answers to the schemas. The program
 * needs only the types.
 */

const instant = () => z.iso.datetime();
const count = () => z.int().nonnegative();
const byStatus = () => z.record(z.string(), count());

const Collector = z.strictObject({
  name: z.string().describe("health, tree, status, channels, limits, details or timeseries"),
  state: z
    .enum(["waiting", "running", "off"])
    .describe("`off`: the server lacks the endpoint; it is tried again ever more rarely"),
  last_success_at: instant().nullable().describe("end of the last run that worked"),
  age_seconds: z.number().nullable().describe("time since then"),
  last_duration_seconds: z.number().nullable().describe("time that the last finished run took"),
  next_run_at: instant().nullable().describe("when the next run is due"),
  complete: z.boolean().nullable().describe("whether the last finished run saw every object"),
  failed_runs: count().describe("runs that failed"),
  skipped_runs: count().describe("runs left out because the one before was still under way"),
  error: z.string().nullable().describe("why the last run failed; null when it worked"),
});

const Endpoint = z.strictObject({
  endpoint: z.string().describe("path of the API"),
  requests: count().describe("finished requests"),
  failures: z.record(z.string(), count()).describe("those that failed, by status or error code"),
  retries: count().describe("requests sent again after a failure"),
  mean_seconds: z.number().nullable().describe("mean time of a request"),
  p95_seconds: z.number().nullable().describe("95 of 100 requests took at most this long, as the histogram tells"),
  received_bytes: count().describe("bytes of response bodies"),
});

const Measurements = z.strictObject({
  delivered: count().describe("measurements that the receiver acknowledged"),
  rejected: count().describe("measurements that the receiver refused for good"),
  pending: count().describe("measurements that wait to be delivered"),
  oldest_pending_seconds: z.number().describe("age of the oldest of them; 0 when none waits"),
  failed_deliveries: count().describe("deliveries that failed and are tried again"),
  dropped: count().describe("measurements dropped for want of memory, to be read again"),
});

const objects = () =>
  z.strictObject({
    probe: count().describe("probes"),
    group: count().describe("groups"),
    device: count().describe("devices"),
    sensor: count().describe("sensors"),
    channel: count().describe("channels whose sensor is known"),
  });

const ServerEntry = z.strictObject({
  name: z.string().describe("the configured name"),
  url: z.string().describe("address of the API, without what could be secret"),
  up: z.boolean().describe("as `prtg_up`: the last runs of health, tree, status and channels worked"),
  state: z
    .enum(SERVER_STATES)
    .describe(
      "`unreachable`: requests are held back as it does not answer; `failing`: not up; `impaired`: up, but a run of limits, details or timeseries failed; `starting`: the first runs are under way",
    ),
  failed_collectors: z.array(z.string()).describe("collectors whose last run failed"),
  reason: z.string().nullable().describe("why the first of them did; null when all worked"),
  last_poll_at: instant().nullable().describe("end of the last run of tree, status or channels that worked"),
  version: z.string().nullable().describe("version of the monitoring server"),
  objects: objects().describe("objects that are known"),
  sensors_by_status: byStatus().describe("sensors that are known, per status"),
});

const ServerDetails = z.strictObject({
  collectors: z.array(Collector).describe("this and what follows only where one server is shown"),
  api: z.strictObject({
    breaker_open: z.boolean().describe("requests are held back because the server cannot be reached"),
    in_flight: count().describe("requests under way"),
    requests: count().describe("finished requests"),
    failures: z.record(z.string(), count()).describe("those that failed, by status or error code"),
    clock_offset_seconds: z.number().describe("clock of the server minus the exporter's"),
    endpoints: z.array(Endpoint),
  }),
  problems: z.strictObject({
    decode: z.record(z.string(), count()).describe("what was wrong in answers and was left out"),
    waiting_channels: count().describe("channels whose sensor is not known yet"),
    orphans: count().describe("objects whose parent the user may not see"),
  }),
  measurements: Measurements.nullable().describe("measurements pushed by OTLP; null where none are"),
});

const Server = z.strictObject({ ...ServerEntry.shape, ...ServerDetails.partial().shape });

export const StatusReport = z.strictObject({
  generated_at: instant().describe("when this was put together"),
  ready: z.boolean().describe("the first attempt on every server has finished, either way"),
  build: z.strictObject({
    version: z.string().describe("of the exporter"),
    revision: z.string().describe("commit that the image was built from; empty from a clone"),
    node: z.string().describe("version of Node"),
  }),
  process: z.strictObject({
    started_at: instant().describe("start of the process"),
    resident_memory_bytes: count().describe("resident memory"),
    event_loop_utilization: z
      .number()
      .describe("part of the time in which the event loop was busy, over the last seconds, from 0 to 1"),
    extra_held_back: z
      .boolean()
      .describe("time series and limits are read later than they are due, because the process is busy"),
  }),
  configuration: z.strictObject({
    last_reload_successful: z.boolean().describe("false: what was read last was wrong, and the one before still runs"),
    loaded_at: instant().describe("when the configuration was last read and found right"),
    shard: z
      .string()
      .nullable()
      .describe("`--shard`, as in `0/3`; null where all servers of the configuration are here"),
  }),
  leadership: z
    .strictObject({
      role: z
        .enum(["leader", "standby"])
        .describe("`standby`: another replica reads the servers; this one knows none of them"),
      lease: z.string().describe("namespace and name of the Lease"),
      identity: z.string().describe("of this replica in the Lease"),
      leader: z.string().nullable().describe("that of the replica that leads; null where none is known"),
    })
    .nullable()
    .describe("of the replicas, which one works; null without `--leader-elect`"),
  totals: z
    .strictObject({
      servers: count().describe("servers"),
      servers_by_state: z.record(z.string(), count()).describe("servers per state"),
      objects: objects().describe("objects that are known"),
      sensors_by_status: byStatus().describe("sensors that are known, per status"),
      measurements: Measurements.nullable().describe("measurements pushed by OTLP; null where none are"),
    })
    .describe("sums over all servers, whichever are shown"),
  page: z
    .strictObject({
      number: count().describe("of this page, from 1 on"),
      pages: count().describe("how many there are"),
      from: count().describe("position of its first server"),
      matching: count().describe("servers on all of them together"),
    })
    .describe("which part of the list this is"),
  servers: z.array(Server).describe("at most 40, the worst first"),
  metrics: z.strictObject({
    series: count().describe("series about the monitored world"),
    families: z
      .array(z.strictObject({ family: z.string().describe("name"), series: count().describe("its series") }))
      .describe("those with series, the largest first"),
    pages: z
      .array(
        z.strictObject({
          format: z.string().describe("`text` or `openmetrics`"),
          encoding: z.string().describe("`gzip` or `identity`"),
          bytes: count().describe("size over the wire, without the exporter's own metrics"),
          render_seconds: z.number().nullable().describe("time that the last one of the format took to make"),
        }),
      )
      .describe("forms of the page that were made so far"),
    scrapes: z.record(z.string(), count()).describe("pages served, by media type"),
  }),
  otlp: z
    .strictObject({
      endpoint: z.string().describe("receiver, without what could be secret"),
      protocol: z.string().describe("as in the configuration"),
      state_points: z.strictObject({
        delivered: count().describe("points of the current state that the receiver acknowledged"),
        rejected: count().describe("points of the current state that it refused for good"),
      }),
      failed_requests: count().describe("requests that could not be delivered"),
      refused_requests: count().describe("requests that were refused for good"),
    })
    .nullable()
    .describe("null where nothing is pushed"),
});
export type StatusReport = z.infer<typeof StatusReport>;
export type Measurements = z.infer<typeof Measurements>;
export type ServerEntry = z.infer<typeof ServerEntry>;
export type ServerDetails = z.infer<typeof ServerDetails>;
export type ServerReport = z.infer<typeof Server>;
export type WholeServerReport = ServerEntry & ServerDetails;

export type CollectorReport = z.infer<typeof Collector>;
export type EndpointReport = z.infer<typeof Endpoint>;

const NodeSummary = z.strictObject({
  server: z.string().describe("the configured name of the server"),
  id: z.string().describe("id of the object; `0` for the root"),
  kind: z.enum(["root", "probe", "group", "device", "sensor"]),
  name: z.string().describe("as the server sent it; it can hold anything"),
  path: z.string().describe("names from below the root, joined with `/`"),
  status: z.string().nullable().describe("own status, not a roll-up; null where it is not known"),
  status_since: instant().nullable().describe("since when a sensor has its status; null where it is not known"),
  message: z.string().nullable().describe("what the server says about the status of a sensor, as text; null: nothing"),
  children: count().describe("objects right below it; channels of a sensor"),
  sensors_by_status: byStatus().describe("sensors below it, per status; empty for a sensor"),
});
export type NodeSummary = z.infer<typeof NodeSummary>;

const Channel = z.strictObject({
  channel_id: z.string().describe("the part after the first dot of `2490.1`"),
  name: z.string().describe("as the server sent it"),
  unit: z.string().describe("unit of the value; may be empty"),
  state: z
    .enum(["served", "dropped", "paused", "never_measured", "stale", "no_value"])
    .describe("why a value is served, or is not"),
  value: z.number().nullable().describe("in that unit; null unless it is served"),
  measured_at: instant().nullable().describe("when, as far as is known"),
  limits: z.record(z.string(), z.number()).describe("limits that are set, in the unit of the value"),
  rule: z.string().nullable().describe("what the mapping rules made of it; null where there are none"),
  series: z.array(z.string()).describe("its lines of the metrics page"),
});
export type ChannelReport = z.infer<typeof Channel>;

const Sensor = z.strictObject({
  kind: z.string().describe("kind of the sensor"),
  kind_name: z.string().describe("the same for people"),
  interval_seconds: z.number().nullable().describe("scanning interval"),
  stale_after_seconds: z.number().nullable().describe("age at which values are withdrawn"),
  status_since: instant().nullable().describe("since when it has its status"),
  last_up_at: instant().nullable().describe("when the server last saw it up, where it tells"),
  last_down_at: instant().nullable().describe("when the server last saw it down, where it tells"),
  last_measurement_at: instant().nullable().describe("newest measurement of any channel"),
  series: z.array(z.string()).describe("lines of the metrics page that are about the sensor itself"),
  channels_total: count().describe("channels that it has"),
  channels_from: count().describe("position of the first one given"),
  channels: z.array(Channel).describe("at most 200"),
});
export type SensorReport = z.infer<typeof Sensor>;

export const NodeReport = z.strictObject({
  generated_at: instant().describe("when this was put together"),
  node: NodeSummary,
  host: z.string().nullable().describe("address of a device"),
  depends_on: z
    .strictObject({
      id: z.string().describe("its id"),
      path: z.string().nullable().describe("its path; null if the exporter does not know the object"),
    })
    .nullable()
    .describe("the object that it depends on, other than its parent, with `metrics.dependency_info`; null: none"),
  tags: z.array(z.string()).describe("its own tags"),
  ancestors: z
    .array(NodeSummary)
    .describe("from the root down; names of objects that the user may not see are left out"),
  children: z.strictObject({
    total: count().describe("objects right below it"),
    from: count().describe("position of the first one given"),
    items: z.array(NodeSummary),
  }),
  sensor: Sensor.nullable().describe("null for everything but sensors"),
});
export type NodeReport = z.infer<typeof NodeReport>;

export const SearchReport = z.strictObject({
  generated_at: instant().describe("when this was put together"),
  total: count().describe("objects found"),
  items: z.array(NodeSummary).describe("the best of them, at most 100"),
});
export type SearchReport = z.infer<typeof SearchReport>;
