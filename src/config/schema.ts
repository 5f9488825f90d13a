import { z } from "zod";
import { byteSize, duration, filePath, schedule, text, wholeNumber } from "./fields.ts";
import { labelsSchema } from "./labels-schema.ts";
import { mappingSchema } from "./mapping-schema.ts";
import { otlpSchema } from "./otlp-schema.ts";
import { serverListSchema } from "./server-schema.ts";
import { serversFromSchema } from "./servers-from-schema.ts";

/*
 * The only source of configuration keys: types, checks, JSON Schema and docs/configuration.md. Keys are snake_case in YAML, and camelCase
 * with units in code.
 */

/** Replaces a path. */
export const STANDARD_OUTPUT = "-";

const eventsSchema = z
  .strictObject({
    file: text("the path of a file, or - for standard output")
      .optional()
      .meta({
        title: "path",
        description:
          "File to which events are appended as JSON, one object a line; `-` is standard output. Opened anew when it was renamed or removed.",
        examples: ["/var/log/prtg-exporter/events.jsonl"],
      }),
    structure: z.boolean().prefault(false).meta({
      description: "Tell of objects that were added, removed, renamed or moved, too.",
    }),
  })
  .transform((input) => ({ file: input.file, structure: input.structure }));

const SERVER_NAMES = "a list of names of servers that is not empty";

const user = z.strictObject({
  servers: z.array(text("the name of a server"), { error: SERVER_NAMES }).min(1, { error: SERVER_NAMES }),
});

export interface WebUser {
  /** Names of servers. A server need not exist. */
  readonly servers: readonly string[];
}

const webSchema = z
  .strictObject({
    users: z
      .record(z.string(), user)
      .prefault({})
      .meta({
        title: "map of maps with `servers`, a list of texts",
        description:
          "Users of `--web.config.file` who may only have the metrics of these servers, by name. Users that are not in here may have everything. docs/tenants.md explains it.",
        examples: [{ acme: { servers: ["acme", "acme-branch"] } }],
      }),
  })
  .transform(({ users }) => ({ users: new Map<string, WebUser>(Object.entries(users)) }));

function collectorKeys(defaultSchedule: string, isEnabled = true) {
  return {
    schedule: schedule().prefault(defaultSchedule).meta({ description: "When it runs." }),
    enabled: z.boolean().prefault(isEnabled).meta({ description: "Whether it runs at all." }),
  };
}

function collector(defaultSchedule: string, description: string) {
  return z.strictObject(collectorKeys(defaultSchedule)).prefault({}).meta({ description });
}

const timeseries = z
  .strictObject({
    ...collectorKeys("60s"),
    mode: z.enum(["auto", "all", "off"]).prefault("auto").meta({
      description:
        "Whose live time series are read: `auto` those of sensors with a measurement that no list has shown, because they scan faster than channels are polled or after an outage; `all` those of every sensor, one request each; `off` none.",
    }),
  })
  .prefault({})
  .meta({ description: "The full record of measurements, sensor by sensor, within the budget of the server." });

const collectors = z.strictObject({
  health: collector("15s", "Whether the server answers and its core is connected; its version."),
  status: collector("30s", "Statuses of all sensors, and how many sensors have each status."),
  tree: collector("5m", "Probes, groups, devices and sensors: names, places in the tree, properties; object counts."),
  channels: collector("60s", "Last measurement of every channel."),
  limits: collector("15m", "Limits that are set on channels, and the lookups that have texts for their values."),
  details: z.strictObject(collectorKeys("15m", false)).prefault({}).meta({
    description:
      "What a server tells beside its objects: use and end of the license, connections of probes, auto-discoveries under way, and the primary channel of each sensor. Two requests, one for each probe, and one for each 3,000 sensors. Off by default, since no specification shows what most of these answers look like.",
  }),
  timeseries,
});

const metrics = z
  .strictObject({
    sensor_status: z.enum(["current", "all"]).prefault("current").meta({
      description: "`prtg_sensor_status`: one series per sensor for the current status, or all 15 as 0 and 1.",
    }),
    node_sensors: z
      .array(z.enum(["probe", "group", "device"]))
      .prefault(["probe", "group"])
      .meta({
        description: "Kinds of objects for which `prtg_node_sensors` counts the sensors below.",
        uniqueItems: true,
      }),
    channel_info: z.enum(["auto", "always", "never"]).prefault("auto").meta({
      description:
        "`prtg_channel_info`: `auto` where `labels` leaves labels of channels out, `always`, or `never`: the page is smaller, and no query brings back what `labels` leaves out of channels.",
    }),
    dependency_info: z.boolean().prefault(false).meta({
      description:
        "`prtg_dependency_info`: which object a probe, group, device or sensor depends on, other than its parent. The poll of the tree reads it in the same requests, in larger answers. docs/alerts.md uses it.",
    }),
    api_detail: z.enum(["server", "endpoint"]).prefault("server").meta({
      description:
        "Requests to the monitoring servers and their durations (`prtg_exporter_api_*`): by `server`, or by server and `endpoint`, some 200 series more for each server.",
    }),
  })
  .transform((input) => ({
    sensorStatus: input.sensor_status,
    nodeSensors: [...new Set(input.node_sensors)],
    channelInfo: input.channel_info,
    dependencyInfo: input.dependency_info,
    apiDetail: input.api_detail,
  }));

const pageLimits = z
  .strictObject({
    max_series: wholeNumber(1, 100_000_000)
      .optional()
      .meta({
        description:
          "Series about the monitored world that the metrics page may have, all parts together. Beyond it whole devices, with all their sensors and channels, are left out, by a hash, so that the same ones stay; it is counted and logged. Default: no limit.",
        examples: [500000],
      }),
    max_bytes: byteSize("64KiB", "4GiB")
      .optional()
      .meta({
        description: "The same for the size of the page before compression. Default: no limit.",
        examples: ["256MiB"],
      }),
  })
  .transform((input) => ({ maxSeries: input.max_series, maxBytes: input.max_bytes }));

interface ServerKeys {
  readonly servers?: unknown;
  readonly servers_from?: unknown;
}

function refuseNoServers({ servers, servers_from }: ServerKeys, context: z.RefinementCtx): void {
  const isNone = servers === undefined || (Array.isArray(servers) && servers.length === 0);
  if (!isNone || servers_from !== undefined) return;
  context.addIssue({ code: "custom", message: "at least one server", path: ["servers"], input: servers });
}

export const settingsSchema = z
  .strictObject({
    servers: serverListSchema.optional().meta({
      description:
        "The monitoring servers to read. They are isolated from each other. Required, unless `servers_from` is there.",
    }),
    servers_from: serversFromSchema.optional().meta({
      description:
        "Files with further servers, which come and go with their files. A file that is wrong spoils only itself: its servers stay as they were. docs/tenants.md explains them.",
    }),
    collectors: collectors.prefault({}).meta({ description: "What is read from each server, and how often." }),
    stale_after: duration("1s", "24d")
      .optional()
      .meta({
        description:
          "Age at which the last measurement of a channel is withdrawn. Default: three scanning intervals of its sensor, at least 5m.",
        examples: ["15m"],
      }),
    limits: pageLimits.prefault({}).meta({ description: "How large the metrics page may get." }),
    metrics: metrics.prefault({}).meta({ description: "Which series are served." }),
    mapping: mappingSchema.prefault({}).meta({
      description:
        "Rules that give channels metrics of their own, in base units, or drop them. docs/mapping.md explains them.",
    }),
    labels: labelsSchema.prefault({}).meta({
      description: "Which labels series about sensors and channels have, for the scrape, the push and history alike.",
    }),
    otlp: otlpSchema.optional().meta({
      description:
        "Push of every measurement, with its own time, and of the current state by OTLP. The standard variables of OpenTelemetry fill what is left out; without an endpoint from either nothing is pushed.",
    }),
    events: eventsSchema.prefault({}).meta({
      description:
        "Changes of statuses, and of the structure, each told once: as lines of a file here, by `otlp.events` as log records. docs/events.md explains them.",
    }),
    web: webSchema.prefault({}).meta({ description: "Who may see what on the exporter's own web server." }),
    state_dir: filePath()
      .optional()
      .meta({
        description:
          "Directory in which the exporter remembers what it has pushed and which events it has told. Without it a restart heals the last four hours only, and events while it was down are not told.",
        examples: ["/var/lib/prtg-exporter"],
      }),
    strict_secret_files: z.boolean().prefault(false).meta({
      description:
        "Refuse files with secrets that others than their owner may read, or, where that is root, than their group. Without it a file that every user may read is logged.",
    }),
  })
  .superRefine(refuseNoServers, {
    // Report it together with other problems.
    when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value),
  })
  .transform(({ servers = [], servers_from, stale_after, state_dir, strict_secret_files, ...input }) => ({
    ...input,
    servers,
    serversFrom: servers_from,
    staleAfterMs: stale_after,
    stateDir: state_dir,
    strictSecretFiles: strict_secret_files,
  }))
  .meta({ title: "prtg-exporter configuration" });

/** Before the named files are read. */
export type Settings = z.output<typeof settingsSchema>;
export type ServerSettings = Settings["servers"][number];
export type CollectorName = keyof Settings["collectors"];

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** JSON Schema (draft 7) of the file, without environment references. */
export function settingsJsonSchema(): JsonSchema {
  return z.toJSONSchema(settingsSchema, {
    io: "input",
    target: "draft-7",
    // Zod applies examples to the output and drops them if it differs. Ours are for the input.
    override: ({ zodSchema, jsonSchema }) => {
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  });
}
