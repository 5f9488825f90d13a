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

/** `prometheus`: the names of the scrape, from one resource; `otel`: those of OpenTelemetry, from one resource for each device. */
export type OtlpProfile = "prometheus" | "otel";

/** The section `otlp` of the configuration, as checked; what is undefined was not given. Paths are ready to open. */
export interface OtlpSection extends ReceiverSection {
  /** Base URL: `/v1/metrics` is appended, and `/v1/logs` for log records, unless it ends so. */
  readonly endpoint?: string | undefined;
  /** Base URL of the receiver of log records: `/v1/logs` is appended, unless it ends so. */
  readonly logsEndpoint?: string | undefined;
  /** Whether events are pushed, as log records. */
  readonly events?: boolean | undefined;
  /** Between two pushes of the current state, milliseconds. */
  readonly intervalMs?: number | undefined;
  /** What metrics, attributes and resources are called; default: `prometheus`. */
  readonly profile?: OtlpProfile | undefined;
  /** Default: true. */
  readonly seriesEnd?: boolean | undefined;
  /** Age that the newest point of a series does not exceed, milliseconds; 0: last values are not sent again. Default: 4 minutes. */
  readonly repeatIntervalMs?: number | undefined;
  readonly serviceName?: string | undefined;
  readonly resourceAttributes?: Readonly<Record<string, string>> | undefined;
}

/** Where and how log records are pushed. */
export interface LogSettings extends ReceiverSettings {
  readonly profile: OtlpProfile;
  /** What was said of the resource; see otlpResource. */
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

/** Where, how and how often metrics are pushed. */
export interface OtlpSettings extends ReceiverSettings {
  /** Between two pushes of the current state, milliseconds. */
  readonly intervalMs: number;
  readonly profile: OtlpProfile;
  /** Whether the receiver is told of series that have ended. */
  readonly seriesEnd: boolean;
  /** Age that the newest point of a series does not exceed, milliseconds; 0: last values are not sent again. */
  readonly repeatIntervalMs: number;
  /** Of one push of the current state, which may take several requests; at most `intervalMs`. */
  readonly exportTimeoutMs: number;
  /** What was said of the resource; see otlpResource. */
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

export interface OtlpSetup {
  /** Undefined when no metrics are to be pushed. */
  readonly settings: OtlpSettings | undefined;
  /** Undefined when no events are to be pushed. */
  readonly logs: LogSettings | undefined;
  /** What was ignored and why, in words that do not repeat values. */
  readonly warnings: readonly string[];
}

/**
 * Brings together the configuration and the standard variables of OpenTelemetry. Value by value, the configuration
 * wins over OTEL_EXPORTER_OTLP_METRICS_* or _LOGS_*, that over OTEL_EXPORTER_OTLP_*, and that over the default; headers and
 * resource attributes are merged, name by name, in the same order. Pushing takes an endpoint, from wherever: without
 * one there are no settings. OTEL_SDK_DISABLED=true stops everything, also what the configuration asks for.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @throws ExporterError CONFIG_INVALID for a header of the variables that cannot be sent
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

/** Prometheus and VictoriaMetrics forget a series after five minutes; the rest of these is for the delivery. */
const REPEAT_INTERVAL_MS = 4 * 60_000;

const NO_RECEIVER_OF_LOGS =
  "otlp.events is on, but no receiver of log records is named: set otlp.logs_endpoint, otlp.endpoint, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT";

function metricsEndpoint({ endpoint }: OtlpSection): string | undefined {
  return endpoint === undefined ? undefined : completeUrl(endpoint, "metrics");
}

/** What a file says of both signals is a default for logs, which their own variable fills before. */
function logsEndpoint(section: OtlpSection, given: SignalEnvironment): string | undefined {
  const signal = section.logsEndpoint === undefined ? undefined : completeUrl(section.logsEndpoint, "logs");
  const beside = section.endpoint === undefined ? undefined : besideMetrics(section.endpoint);
  return signal ?? given.url ?? beside ?? given.generalUrl;
}

/** The URL for a signal below a base that people write by hand, who often give the whole of it. */
function completeUrl(base: string, signal: Signal): string | undefined {
  const url = parseHttpUrl(base);
  return url !== undefined && endsIn(url, signal) ? url.href : signalUrl(base, signal);
}

/** The URL for logs of a receiver whose endpoint may be the whole of that for metrics. */
function besideMetrics(endpoint: string): string | undefined {
  const url = parseHttpUrl(endpoint);
  if (url === undefined || !endsIn(url, "metrics")) return completeUrl(endpoint, "logs");
  url.pathname = url.pathname.replace(/\/+$/, "").slice(0, -SIGNAL_PATHS.metrics.length);
  return signalUrl(url.href, "logs");
}

function endsIn({ pathname }: URL, signal: Signal): boolean {
  return pathname.replace(/\/+$/, "").endsWith(SIGNAL_PATHS[signal]);
}
