import {
  type Environment,
  parseHttpUrl,
  parseOtlpEnvironment,
  SIGNAL_PATHS,
  type Signal,
  type SignalEnvironment,
  signalUrl,
} from "./environment.ts";
import { type ReceiverSection, type ReceiverSettings, receiverSettings } from "./receiver-settings.ts";

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
