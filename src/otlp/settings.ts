import type { z } from "zod";
import type { otlpSchema } from "../config/otlp-schema.ts";
import { headerFault, Secret } from "../config/secrets.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import {
  decodePercent,
  type Environment,
  parseHttpUrl,
  parseOtlpEnvironment,
  SIGNAL_PATHS,
  type Signal,
  type SignalEnvironment,
  signalUrl,
} from "./environment.ts";

/** `prometheus`: names of the scrape, one resource. `otel`: names of OpenTelemetry, one resource per device. */
export type OtlpProfile = "prometheus" | "otel";

type Section = z.output<typeof otlpSchema>;
export type TlsSettings = Readonly<NonNullable<Section["tls"]>>;

/** The section `otlp` of the configuration, in parts or as a whole. Paths are ready to open. */
export type OtlpSection = Readonly<Partial<Omit<Section, "tls"> & { readonly tls: Partial<TlsSettings> | undefined }>>;

export interface LogSettings extends ReceiverSettings {
  readonly profile: OtlpProfile;
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

export interface OtlpSettings extends LogSettings {
  readonly intervalMs: number;
  /** Whether to send staleness markers. */
  readonly seriesEnd: boolean;
  readonly repeatIntervalMs: number;
  /** Limit for one push of the state, which may take several requests. At most `intervalMs`. */
  readonly exportTimeoutMs: number;
}

/**
 * Combines the configuration and the standard variables. Per value, the configuration wins over variables of the
 * signal, variables of all signals, and the default. Headers and resource attributes are merged by name.
 * OTEL_SDK_DISABLED=true wins over everything.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @throws ExporterError CONFIG_INVALID for an invalid header of the variables
 */
export function otlpSettings(env: Environment, section: OtlpSection = {}) {
  const given = parseOtlpEnvironment(env);
  const { events = false } = section;
  const warnings = [...given.warnings, ...given.metrics.warnings, ...(events ? given.logs.warnings : [])];
  if (given.disabled) return { settings: undefined, logs: undefined, warnings };
  const resourceAttributes = {
    ...given.resourceAttributes,
    ...section.resourceAttributes,
    ...(section.serviceName !== undefined && { "service.name": section.serviceName }),
  };
  const connect = (signal: Signal, endpoint: string | undefined) =>
    endpoint === undefined ? undefined : receiverSettings(endpoint, given[signal], section, warnings);
  const metrics = connect(
    "metrics",
    completeUrl(section.endpoint, "metrics") ?? given.metrics.url ?? given.metrics.generalUrl,
  );
  const logs = events ? connect("logs", logsEndpoint(section, given.logs)) : undefined;
  if (events && logs === undefined) warnings.push(NO_RECEIVER_OF_LOGS);
  const { profile = "prometheus" } = section;
  const intervalMs = section.intervalMs ?? given.intervalMs ?? 60_000;
  const exportTimeoutMs = Math.min(given.exportTimeoutMs ?? 30_000, intervalMs);
  return {
    settings: metrics && {
      ...metrics,
      intervalMs,
      profile,
      seriesEnd: section.seriesEnd ?? true,
      repeatIntervalMs: section.repeatIntervalMs ?? REPEAT_INTERVAL_MS,
      exportTimeoutMs,
      resourceAttributes,
    },
    logs: logs && { ...logs, profile, resourceAttributes },
    warnings: [...new Set(warnings)],
  };
}

/** Prometheus and VictoriaMetrics forget a series after five minutes. The delivery takes the rest. */
const REPEAT_INTERVAL_MS = 4 * 60_000;

const NO_RECEIVER_OF_LOGS =
  "otlp.events is true, but there is no receiver of log records: set otlp.logs_endpoint, otlp.endpoint, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT";

/** For logs, their own variable wins over the file's endpoint of both signals. */
function logsEndpoint(section: OtlpSection, given: SignalEnvironment): string | undefined {
  const beside = section.endpoint === undefined ? undefined : besideMetrics(section.endpoint);
  return completeUrl(section.logsEndpoint, "logs") ?? given.url ?? beside ?? given.generalUrl;
}

/** Users often write the complete URL. */
function completeUrl(base: string | undefined, signal: Signal): string | undefined {
  if (base === undefined) return undefined;
  const url = parseHttpUrl(base);
  return url !== undefined && endsIn(url, signal) ? url.href : signalUrl(base, signal);
}

/** The endpoint may be the complete URL for metrics. */
function besideMetrics(endpoint: string): string | undefined {
  const url = parseHttpUrl(endpoint);
  if (url === undefined || !endsIn(url, "metrics")) return completeUrl(endpoint, "logs");
  url.pathname = url.pathname.replace(/\/+$/, "").slice(0, -SIGNAL_PATHS.metrics.length);
  return signalUrl(url.href, "logs");
}

function endsIn({ pathname }: URL, signal: Signal): boolean {
  return pathname.replace(/\/+$/, "").endsWith(SIGNAL_PATHS[signal]);
}

export type ReceiverSettings = Readonly<ReturnType<typeof receiverSettings>>;

/** Receivers with gRPC, and proxies before them, refuse 4 MiB. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024 - 1;

/** Spreads the first history of 8,000 channels (about 50 MB with gzip) over a minute. */
const MAX_BYTES_PER_SECOND = 1024 * 1024;

/** Users cannot set headers of the body and the connection. */
const OUR_HEADERS = /^(content-(type|encoding|length)|host|connection|keep-alive|transfer-encoding|expect|upgrade)$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * The configuration wins over the environment, value by value.
 * @param endpoint May contain credentials.
 * @param warnings Gets what the log reports.
 * @throws ExporterError CONFIG_INVALID for an invalid header of the variables
 */
function receiverSettings(endpoint: string, given: SignalEnvironment, section: OtlpSection, warnings: string[]) {
  const { url, authorization } = takeCredentials(endpoint);
  const usable = <Value>(headers: Readonly<Record<string, Value>>): [string, Value][] =>
    Object.entries(headers).filter(([name]) => {
      const isUsable = HEADER_NAME.test(name) && !OUR_HEADERS.test(name);
      if (!isUsable) warnings.push(`the OTLP header ${JSON.stringify(name)} is ignored: it cannot be set`);
      return isUsable;
    });
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...given.headers,
    ...lower(section.headers),
  };
  for (const [name, value] of Object.entries(given.headers)) {
    const fault = headerFault(value);
    if (fault === undefined || name in lower(section.headers)) continue;
    // Ignoring it would send data without its authorization.
    const text = `OTEL_EXPORTER_OTLP_HEADERS: the value of ${JSON.stringify(name)} ${fault}`;
    throw new ExporterError("CONFIG_INVALID", text, { remedy: "Correct the variable, or unset it." });
  }
  const { tls = {} } = section;
  return {
    /** Complete, without credentials. */
    url,
    protocol: section.protocol ?? given.protocol ?? "http/protobuf",
    /** Values by name in lower case. Those of files win. */
    headers: Object.fromEntries(usable(headers).map(([name, value]) => [name, new Secret(value)])),
    headerFiles: Object.fromEntries(usable(lower(section.headerFiles))),
    timeoutMs: section.timeoutMs ?? given.timeoutMs ?? 10_000,
    compression: section.compression ?? given.compression ?? "gzip",
    maxRequestBytes: section.maxRequestBytes ?? MAX_REQUEST_BYTES,
    maxBytesPerSecond: section.maxBytesPerSecond ?? MAX_BYTES_PER_SECOND,
    tls: {
      caFile: tls.caFile ?? given.caFile,
      certFile: tls.certFile ?? given.certFile,
      keyFile: tls.keyFile ?? given.keyFile,
      serverName: tls.serverName,
      fingerprints: tls.fingerprints,
      insecureSkipVerify: tls.insecureSkipVerify ?? false,
    },
    /** Default: none, whatever the environment says. */
    ...(section.proxy !== undefined && { proxy: section.proxy }),
  };
}

/** Header names ignore case, but keys of objects do not. */
function lower(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** URLs appear in logs, and clients do not send credentials from them. */
function takeCredentials(text: string): { readonly url: string; readonly authorization?: string } {
  const url = new URL(text);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { url: url.href };
  const pair = [username, password].map((text) => decodePercent(text) ?? text).join(":");
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
