import { z } from "zod";
import { count, instant, position } from "./report-parts.ts";
import { byStatus, Measurements, objects, parentsByStatus, Server } from "./server-report.ts";

/*
 * What `/status.json` answers and pages show. Source of docs/status.md; tests hold answers to the schemas. The program
 * needs only the types.
 */

const NodeSummary = z.strictObject({
  server: z.string().describe("the configured name of the server"),
  id: z.string().describe("id of the object, `0` for the root"),
  kind: z.enum(["root", "probe", "group", "device", "sensor"]),
  name: z.string().describe("name as the server sent it, any characters"),
  path: z.string().describe("names of the objects above and its own, joined with `/`"),
  device: z
    .strictObject({ id: z.string().describe("id of the device"), name: z.string().describe("its name") })
    .nullable()
    .describe("device of a sensor, or null"),
  priority: z.int().nullable().describe("priority from 1 (low) to 5 (high), or null"),
  status: z.string().nullable().describe("own status without children, or null"),
  status_since: instant().nullable().describe("start of the status, or null"),
  last_measurement_at: instant().nullable().describe("newest measurement of any channel of a sensor, or null"),
  message: z.string().nullable().describe("message of a sensor as text, or null"),
  acknowledgement: z
    .strictObject({
      down_since: instant().nullable().describe("when the sensor went down, or null"),
      acknowledged_at: instant()
        .nullable()
        .describe("start of the status, if the acknowledgement began a new one, or null"),
      message_before: z
        .string()
        .nullable()
        .describe("last message before the acknowledgement. Null: the exporter did not see it, or it is `message`"),
    })
    .nullable()
    .describe("acknowledged sensors only"),
  channel: z
    .strictObject({
      channel_id: z.string().describe("id of the channel"),
      name: z.string().describe("name of the channel"),
      unit: z.string().describe("unit of the value, possibly empty"),
      value: z.number().nullable().describe("value in that unit, or null"),
    })
    .nullable()
    .describe(
      "primary channel of a sensor. If the exporter does not know it (collector `details`), the first channel with a value. Null for other objects",
    ),
  children: count().describe("number of direct children. For a sensor: channels"),
  sensors_by_status: byStatus().describe("sensors below it per status. Empty for a sensor"),
  prtg_url: z.string().nullable().describe("URL of the object in the PRTG web interface, or null for the root"),
});
export type NodeSummary = z.infer<typeof NodeSummary>;

const ObjectReference = z.strictObject({
  id: z.string().describe("id of the object"),
  name: z.string().describe("name as the server sent it"),
  path: z.string().describe("names of the objects above and its own, joined with `/`"),
});

const Outage = z.strictObject({
  server: z.string().describe("the configured name of the server"),
  id: z.string().describe("id of the highest object below which nearly all sensors have the problem"),
  kind: z.enum(["probe", "group", "device", "sensor"]).describe("kind of the object, never `sensor`"),
  name: z.string().describe("name as the server sent it"),
  path: z.string().describe("names of the objects above and its own, joined with `/`"),
  problem: z.enum(["down", "unknown"]).describe("`down`: also partially or acknowledged"),
  status: z
    .string()
    .nullable()
    .describe("own status of the object if it is a problem, such as `disconnected`, or null"),
  affected: count().describe("sensors with the problem"),
  sensors: count().describe("sensors below it that are not paused"),
  devices: count().describe("devices with an affected sensor"),
  hidden: count().describe("sensors below it that are paused by a dependency"),
  recent: count().describe("affected sensors whose status began within the last hour"),
  since: instant().nullable().describe("start of the first affected status, or null"),
  first: ObjectReference.nullable().describe("sensor that was affected first, or null"),
  message: z
    .strictObject({
      text: z.string().describe("message of a sensor as text"),
      count: count().describe("affected sensors with this message"),
    })
    .nullable()
    .describe("most common message of affected sensors that are not acknowledged, or null"),
  acknowledged: count().describe("acknowledged sensors"),
  acknowledgement: z.string().nullable().describe("most common message of acknowledged sensors, or null"),
  cause: ObjectReference.nullable().describe(
    "sensor that is down and on which most of the affected objects depend. Needs `metrics.dependency_info`. Null: none",
  ),
  prtg_url: z.string().nullable().describe("URL of the object in the PRTG web interface, or null"),
});
export type OutageReport = z.infer<typeof Outage>;

export const StatusReport = z.strictObject({
  generated_at: instant().describe("time of this report"),
  ready: z.boolean().describe("the first attempt on every server finished or failed, or 30 seconds have passed"),
  build: z.strictObject({
    version: z.string().describe("version of the exporter"),
    revision: z.string().describe("commit of the image. Empty in a clone"),
    node: z.string().describe("version of Node.js"),
  }),
  process: z.strictObject({
    started_at: instant().describe("start of the process"),
    resident_memory_bytes: count().describe("resident memory"),
    event_loop_utilization: z.number().describe("busy share of the event loop in the last seconds, 0 to 1"),
    extra_held_back: z.boolean().describe("time series and limits are delayed because the process is busy"),
  }),
  configuration: z.strictObject({
    last_reload_successful: z
      .boolean()
      .describe("false: the last configuration was invalid, and the previous one is still loaded"),
    loaded_at: instant().describe("time of the last successful load"),
    shard: z.string().nullable().describe("`--shard`, such as `0/3`, or null without shards"),
  }),
  leadership: z
    .strictObject({
      role: z
        .enum(["leader", "standby"])
        .describe("`standby`: another replica reads the servers, and this one has no data"),
      lease: z.string().describe("namespace and name of the Lease"),
      identity: z.string().describe("name of this replica in the Lease"),
      leader: z.string().nullable().describe("name of the leader, or null"),
    })
    .nullable()
    .describe("leader election, or null without `--leader-elect`"),
  totals: z
    .strictObject({
      servers: count().describe("servers"),
      servers_by_state: z.record(z.string(), count()).describe("servers per state"),
      objects: objects().describe("known objects"),
      sensors_by_status: byStatus().describe("known sensors per status"),
      parents_by_status: parentsByStatus().describe("known probes, groups and devices per own status"),
      measurements: Measurements.nullable().describe("measurements pushed by OTLP, or null without a push"),
    })
    .describe("sums over all servers"),
  outages: z
    .strictObject({
      total: count().describe("outages"),
      sensors: count().describe("sensors of all outages"),
      items: z
        .array(Outage)
        .describe("at most 20: first disconnected probes, then what is down, then what is unknown, the largest first"),
    })
    .describe(
      "the highest probes, groups and devices below which at least 80 % of the sensors that are not paused, and at least three, have the same kind of problem. An outage lasts until less than half of them have it",
    ),
  problems: z
    .strictObject({
      total: count().describe("objects that are not well"),
      recent: count().describe("sensors that went down within the last hour"),
      items: z
        .array(NodeSummary)
        .describe("at most 20, worst first. With `view=grouped` without the sensors of outages"),
    })
    .describe(
      "probes, groups, devices and sensors that are disconnected, down, partially down, unknown (only sensors), in warning, unusual or acknowledged, in this order. Then probes before sensors. Then by priority. Then the newest problem first",
    ),
  page: z
    .strictObject({
      number: count().describe("number of this page, from 1"),
      pages: count().describe("number of pages"),
      from: count().describe("index of its first server"),
      matching: count().describe("matching servers on all pages"),
    })
    .describe("position in the list"),
  servers: z.array(Server).describe("at most 25, worst first"),
  metrics: z.strictObject({
    series: count().describe("series about monitored objects"),
    families: z
      .array(z.strictObject({ family: z.string().describe("name"), series: count().describe("number of its series") }))
      .describe("families with series, largest first"),
    pages: z
      .array(
        z.strictObject({
          format: z.string().describe("`text` or `openmetrics`"),
          encoding: z.string().describe("`gzip` or `identity`"),
          bytes: count().describe("size over the wire without the exporter's own metrics"),
          render_seconds: z.number().nullable().describe("render time of the last page in this format"),
        }),
      )
      .describe("formats that the exporter has rendered"),
    scrapes: z.record(z.string(), count()).describe("scrapes by media type"),
  }),
  otlp: z
    .strictObject({
      endpoint: z.string().describe("URL of the receiver without secrets"),
      protocol: z.string().describe("protocol of the configuration"),
      state_points: z.strictObject({
        delivered: count().describe("points of the current state that the receiver acknowledged"),
        rejected: count().describe("points of the current state that the receiver rejected permanently"),
      }),
      failed_requests: count().describe("failed requests"),
      refused_requests: count().describe("requests that the receiver rejected permanently"),
    })
    .nullable()
    .describe("null without a push"),
});
export type StatusReport = z.infer<typeof StatusReport>;

/** Members about the exporter as a whole. They would tell a customer about others. */
const EXPORTER_WIDE = {
  build: true,
  process: true,
  configuration: true,
  leadership: true,
  metrics: true,
  otlp: true,
} as const;

/** For a user who sees only some servers: everything is about these servers. */
export const TenantReport = StatusReport.omit(EXPORTER_WIDE);
export type TenantReport = z.infer<typeof TenantReport>;
/** Of either kind of user. */
export type AnyStatusReport = TenantReport & Partial<Pick<StatusReport, keyof typeof EXPORTER_WIDE>>;

const Channel = z.strictObject({
  channel_id: z.string().describe("id of the channel: `1` in `2490.1`"),
  name: z.string().describe("name as the server sent it"),
  unit: z.string().describe("unit of the value, possibly empty"),
  state: z
    .enum(["served", "dropped", "paused", "never_measured", "stale", "no_value"])
    .describe("`served`, or why the channel has no value"),
  value: z.number().nullable().describe("value in that unit, or null"),
  measured_at: instant().nullable().describe("time of the measurement, or null"),
  limits: z.record(z.string(), z.number()).describe("limits in the unit of the value"),
  rule: z.string().nullable().describe("effect of the mapping rules, or null without rules"),
  series: z.array(z.string()).describe("series on the metrics page"),
});
export type ChannelReport = z.infer<typeof Channel>;

const Sibling = z
  .strictObject({
    id: z.string().describe("id of the sensor"),
    name: z.string().describe("name as the server sent it"),
  })
  .nullable();

const Sensor = z.strictObject({
  kind: z.string().describe("kind of the sensor"),
  kind_name: z.string().describe("kind as PRTG displays it"),
  interval_seconds: z.number().nullable().describe("scanning interval"),
  stale_after_seconds: z.number().nullable().describe("age at which values become stale and are withdrawn"),
  status_since: instant().nullable().describe("start of the status"),
  last_up_at: instant().nullable().describe("last time up, or null"),
  last_down_at: instant().nullable().describe("last time down, or null"),
  last_measurement_at: instant().nullable().describe("newest measurement of any channel"),
  series: z.array(z.string()).describe("series of the sensor itself on the metrics page"),
  channels_total: count().describe("number of channels"),
  channels_from: count().describe("index of the first item"),
  channels: z.array(Channel).describe("at most 200"),
  siblings: z
    .strictObject({
      position: count().describe("position among the sensors of the device, from 1"),
      total: count().describe("sensors of the device"),
      previous: Sibling.describe("the sensor before, or null"),
      next: Sibling.describe("the sensor behind, or null"),
    })
    .describe("neighbours on the same device"),
});
export type SensorReport = z.infer<typeof Sensor>;

export const NodeReport = z.strictObject({
  generated_at: instant().describe("time of this report"),
  node: NodeSummary,
  host: z.string().nullable().describe("address of a device"),
  depends_on: z
    .strictObject({
      id: z.string().describe("id of that object"),
      path: z.string().nullable().describe("path of that object, or null if it is unknown"),
    })
    .nullable()
    .describe(
      "the object that this one depends on, if that is not its parent. Needs `metrics.dependency_info`. Null: none",
    ),
  tags: z.array(z.string()).describe("its own tags"),
  links: z
    .array(
      z.strictObject({
        name: z.string().describe("text of the link"),
        url: z.string().describe("address with the values of the object"),
      }),
    )
    .describe("links of `web.links` to other tools"),
  ancestors: z.array(NodeSummary).describe("objects from the root down, without those that the user cannot see"),
  children: z.strictObject({
    total: count().describe("number of direct children"),
    from: count().describe("index of the first item"),
    items: z.array(NodeSummary),
  }),
  sensor: Sensor.nullable().describe("null if the object is not a sensor"),
});
export type NodeReport = z.infer<typeof NodeReport>;

export const SearchReport = z.strictObject({
  generated_at: instant().describe("time of this report"),
  total: count().describe("objects found"),
  page: position("object"),
  items: z.array(NodeSummary).describe("at most 50"),
  servers: z.array(z.string()).describe("names of all servers. Empty if there are more than 100"),
});
export type SearchReport = z.infer<typeof SearchReport>;
