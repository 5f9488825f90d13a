import { z } from "zod";
import { byteSize, duration, filePath, inCode, optional, schedule, serverUrl, text, wholeNumber } from "./fields.ts";
import { labelsSchema } from "./labels-schema.ts";
import { linksSchema } from "./links-schema.ts";
import { mappingSchema } from "./mapping-schema.ts";
import { otlpSchema } from "./otlp-schema.ts";
import { serverListSchema } from "./server-schema.ts";
import { syncSchema } from "./sync-schema.ts";

/*
 * The only source of configuration keys: types, checks, JSON Schema and docs/configuration.md. Keys are snake_case in YAML, and camelCase
 * with units in code.
 */

/** Replaces a path. */
export const STANDARD_OUTPUT = "-";

const eventsSchema = z.strictObject({
  file: text("the path of a file, or - for standard output")
    .optional()
    .meta({
      title: "path",
      description:
        "File for events in JSON, one object per line. `-` is standard output. The exporter reopens the file after it was renamed or removed.",
      examples: ["/var/log/prtg-exporter/events.jsonl"],
    }),
  structure: z.boolean().prefault(false).meta({
    description: "Also send events for objects that were added, removed, renamed or moved.",
  }),
});

const SERVER_NAMES = "a non-empty list of server names";

const user = z.strictObject({
  servers: z.array(text("the name of a server"), { error: SERVER_NAMES }).min(1, { error: SERVER_NAMES }),
});

export interface WebUser {
  /** Names of servers. A server need not exist. */
  readonly servers: readonly string[];
}

const webSchema = z
  .strictObject({
    external_url: optional(
      serverUrl("https://prtg-exporter.example.com"),
      "URL at which readers reach the status page of the exporter, with the path of a proxy in front of it. `prtg_exporter_server_page_info` has the address of each server's page, for links in alerts.",
      "https://prtg-exporter.example.com",
    ),
    links: linksSchema,
    mcp: z.boolean().prefault(false).meta({
      description:
        "Experimental. Serve `/mcp`: tools for AI agents (Model Context Protocol, Streamable HTTP), read only. Users and TLS of `--web.config.file` apply. See https://prtg-exporter.github.io/prtg-exporter/mcp.",
    }),
    users: z
      .record(z.string(), user)
      .prefault({})
      .meta({
        title: "map of maps with `servers`, a list of texts",
        description:
          "Users of `--web.config.file` who see only these servers: status page, search, charts, changes and metrics. Users without an entry have full access. See https://prtg-exporter.github.io/prtg-exporter/tenants.",
        examples: [{ acme: { servers: ["acme", "acme-branch"] } }],
      }),
  })
  .transform(({ external_url, links, mcp, users }) => ({
    externalUrl: external_url,
    links,
    mcp,
    users: new Map<string, WebUser>(Object.entries(users)),
  }));

function collectorKeys(defaultSchedule: string, isEnabled = true) {
  return {
    schedule: schedule().prefault(defaultSchedule).meta({ description: "Interval or cron expression of the runs." }),
    enabled: z.boolean().prefault(isEnabled).meta({ description: "Run the collector." }),
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
        "Sensors with reads of live time series. `auto`: sensors with measurements that polls missed, because they scan faster than polls or after an outage. Without a push only the former, and at most one request for each 3,000 objects that lists brought. `all`: every sensor, one request each. `off`: none.",
    }),
  })
  .prefault({})
  .meta({ description: "All measurements of single sensors, within the request budget of the server." });

const collectors = z.strictObject({
  health: collector("15s", "Health of the server, connection to its core, and version."),
  status: collector("30s", "Statuses of all sensors, and the number of sensors per status."),
  tree: collector("5m", "Names, positions and properties of probes, groups, devices and sensors. Object counts."),
  channels: collector("60s", "Last measurement of every channel."),
  limits: collector("15m", "Limits of channels, and lookups with texts for their values."),
  details: z.strictObject(collectorKeys("15m", false)).prefault({}).meta({
    description:
      "Experimental, because most of these answers have no specification. License, probe connections, running auto-discoveries, and the primary channel of each sensor. Costs two requests, one per probe, and one per 3,000 sensors.",
  }),
  timeseries,
});

const metrics = z
  .strictObject({
    sensor_status: z.enum(["current", "all"]).prefault("current").meta({
      description: "`prtg_sensor_status`: one series per sensor for the current status, or 15 series with 0 and 1.",
    }),
    node_sensors: z
      .array(z.enum(["probe", "group", "device"]))
      .prefault(["probe", "group"])
      .meta({
        description: "Kinds of objects with `prtg_node_sensors`, the number of sensors below them.",
        uniqueItems: true,
      }),
    channel_info: z.enum(["auto", "always", "never"]).prefault("auto").meta({
      description:
        "`prtg_channel_info`. `auto`: only if `labels` omits labels of channels. `always`. `never`: a smaller page, but queries cannot add the omitted labels.",
    }),
    dependency_info: z.boolean().prefault(false).meta({
      description:
        "Experimental. `prtg_dependency_info`: the object that a probe, group, device or sensor depends on, if that is not its parent. Needs no further requests, but answers are larger. See https://prtg-exporter.github.io/prtg-exporter/alerts.",
    }),
    sensor_down_delay: z.boolean().prefault(false).meta({
      description:
        "Experimental. `prtg_sensor_down_delay_intervals`: scanning intervals for which PRTG shows a failing sensor as warning before it is down. One series per sensor. Needs no further requests.",
    }),
    location_info: z.boolean().prefault(true).meta({
      description:
        "Experimental. `prtg_node_location_info`: coordinates of probes, groups and devices with a tag such as `geo:50.11_8.68`. One series per tagged object. Needs no further requests.",
    }),
    api_detail: z.enum(["server", "endpoint"]).prefault("server").meta({
      description:
        "Labels of `prtg_exporter_api_*`: `server`, or server and `endpoint` (about 200 more series per server).",
    }),
  })
  .transform((input) => ({ ...inCode(input), nodeSensors: [...new Set(input.node_sensors)] }));

const pageLimits = z
  .strictObject({
    max_series: optional(
      wholeNumber(1, 100_000_000),
      "Maximum number of series about monitored objects on all parts of the metrics page. Above it, the exporter drops whole devices with their sensors and channels, always the same ones, and counts and logs it. Default: no limit.",
      500000,
    ),
    max_bytes: optional(
      byteSize("64KiB", "4GiB"),
      "Maximum size of the metrics page before compression. Works like `max_series`. Default: no limit.",
      "256MiB",
    ),
  })
  .transform((input) => inCode(input));

const FILES_EXPECTED =
  "a path of .yaml, .yml or .json files such as servers.d/*.yaml (* only in the last part), or a list of such paths";

/** Same patterns as Prometheus' file service discovery. */
const FILES = /^[^*]*(\*[^/\\]*)?\.(json|yml|yaml)$/;

const files = z.string({ error: FILES_EXPECTED }).regex(FILES, { error: FILES_EXPECTED }).meta({ title: "path" });

export const serversFromSchema = z
  .strictObject({
    files: z
      .union([files, z.array(files, { error: FILES_EXPECTED }).min(1, { error: FILES_EXPECTED })], {
        error: FILES_EXPECTED,
      })
      .meta({
        title: "path or list of paths",
        description:
          "Files with one entry of `servers`, or a list of entries. `*` matches any text in the last part of a path. Relative paths in a file are relative to its directory.",
        examples: ["servers.d/*.yaml"],
      }),
    refresh_interval: duration("1s", "24h").prefault("30s").meta({
      description:
        "Interval of the check for added, removed and changed files. `--config.auto-reload-interval` replaces it.",
    }),
  })
  .transform((input) => ({
    files: Array.isArray(input.files) ? input.files : [input.files],
    refreshIntervalMs: input.refresh_interval,
  }));

export type ServersFromSettings = z.output<typeof serversFromSchema>;

interface ServerKeys {
  readonly servers?: unknown;
  readonly servers_from?: unknown;
}

function refuseNoServers({ servers, servers_from }: ServerKeys, context: z.RefinementCtx): void {
  const isNone = servers === undefined || (Array.isArray(servers) && servers.length === 0);
  if (!isNone || servers_from !== undefined) return;
  context.addIssue({ code: "custom", message: "at least one server", path: ["servers"], input: servers });
}

interface SyncKeys {
  readonly sync?: { readonly servers: ReadonlyMap<string, unknown> } | undefined;
  readonly servers?: readonly { readonly name: string }[] | undefined;
  readonly servers_from?: unknown;
  readonly state_dir?: string | undefined;
}

function checkSync({ sync, servers = [], servers_from, state_dir }: SyncKeys, context: z.RefinementCtx): void {
  if (sync === undefined) return;
  if (state_dir === undefined) {
    const message = "a directory in which sync stores its changes";
    context.addIssue({ code: "custom", message, path: ["state_dir"], input: undefined });
  }
  // A file of servers_from may add it later.
  if (servers_from !== undefined) return;
  const names = servers.map(({ name }) => name);
  for (const name of sync.servers.keys()) {
    if (names.includes(name)) continue;
    const message = `the name of a server (${names.join(", ")})`;
    context.addIssue({ code: "custom", message, path: ["sync", "servers", name], input: name });
  }
}

const syncSection = optional(
  syncSchema,
  "Settings of `prtg-exporter sync`, which acknowledges sensors for silences in Alertmanager, and creates silences for acknowledgements and pauses. Other commands ignore this section: they need none of its variables and secrets. Needs `state_dir`.",
);

/** Checks the section without the others. */
export const syncSectionSchema = z.object({ sync: syncSection });

export const settingsSchema = z
  .strictObject({
    servers: optional(
      serverListSchema,
      "PRTG servers to read. They do not affect each other. Required without `servers_from`.",
    ),
    servers_from: optional(
      serversFromSchema,
      "Files with more servers. The exporter adds and removes servers with their files. An invalid file affects only its own servers, which keep their previous configuration. See https://prtg-exporter.github.io/prtg-exporter/tenants.",
    ),
    collectors: collectors
      .prefault({})
      .meta({ description: "Collectors: the data to read from each server, and how often." }),
    stale_after: optional(
      duration("1s", "24d"),
      "Age at which the last measurement of a channel becomes stale and is withdrawn. Default: three scanning intervals of its sensor, at least 5m. So a late or failed scan does not end it.",
      "15m",
    ),
    limits: pageLimits.prefault({}).meta({ description: "Maximum size of the metrics page." }),
    metrics: metrics.prefault({}).meta({ description: "Optional series and labels." }),
    mapping: mappingSchema.prefault({}).meta({
      description:
        "Rules that give channels their own metrics in base units, or drop channels. See https://prtg-exporter.github.io/prtg-exporter/mapping.",
    }),
    labels: labelsSchema.prefault({}).meta({
      description: "Labels of series about sensors and channels, for scrape, push and history.",
    }),
    otlp: optional(
      otlpSchema,
      "Push of every measurement with its own time, and of the current state, by OTLP. The standard environment variables of OpenTelemetry apply to missing keys. Without an endpoint, the exporter pushes nothing.",
    ),
    events: eventsSchema.prefault({}).meta({
      description:
        "Status changes and changes of the tree as events in a file. `otlp.events` sends them as log records. See https://prtg-exporter.github.io/prtg-exporter/events.",
    }),
    web: webSchema.prefault({}).meta({ description: "Access rights on the exporter's web server." }),
    sync: syncSection,
    state_dir: optional(
      filePath(),
      "Directory for the state of the push and of events. Without it, the exporter fills gaps of at most four hours after a restart, and reports no events from its downtime.",
      "/var/lib/prtg-exporter",
    ),
    strict_secret_files: z.boolean().prefault(false).meta({
      description:
        "Refuse secret files that users other than the owner can read. If root owns the file, its group may read it. If `false`, the exporter logs secret files that every user can read.",
    }),
  })
  .superRefine(refuseNoServers, {
    // Report it together with other problems.
    when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value),
  })
  .superRefine(checkSync, { when: ({ issues }) => issues.length === 0 })
  .transform(({ servers = [], ...input }) => ({ servers, ...inCode(input, { stale_after: "staleAfterMs" }) }))
  .meta({ title: "prtg-exporter configuration" });

/** Settings before the named files are read. */
export type Settings = z.output<typeof settingsSchema>;
export type ServerSettings = Settings["servers"][number];
export type CollectorName = keyof Settings["collectors"];

export type JsonSchema = z.core.JSONSchema.BaseSchema;
