import { z } from "zod";
import { formatDuration } from "./duration.ts";
import {
  byteSize,
  duration,
  filePath,
  fingerprint,
  number,
  schedule,
  secret,
  serverUrl,
  text,
  wholeNumber,
} from "./fields.ts";
import { labelsSchema } from "./labels-schema.ts";
import { mappingSchema } from "./mapping-schema.ts";
import { otlpSchema } from "./otlp-schema.ts";
import type { Secret } from "./secrets.ts";

/*
 * The one source of the configuration's keys: the types, the checks, the JSON Schema for editors and
 * docs/configuration.md all come from here. Keys are snake_case in YAML and camelCase, with units, in the code.
 */

/** Where a secret is; `key` is the key below `auth` that says so. */
export type SecretLocation =
  | { readonly kind: "file"; readonly key: string; readonly path: string }
  | { readonly kind: "value"; readonly key: string; readonly value: Secret };

/** How to prove who we are, before any file is read. */
export type AuthSettings =
  | { readonly kind: "api_key"; readonly secret: SecretLocation }
  | { readonly kind: "login"; readonly username: string; readonly secret: SecretLocation };

const AUTH_FORMS = "exactly one of api_key_file, api_key, username with password_file, or username with password";

const authKeys = z.strictObject(
  {
    api_key_file: filePath()
      .optional()
      .meta({
        description: "File that holds the API key. It is read again when the server refuses the key.",
        examples: ["/run/secrets/prtg-api-key"],
      }),
    api_key: secret()
      .optional()
      .meta({
        description: "API key, as a reference to an environment variable. A key written into the file is refused.",
        examples: ["${PRTG_API_KEY}"],
      }),
    username: text("the name of a user")
      .optional()
      .meta({
        description: "User to log in as. The session is renewed while the exporter runs and ended when it stops.",
        examples: ["exporter"],
      }),
    password_file: filePath()
      .optional()
      .meta({
        description: "File that holds the password of `username`. It is read again at each login.",
        examples: ["/run/secrets/prtg-password"],
      }),
    password: secret()
      .optional()
      .meta({
        description:
          "Password of `username`, as a reference to an environment variable. A password written into the file is refused.",
        examples: ["${PRTG_PASSWORD}"],
      }),
  },
  { error: ({ code }) => (code === "invalid_type" ? `a map with ${AUTH_FORMS}` : undefined) },
);

const auth = authKeys
  .transform((given, context): AuthSettings => {
    const keys = secretLocations("api_key", given.api_key, given.api_key_file);
    const passwords = secretLocations("password", given.password, given.password_file);
    const { username } = given;
    const [location] = [...keys, ...passwords];
    if (location !== undefined && keys.length + passwords.length === 1) {
      if (keys.length === 1 && username === undefined) return { kind: "api_key", secret: location };
      if (keys.length === 0 && username !== undefined) return { kind: "login", username, secret: location };
    }
    // A misspelt key has been reported by now, and explains the rest.
    if (context.issues.length === 0) context.addIssue({ code: "custom", message: AUTH_FORMS, input: given });
    return z.NEVER;
  })
  .meta({
    description: `Credentials: ${AUTH_FORMS}.`,
    oneOf: [
      { required: ["api_key_file"], maxProperties: 1 },
      { required: ["api_key"], maxProperties: 1 },
      { required: ["username", "password_file"], maxProperties: 2 },
      { required: ["username", "password"], maxProperties: 2 },
    ],
  });

function secretLocations(key: string, value: Secret | undefined, path: string | undefined): SecretLocation[] {
  const locations: SecretLocation[] = [];
  if (path !== undefined) locations.push({ kind: "file", key: `${key}_file`, path });
  if (value !== undefined) locations.push({ kind: "value", key, value });
  return locations;
}

const TLS_VERSIONS = { TLS12: "TLSv1.2", TLS13: "TLSv1.3" } as const;

const tls = z
  .strictObject({
    ca_file: filePath()
      .optional()
      .meta({
        description:
          "PEM file with the certificates to trust instead of those of Node.js and the system: an authority, or the server's own.",
        examples: ["/etc/ssl/prtg-ca.pem"],
      }),
    server_name: text("the name in the server's certificate")
      .optional()
      .meta({
        description: "Name to expect in the certificate, where it differs from the host in `url`.",
        examples: ["prtg.example.com"],
      }),
    cert_file: filePath()
      .optional()
      .meta({
        description:
          "PEM file with the certificate that the exporter shows, for servers that ask for one; together with `key_file`. Files of this section are read again when they change: connections made later use them.",
        examples: ["/etc/ssl/exporter.pem"],
      }),
    key_file: filePath()
      .optional()
      .meta({
        description: "PEM file with the key of that certificate, without a passphrase.",
        examples: ["/etc/ssl/exporter-key.pem"],
      }),
    fingerprints: z
      .array(fingerprint())
      .min(1, { error: "at least one fingerprint" })
      .optional()
      .meta({
        description:
          "SHA-256 fingerprints of certificates, with or without colons, of which the server must show one: several, so that a renewed certificate can be named before it is in use. Without `ca_file` this takes the place of authorities, names and dates, so that a self-signed certificate needs nothing else; with `ca_file` both must hold.",
        examples: [["3A:F2:00:5C:91:7E:44:B8:6D:0F:12:C3:9A:85:E1:77:26:DB:58:F4:0B:63:A9:1C:E8:34:7F:52:96:CD:20:81"]],
      }),
    min_version: z
      .enum(["TLS12", "TLS13"])
      .optional()
      .meta({
        description: "Oldest version of TLS that is spoken. Default: that of Node.js, which is TLS12.",
        examples: ["TLS13"],
      }),
    insecure_skip_verify: z.boolean().prefault(false).meta({
      description:
        "Accept any certificate. Whoever is between here and the server can then read the credentials. It is logged at the start and each day, and `prtg_exporter_api_unverified` is 1.",
    }),
  })
  .superRefine((given, context) => {
    const wrong = (key: string, message: string) => context.addIssue({ code: "custom", message, path: [key] });
    if (given.cert_file !== undefined && given.key_file === undefined) wrong("key_file", "the key of cert_file");
    if (given.key_file !== undefined && given.cert_file === undefined)
      wrong("cert_file", "the certificate of key_file");
    if (given.fingerprints !== undefined && given.insecure_skip_verify) {
      const message = "false, since fingerprints says which certificates are accepted";
      context.addIssue({ code: "custom", message, path: ["insecure_skip_verify"], input: true });
    }
  })
  .transform((given) => ({
    caFile: given.ca_file,
    certFile: given.cert_file,
    keyFile: given.key_file,
    fingerprints: given.fingerprints,
    minVersion: given.min_version === undefined ? undefined : TLS_VERSIONS[given.min_version],
    serverName: given.server_name,
    insecureSkipVerify: given.insecure_skip_verify,
  }));

const limits = z
  .strictObject({
    concurrency: wholeNumber(1, 64).prefault(4).meta({ description: "Requests under way at the same time." }),
    requests_per_second: number(0.01, 1000).prefault(20).meta({
      description: "Requests sent per second, on average; fractions are allowed.",
    }),
    timeout: duration("100ms", "1h").prefault("30s").meta({
      description: "Time that one request may take, from sending it to the last byte of the answer.",
    }),
    total_timeout: duration("100ms", "24h").prefault("120s").meta({
      description: "Time that a request may take together with its retries and the waits between them.",
    }),
    list_timeout: duration("1s", "24h").prefault("1h").meta({
      description:
        "Time that a list may take with all of its pages, beyond which it is given up: the poll fails, and what was known stays.",
    }),
    max_response_size: byteSize("64KiB", "500MiB").prefault("64MiB").meta({
      description:
        "Size at which an answer is cut off and counts as failed: of one page of a list, one time series, unpacked where it comes compressed. Answers about the server as a whole may have 1MiB.",
    }),
    max_objects: wholeNumber(1_000, 10_000_000)
      .optional()
      .meta({
        description:
          "Records of one list, and values of one time series, beyond which it is given up: the poll fails, and what was known stays. Default: one for each KiB that the heap of Node.js may have, at most 1,000,000.",
        examples: [500000],
      }),
    max_text_size: byteSize("64KiB", "4GiB")
      .optional()
      .meta({
        description:
          "The same for the text that is kept of one list (names, tags, addresses), in characters; the labels of its series may have four times as many in all. Default: 64 for each of `max_objects`.",
        examples: ["64MiB"],
      }),
    max_text_length: wholeNumber(64, 16_384).prefault(1_024).meta({
      description:
        "Characters at which one text of the server is cut; its end is then `…`. It is counted as problem `text`.",
    }),
  })
  .superRefine(({ timeout, total_timeout }, context) => {
    if (total_timeout < timeout) {
      const message = "a duration that is not shorter than timeout";
      context.addIssue({ code: "custom", message, path: ["total_timeout"], input: formatDuration(total_timeout) });
    }
  })
  .transform((given) => ({
    concurrency: given.concurrency,
    requestsPerSecond: given.requests_per_second,
    timeoutMs: given.timeout,
    totalTimeoutMs: given.total_timeout,
    listTimeoutMs: given.list_timeout,
    maxResponseBytes: given.max_response_size,
    maxObjects: given.max_objects,
    maxTextSize: given.max_text_size,
    maxTextLength: given.max_text_length,
  }));

const server = z
  .strictObject({
    name: text("a name that is not empty")
      .optional()
      .meta({
        description: "Value of the label `server`; unique. Default: the host in `url`.",
        examples: ["hq"],
      }),
    url: serverUrl().meta({
      description:
        "Where REST API v2 listens: port 1616 for HTTPS, 1615 for HTTP. A slash or `/api/v2` at the end is dropped.",
      examples: ["https://prtg.example.com:1616"],
    }),
    auth,
    tls: tls.prefault({}).meta({ description: "How the certificate of the server is checked." }),
    limits: limits.prefault({}).meta({ description: "What the exporter may ask of the server." }),
  })
  .transform((given) => ({ ...given, name: given.name ?? new URL(given.url).hostname }));

const servers = z
  .array(server)
  .min(1)
  .superRefine(refuseSameNames, { when: ({ issues }) => issues.length === 0 })
  .meta({ description: "The monitoring servers to read. They are isolated from each other." });

function refuseSameNames(all: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  for (const [index, { name }] of all.entries()) {
    const first = all.findIndex((other) => other.name === name);
    if (first === index) continue;
    const message = `a name that no other server has (servers[${first}] has it; the default is the host in url)`;
    context.addIssue({ code: "custom", message, path: [index, "name"], input: name });
  }
}

function collectorKeys(defaultSchedule: string) {
  return {
    schedule: schedule().prefault(defaultSchedule).meta({ description: "When it runs." }),
    enabled: z.boolean().prefault(true).meta({ description: "Whether it runs at all." }),
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
    channel_info: z.enum(["auto", "always"]).prefault("auto").meta({
      description: "`prtg_channel_info`: `auto` where `labels` leaves labels of channels out, or `always`.",
    }),
  })
  .transform((given) => ({
    sensorStatus: given.sensor_status,
    nodeSensors: [...new Set(given.node_sensors)],
    channelInfo: given.channel_info,
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
  .transform((given) => ({ maxSeries: given.max_series, maxBytes: given.max_bytes }));

/** Checks the whole configuration and turns it into the form that the code uses. */
export const settingsSchema = z
  .strictObject({
    servers,
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
    state_dir: filePath()
      .optional()
      .meta({
        description:
          "Directory in which the exporter remembers what it has pushed. Without it a restart heals the last four hours only.",
        examples: ["/var/lib/prtg-exporter"],
      }),
    strict_secret_files: z.boolean().prefault(false).meta({
      description:
        "Refuse files with secrets that others than their owner may read, or, where that is root, than their group. Without it a file that every user may read is logged.",
    }),
  })
  .transform(({ stale_after, state_dir, strict_secret_files, ...given }) => ({
    ...given,
    staleAfterMs: stale_after,
    stateDir: state_dir,
    strictSecretFiles: strict_secret_files,
  }))
  .meta({ title: "prtg-exporter configuration" });

/** The configuration as checked, before the files that it names are read. */
export type Settings = z.output<typeof settingsSchema>;
export type ServerSettings = Settings["servers"][number];
export type CollectorName = keyof Settings["collectors"];

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** JSON Schema (draft 7) of what may be written, without regard to environment references. */
export function settingsJsonSchema(): JsonSchema {
  return z.toJSONSchema(settingsSchema, {
    io: "input",
    target: "draft-7",
    // Zod takes examples for those of what comes out, and drops them where that differs; ours are of what is written.
    override: ({ zodSchema, jsonSchema }) => {
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  });
}
