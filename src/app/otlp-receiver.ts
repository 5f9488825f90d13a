import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { InstrumentationScope } from "@opentelemetry/core";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type { Config } from "../config/load.ts";
import { secretFileReader } from "../config/reading-files.ts";
import type { Shard } from "../config/shard.ts";
import { connectOtlp } from "../otlp/connect.ts";
import type { Encodings } from "../otlp/encoding.ts";
import type { OtlpExporter } from "../otlp/exporter.ts";
import { OtelProfile } from "../otlp/otel-placement.ts";
import { otlpResource } from "../otlp/resources.ts";
import { SCHEMA_URL } from "../otlp/semantic-conventions.ts";
import type { LogSettings, OtlpProfile } from "../otlp/settings.ts";
import type { StateFiles } from "../sync/state-files.ts";
import { digest, pushFiles, readQuietly } from "./config-digests.ts";
import { type CommandContext, readAccess, readText } from "./context.ts";
import { permitOf } from "./leadership.ts";

const SERVICE_VERSION = "service.version";
const INSTANCE_FILE = "instance-id";

/** The way of one signal to an OTLP receiver, and who we are to it. */
export interface OtlpReceiver<Request> {
  readonly exporter: Pick<OtlpExporter<Request>, "export" | "close" | "takeHistoryTurn">;
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** Undefined: that of the scrape. */
  readonly profile?: OtelProfile;
}

/** @throws ExporterError for files and settings that cannot be used */
export async function connectReceiver<Request>(
  settings: LogSettings,
  encodings: Encodings<Request>,
  files: StateFiles,
  context: CommandContext,
  { strictSecretFiles = false, shard }: Partial<Pick<Config, "strictSecretFiles" | "shard">> = {},
): Promise<OtlpReceiver<Request>> {
  const { clock, redactor, build, log, receivers } = context;
  const exporter = await connectOtlp(settings, encodings, {
    userAgent: `prtg-exporter/${build.version}`,
    clock,
    readFile: readText,
    // Those that are not refused are none of a request's business: it is sent every few seconds.
    readSecret: secretFileReader({
      readFile: readText,
      readAccess: strictSecretFiles ? readAccess : undefined,
      strict: strictSecretFiles,
      onExposed: () => undefined,
    }),
    redactor,
    permit: permitOf(context.leadership),
    receivers,
    gzipRefused: () => {
      const fields = { endpoint: settings.url };
      log.warn(fields, "the OTLP receiver refuses gzip: requests to it go uncompressed from now on");
    },
  });
  const resource = otlpResource(settings.resourceAttributes, {
    version: build.version,
    instanceId: await instanceId(files, shard, context),
  });
  return { exporter, resource, scope: { name: "prtg-exporter", version: build.version } };
}

/** The receiver for what is pushed as the profile has it. */
export function withProfile<Request>(receiver: OtlpReceiver<Request>, profile: OtlpProfile): OtlpReceiver<Request> {
  if (profile === "prometheus") return receiver;
  const { resource, scope } = receiver;
  return { ...receiver, scope: { ...scope, schemaUrl: SCHEMA_URL }, profile: new OtelProfile(resource) };
}

/**
 * The receiver for metrics. Without attributes beside service and instance, Prometheus writes no `target_info`, whose samples have the
 * times of the points: after a push of the state, measurements would be out of order by it, and Prometheus refuses the
 * whole request. The scope tells the version.
 */
export function forMetrics<Request>(
  receiver: OtlpReceiver<Request>,
  { profile, resourceAttributes }: Pick<LogSettings, "profile" | "resourceAttributes">,
): OtlpReceiver<Request> {
  if (profile === "otel" || SERVICE_VERSION in resourceAttributes) return withProfile(receiver, profile);
  const { [SERVICE_VERSION]: _version, ...attributes } = receiver.resource.attributes;
  return { ...receiver, resource: resourceFromAttributes(attributes) };
}

/** The same as long as the settings are, with the content of their files. */
export async function digestReceiver(settings: LogSettings): Promise<string> {
  const headers = Object.entries(settings.headers).map(([name, value]) => [name, value.reveal()]);
  const { tls, headerFiles, proxy } = settings;
  const files = await Promise.all(pushFiles({ headerFiles, tls, proxy }).map(readQuietly));
  const secret = proxy?.auth?.secret;
  return digest([settings, headers, files, secret?.kind === "value" ? secret.value.reveal() : ""]);
}

/** The same after a restart. Without a place to remember it the host's name has to do. */
async function instanceId(files: StateFiles, shard: Shard | undefined, { log }: CommandContext): Promise<string> {
  // Shards may have one folder together, and are instances of their own all the same.
  const file = (shard?.index ?? 0) === 0 ? INSTANCE_FILE : `${INSTANCE_FILE}-${shard?.index}`;
  try {
    const known = (await files.read(file))?.trim();
    if (known !== undefined && known !== "") return known;
    const created = randomUUID();
    await files.write(file, `${created}\n`);
    return (await files.read(file))?.trim() ?? hostname();
  } catch (err) {
    log.warn({ err }, "the id of this instance cannot be kept in state_dir; using the host's name");
    return hostname();
  }
}
