import { OTLP_COMPRESSIONS, OTLP_PROTOCOLS, type OtlpCompression, type OtlpProtocol } from "./encoding.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the standard variables say; undefined where they say nothing. */
export interface OtlpEnvironment {
  readonly disabled: boolean;
  /** Complete. */
  readonly url: string | undefined;
  readonly protocol: OtlpProtocol | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
  readonly compression: OtlpCompression | undefined;
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly intervalMs: number | undefined;
  readonly exportTimeoutMs: number | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  /** What is wrong, in words that do not repeat the value. */
  readonly warnings: readonly string[];
}

const GENERAL = "OTEL_EXPORTER_OTLP_";
const METRICS = "OTEL_EXPORTER_OTLP_METRICS_";

/** Node's timers take no more and fire at once instead. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Reads the standard variables of OpenTelemetry. An empty one is unset; so is, with a warning, one that cannot be
 * understood, as the specification has it.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function parseOtlpEnvironment(env: Environment): OtlpEnvironment {
  const warnings: string[] = [];
  const read = <Value>(name: string, parse: (text: string) => Value | undefined, expected: string) => {
    const text = env[name]?.trim() ?? "";
    if (text === "") return undefined;
    const value = parse(text);
    if (value === undefined) warnings.push(`${name} is ignored: expected ${expected}`);
    return value;
  };
  // Both are read, so that a mistake in the one that does not count is told all the same.
  const either = <Value>(name: string, parse: (text: string) => Value | undefined, expected: string) => {
    const general = read(GENERAL + name, parse, expected);
    return read(METRICS + name, parse, expected) ?? general;
  };
  const url = "an http or https URL such as http://localhost:4318";
  const base = read(`${GENERAL}ENDPOINT`, metricsUrl, url);
  const pairs = (name: string) => read(name, parseKeyValues, "key1=value1,key2=value2, percent-encoded") ?? [];
  const serviceName = read("OTEL_SERVICE_NAME", asIs, "a name");
  return {
    disabled: read("OTEL_SDK_DISABLED", parseBoolean, "true or false") ?? false,
    url: read(`${METRICS}ENDPOINT`, (text) => parseHttpUrl(text)?.href, url) ?? base,
    protocol: either("PROTOCOL", oneOf(OTLP_PROTOCOLS), `${OTLP_PROTOCOLS.join(" or ")} (there is no gRPC here)`),
    headers: Object.fromEntries([...pairs(`${GENERAL}HEADERS`), ...pairs(`${METRICS}HEADERS`)].map(lowerCaseName)),
    timeoutMs: either("TIMEOUT", parseMilliseconds, MILLISECONDS),
    compression: either("COMPRESSION", oneOf(OTLP_COMPRESSIONS), OTLP_COMPRESSIONS.join(" or ")),
    caFile: either("CERTIFICATE", asIs, "a path"),
    certFile: either("CLIENT_CERTIFICATE", asIs, "a path"),
    keyFile: either("CLIENT_KEY", asIs, "a path"),
    intervalMs: read("OTEL_METRIC_EXPORT_INTERVAL", parseMilliseconds, MILLISECONDS),
    exportTimeoutMs: read("OTEL_METRIC_EXPORT_TIMEOUT", parseMilliseconds, MILLISECONDS),
    resourceAttributes: {
      ...Object.fromEntries(pairs("OTEL_RESOURCE_ATTRIBUTES")),
      ...(serviceName !== undefined && { "service.name": serviceName }),
    },
    warnings,
  };
}

const MILLISECONDS = `a whole number of milliseconds from 1 to ${MAX_TIMER_MS}`;

function parseMilliseconds(text: string): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) : 0;
  return ms >= 1 && ms <= MAX_TIMER_MS ? ms : undefined;
}

function parseBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : undefined;
}

function oneOf<const Choice extends string>(choices: readonly Choice[]): (text: string) => Choice | undefined {
  return (text) => choices.find((choice) => choice === text.toLowerCase());
}

function asIs(text: string): string {
  return text;
}

function lowerCaseName([name, value]: readonly [string, string]): [string, string] {
  return [name.toLowerCase(), value];
}

/**
 * Reads `key1=value1,key2=value2` with percent-encoded keys and values, as OTEL_EXPORTER_OTLP_HEADERS and
 * OTEL_RESOURCE_ATTRIBUTES have it; a later key wins. Undefined when any part of it is not of that form: half of what
 * was meant is worse than nothing.
 * @see https://opentelemetry.io/docs/specs/otel/resource/sdk/#specifying-resource-information-via-an-environment-variable
 */
export function parseKeyValues(text: string): ReadonlyMap<string, string> | undefined {
  const pairs = new Map<string, string>();
  for (const part of text.split(",")) {
    // A comma too many does no harm.
    if (part.trim() === "") continue;
    const separator = part.indexOf("=");
    const key = decodePercent(part.slice(0, separator));
    const value = decodePercent(part.slice(separator + 1));
    if (separator < 1 || key === undefined || key === "" || value === undefined) return undefined;
    pairs.set(key, value);
  }
  return pairs;
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}

export const SIGNAL_PATH = "/v1/metrics";

/** The URL for metrics below a base; undefined when the base is no http or https URL. A query stays at the end. */
export function metricsUrl(base: string): string | undefined {
  const url = parseHttpUrl(base);
  if (url === undefined) return undefined;
  url.pathname = url.pathname.replace(/\/*$/, "") + SIGNAL_PATH;
  return url.href;
}

export function parseHttpUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  // Nothing listens on port 0.
  return (url.protocol === "http:" || url.protocol === "https:") && url.port !== "0" ? url : undefined;
}
