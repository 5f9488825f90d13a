import type { ProxySettings } from "../config/proxy-schema.ts";
import { headerFault, Secret } from "../config/secrets.ts";
import type { TlsFiles } from "../config/tls-files.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import {
  type Environment,
  type OtlpCompression,
  type OtlpProtocol,
  parseHttpUrl,
  parseOtlpEnvironment,
  SIGNAL_PATHS,
  type Signal,
  type SignalEnvironment,
  signalUrl,
} from "./environment.ts";

/** `prometheus`: names of the scrape, one resource. `otel`: names of OpenTelemetry, one resource per device. */
export type OtlpProfile = "prometheus" | "otel";

/** The section `otlp` of the configuration. Paths are ready to open. */
export interface OtlpSection extends ReceiverSection {
  /** Base URL. `/v1/metrics` and `/v1/logs` are appended unless present. */
  readonly endpoint?: string | undefined;
  /** Base URL for log records. `/v1/logs` is appended unless present. */
  readonly logsEndpoint?: string | undefined;
  readonly events?: boolean | undefined;
  readonly intervalMs?: number | undefined;
  /** Default: `prometheus`. */
  readonly profile?: OtlpProfile | undefined;
  readonly seriesEnd?: boolean | undefined;
  /** Maximum age of the newest point of a series, milliseconds. 0: do not repeat values. Default: 4 minutes. */
  readonly repeatIntervalMs?: number | undefined;
  readonly serviceName?: string | undefined;
  readonly resourceAttributes?: Readonly<Record<string, string>> | undefined;
}

export interface LogSettings extends ReceiverSettings {
  readonly profile: OtlpProfile;
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

export interface OtlpSettings extends ReceiverSettings {
  readonly intervalMs: number;
  readonly profile: OtlpProfile;
  /** Whether to send staleness markers. */
  readonly seriesEnd: boolean;
  readonly repeatIntervalMs: number;
  /** Of one push of the state, which may take several requests. At most `intervalMs`. */
  readonly exportTimeoutMs: number;
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

export interface OtlpSetup {
  readonly settings: OtlpSettings | undefined;
  readonly logs: LogSettings | undefined;
  readonly warnings: readonly string[];
}

/**
 * Combines the configuration and the standard variables. Per value, the configuration wins over variables of the
 * signal, variables of all signals, and the default. Headers and resource attributes are merged by name.
 * OTEL_SDK_DISABLED=true wins over everything.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @throws ExporterError CONFIG_INVALID for an invalid header of the variables
 */
export function otlpSettings(env: Environment, section: OtlpSection = {}): OtlpSetup {
  const given = parseOtlpEnvironment(env);
  const { events = false } = section;
  const warnings = [...given.warnings, ...given.metrics.warnings, ...(events ? given.logs.warnings : [])];
  if (given.disabled) return { settings: undefined, logs: undefined, warnings };
  const resourceAttributes = {
    ...given.resourceAttributes,
    ...section.resourceAttributes,
    ...(section.serviceName !== undefined && { "service.name": section.serviceName }),
  };
  const connect = (signal: Signal, endpoint: string | undefined): ReceiverSettings | undefined => {
    if (endpoint === undefined) return undefined;
    const receiver = receiverSettings(endpoint, given[signal], section);
    warnings.push(...receiver.warnings);
    return receiver.settings;
  };
  const metrics = connect("metrics", metricsEndpoint(section) ?? given.metrics.url ?? given.metrics.generalUrl);
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

function metricsEndpoint({ endpoint }: OtlpSection): string | undefined {
  return endpoint === undefined ? undefined : completeUrl(endpoint, "metrics");
}

/** For logs, their own variable wins over the file's endpoint of both signals. */
function logsEndpoint(section: OtlpSection, given: SignalEnvironment): string | undefined {
  const signal = section.logsEndpoint === undefined ? undefined : completeUrl(section.logsEndpoint, "logs");
  const beside = section.endpoint === undefined ? undefined : besideMetrics(section.endpoint);
  return signal ?? given.url ?? beside ?? given.generalUrl;
}

/** Users often write the complete URL. */
function completeUrl(base: string, signal: Signal): string | undefined {
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

/** Default: the usual authorities, and no client certificate. */
export interface TlsSettings extends TlsFiles {
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly fingerprints?: readonly string[] | undefined;
}

/** The part of the section `otlp` for receivers. Paths are ready to open. */
export interface ReceiverSection {
  readonly protocol?: OtlpProtocol | undefined;
  readonly timeoutMs?: number | undefined;
  readonly compression?: OtlpCompression | undefined;
  readonly maxRequestBytes?: number | undefined;
  /** Of all signals to one receiver, as sent. Only history waits. 0: no limit. */
  readonly maxBytesPerSecond?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly headerFiles?: Readonly<Record<string, string>> | undefined;
  readonly proxy?: ProxySettings | undefined;
  readonly tls?: { readonly [Key in keyof TlsSettings]?: TlsSettings[Key] | undefined } | undefined;
}

export interface ReceiverSettings {
  /** Complete, without credentials. */
  readonly url: string;
  readonly protocol: OtlpProtocol;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, Secret>>;
  /** Paths of files with one value each, by name in lower case. They win over `headers`. */
  readonly headerFiles: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: OtlpCompression;
  readonly maxRequestBytes: number;
  readonly maxBytesPerSecond: number;
  readonly tls: TlsSettings;
  /** Default: none, whatever the environment says. */
  readonly proxy?: ProxySettings | undefined;
}

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
 * @throws ExporterError CONFIG_INVALID for an invalid header of the variables
 */
export function receiverSettings(
  endpoint: string,
  given: SignalEnvironment,
  section: ReceiverSection,
): { readonly settings: ReceiverSettings; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
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
  const settings = {
    url,
    protocol: section.protocol ?? given.protocol ?? "http/protobuf",
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
    ...(section.proxy !== undefined && { proxy: section.proxy }),
  };
  return { settings, warnings };
}

/** Header names ignore case, but keys of objects do not. */
function lower(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

interface BareUrl {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** URLs appear in logs, and clients do not send credentials from them. */
function takeCredentials(text: string): BareUrl {
  const url = new URL(text);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { url: url.href, authorization: undefined };
  const pair = `${decode(username)}:${decode(password)}`;
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
