import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { InstrumentationScope } from "@opentelemetry/core";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import { secretFileReader } from "../config/reading-files.ts";
import type { Shard } from "../config/shard.ts";
import type { OpenEventSink } from "../events/event.ts";
import { connectOtlp } from "../otlp/connect.ts";
import { type Encodings, LOG_ENCODINGS } from "../otlp/encoding.ts";
import { createEventSink } from "../otlp/event-sink.ts";
import type { OtlpExporter } from "../otlp/exporter.ts";
import type { RowPlacement } from "../otlp/measurement-sink.ts";
import { OtelPlacement, OtelProfile } from "../otlp/otel-placement.ts";
import { type DeviceLookup, otlpResource } from "../otlp/resources.ts";
import { SCHEMA_URL } from "../otlp/semantic-conventions.ts";
import type { LogSettings, OtlpProfile, OtlpSettings } from "../otlp/settings.ts";
import type { StateFiles } from "../state/state-files.ts";
import { digest, pushFiles, readQuietly } from "./config-digests.ts";
import { type ClientContext, readAccess, readText } from "./context.ts";

const SERVICE_VERSION = "service.version";
const INSTANCE_FILE = "instance-id";

export type ReceiverAddress = Pick<OtlpSettings, "url" | "protocol">;

/** An OTLP receiver of one signal, and the exporter's identity. */
export interface OtlpReceiver<Request> {
  readonly exporter: Pick<OtlpExporter<Request>, "export" | "close" | "takeHistoryTurn">;
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** `undefined`: names of the scrape. */
  readonly profile?: OtelProfile;
}

/** @throws ExporterError for unusable files and settings */
export async function connectReceiver<Request>(
  settings: LogSettings,
  encodings: Encodings<Request>,
  files: StateFiles,
  { clock, redactor, build, log, outgoing }: ClientContext,
  { strictSecretFiles = false, shard }: Partial<Pick<Config, "strictSecretFiles" | "shard">> = {},
): Promise<OtlpReceiver<Request>> {
  const exporter = await connectOtlp(settings, encodings, {
    userAgent: `prtg-exporter/${build.version}`,
    clock,
    readFile: readText,
    // The start has logged exposed files: no line for each request.
    readSecret: secretFileReader({
      readFile: readText,
      readAccess: strictSecretFiles ? readAccess : undefined,
      strict: strictSecretFiles,
      onExposed: () => undefined,
    }),
    redactor,
    permit: outgoing.permit,
    receivers: outgoing.receivers,
    gzipRefused: () => {
      const fields = { endpoint: settings.url };
      log.warn(fields, "the OTLP receiver rejects gzip: the exporter now sends uncompressed requests");
    },
  });
  const resource = otlpResource(settings.resourceAttributes, {
    version: build.version,
    instanceId: await instanceId(files, shard, log),
  });
  return { exporter, resource, scope: { name: "prtg-exporter", version: build.version } };
}

export function withProfile<Request>(receiver: OtlpReceiver<Request>, profile: OtlpProfile): OtlpReceiver<Request> {
  if (profile === "prometheus") return receiver;
  const { resource, scope } = receiver;
  return { ...receiver, scope: { ...scope, schemaUrl: SCHEMA_URL }, profile: new OtelProfile(resource) };
}

/**
 * For metrics. Prometheus writes `target_info` for attributes beside service and instance, with the times of the points. After
 * a push of the state, older measurements would be out of order, and Prometheus refuses the whole request. So the version is
 * only in the scope.
 */
export function forMetrics<Request>(
  receiver: OtlpReceiver<Request>,
  { profile, resourceAttributes }: Pick<LogSettings, "profile" | "resourceAttributes">,
): OtlpReceiver<Request> {
  if (profile === "otel" || SERVICE_VERSION in resourceAttributes) return withProfile(receiver, profile);
  const { [SERVICE_VERSION]: _version, ...attributes } = receiver.resource.attributes;
  return { ...receiver, resource: resourceFromAttributes(attributes) };
}

/** Places the measurements of one server. */
export function rowPlacement(profile: OtelProfile, server: string, lookup: DeviceLookup): RowPlacement {
  const placement = new OtelPlacement(profile, lookup);
  return {
    place: (family, labels) => placement.place(family, labels),
    deviceOf: (sensorId) => lookup.ofSensor(server, sensorId)?.id,
  };
}

/** An OTLP receiver of events, which may differ from that of metrics. */
export interface EventReceiver {
  readonly address: ReceiverAddress;
  /** Digest of the settings and the content of their files. */
  readonly digest: string;
  readonly openSink: OpenEventSink;
  /** Call after the last use of a sink. */
  close(): Promise<void>;
}

/** @throws ExporterError for unusable files and settings */
export async function connectEventReceiver(
  settings: LogSettings,
  config: Config,
  files: StateFiles,
  context: ClientContext,
): Promise<EventReceiver> {
  const { url, protocol, profile } = settings;
  const receiver = withProfile(await connectReceiver(settings, LOG_ENCODINGS, files, context, config), profile);
  return {
    address: { url, protocol },
    digest: await digestReceiver(settings),
    openSink: () => createEventSink({ ...receiver, isFromDevice: receiver.profile !== undefined }),
    close: () => receiver.exporter.close(),
  };
}

/** Digest of the settings and the content of their files. */
export async function digestReceiver(settings: LogSettings): Promise<string> {
  const headers = Object.entries(settings.headers).map(([name, value]) => [name, value.reveal()]);
  const { tls, headerFiles, proxy } = settings;
  const files = await Promise.all(pushFiles({ headerFiles, tls, proxy }).map(readQuietly));
  const secret = proxy?.auth?.secret;
  return digest([settings, headers, files, secret?.kind === "value" ? secret.value.reveal() : ""]);
}

/** Stable over restarts. Without `state_dir`: the host name. */
async function instanceId(files: StateFiles, shard: Shard | undefined, log: Logger): Promise<string> {
  // Shards may share a folder.
  const file = (shard?.index ?? 0) === 0 ? INSTANCE_FILE : `${INSTANCE_FILE}-${shard?.index}`;
  try {
    const known = (await files.read(file))?.trim();
    if (known !== undefined && known !== "") return known;
    const created = randomUUID();
    await files.write(file, `${created}\n`);
    return (await files.read(file))?.trim() ?? hostname();
  } catch (err) {
    log.warn({ err }, "cannot store the id of this instance in state_dir: using the host name");
    return hostname();
  }
}
