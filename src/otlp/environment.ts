export const OTLP_PROTOCOLS = ["http/protobuf", "http/json"] as const;
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

const OTLP_COMPRESSIONS = ["none", "gzip"] as const;
export type OtlpCompression = (typeof OTLP_COMPRESSIONS)[number];

export const CONTENT_TYPES: Readonly<Record<OtlpProtocol, string>> = {
  "http/protobuf": "application/x-protobuf",
  "http/json": "application/json",
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** `url` is from the variable of the signal, `generalUrl` from the endpoint of all signals. Both are complete. */
export interface SignalEnvironment extends ReturnType<typeof readVariables> {
  readonly url: string | undefined;
  readonly generalUrl: string | undefined;
  /** Texts that do not repeat values of variables. */
  readonly warnings: readonly string[];
}

/** Paths below the endpoint of all signals. */
export const SIGNAL_PATHS = { metrics: "/v1/metrics", logs: "/v1/logs" } as const;
export type Signal = keyof typeof SIGNAL_PATHS;

const GENERAL = "OTEL_EXPORTER_OTLP_";
const PREFIXES = { metrics: `${GENERAL}METRICS_`, logs: `${GENERAL}LOGS_` } as const;

/** Longer timers of Node.js fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Reads the standard variables of OpenTelemetry. An empty variable is unset. An invalid one is ignored with a warning.
 * Variables of a signal win over those of all signals.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function parseOtlpEnvironment(env: Environment) {
  const warnings: string[] = [];
  const read = readerOf(env, warnings);
  const general = readVariables(GENERAL, read);
  const base = read(`${GENERAL}ENDPOINT`, (text) => parseHttpUrl(text)?.href, URL_EXPECTED);
  const serviceName = read("OTEL_SERVICE_NAME", asIs, "a name");
  const signal = (name: Signal): SignalEnvironment => {
    const faults: string[] = [];
    const readOwn = readerOf(env, faults);
    const url = readOwn(`${PREFIXES[name]}ENDPOINT`, (text) => parseHttpUrl(text)?.href, URL_EXPECTED);
    const own = readVariables(PREFIXES[name], readOwn);
    return {
      ...{ url, generalUrl: base && signalUrl(base, name), warnings: faults },
      protocol: own.protocol ?? general.protocol,
      headers: { ...general.headers, ...own.headers },
      timeoutMs: own.timeoutMs ?? general.timeoutMs,
      compression: own.compression ?? general.compression,
      caFile: own.caFile ?? general.caFile,
      certFile: own.certFile ?? general.certFile,
      keyFile: own.keyFile ?? general.keyFile,
    };
  };
  return {
    disabled: read("OTEL_SDK_DISABLED", parseBoolean, "true or false") ?? false,
    metrics: signal("metrics"),
    logs: signal("logs"),
    intervalMs: read("OTEL_METRIC_EXPORT_INTERVAL", parseMilliseconds, MILLISECONDS),
    exportTimeoutMs: read("OTEL_METRIC_EXPORT_TIMEOUT", parseMilliseconds, MILLISECONDS),
    resourceAttributes: {
      ...Object.fromEntries(read("OTEL_RESOURCE_ATTRIBUTES", parseKeyValues, PAIRS_EXPECTED) ?? []),
      ...(serviceName !== undefined && { "service.name": serviceName }),
    },
    warnings,
  };
}

type ReadVariable = <Value>(
  name: string,
  parse: (text: string) => Value | undefined,
  expected: string,
) => Value | undefined;

function readerOf(env: Environment, warnings: string[]): ReadVariable {
  return (name, parse, expected) => {
    const text = env[name]?.trim() ?? "";
    if (text === "") return undefined;
    const value = parse(text);
    if (value === undefined) warnings.push(`${name} is ignored: expected ${expected}`);
    return value;
  };
}

const URL_EXPECTED = "an http or https URL such as http://localhost:4318";
const PAIRS_EXPECTED = "key1=value1,key2=value2, percent-encoded";

/** Variables that exist for all signals and for each one. */
function readVariables(prefix: string, read: ReadVariable) {
  const pairs = read(`${prefix}HEADERS`, parseKeyValues, PAIRS_EXPECTED) ?? [];
  return {
    protocol: read(
      `${prefix}PROTOCOL`,
      oneOf(OTLP_PROTOCOLS),
      `${OTLP_PROTOCOLS.join(" or ")} (gRPC is not supported)`,
    ),
    headers: Object.fromEntries([...pairs].map(([name, value]) => [name.toLowerCase(), value])),
    timeoutMs: read(`${prefix}TIMEOUT`, parseMilliseconds, MILLISECONDS),
    compression: read(`${prefix}COMPRESSION`, oneOf(OTLP_COMPRESSIONS), OTLP_COMPRESSIONS.join(" or ")),
    caFile: read(`${prefix}CERTIFICATE`, asIs, "a path"),
    certFile: read(`${prefix}CLIENT_CERTIFICATE`, asIs, "a path"),
    keyFile: read(`${prefix}CLIENT_KEY`, asIs, "a path"),
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

/**
 * Reads `key1=value1,key2=value2` with percent-encoded keys and values. A later key wins. `undefined` if any part is
 * invalid.
 * @see
 * https://opentelemetry.io/docs/specs/otel/resource/sdk/#specifying-resource-information-via-an-environment-variable
 */
export function parseKeyValues(text: string): ReadonlyMap<string, string> | undefined {
  const pairs = new Map<string, string>();
  for (const part of text.split(",")) {
    // An extra comma.
    if (part.trim() === "") continue;
    const separator = part.indexOf("=");
    const key = decodePercent(part.slice(0, separator));
    const value = decodePercent(part.slice(separator + 1));
    if (separator < 1 || key === undefined || key === "" || value === undefined) return undefined;
    pairs.set(key, value);
  }
  return pairs;
}

export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}

/** `undefined` if the base is not an http or https URL. A query stays at the end. */
export function signalUrl(base: string, signal: Signal): string | undefined {
  const url = parseHttpUrl(base);
  if (url === undefined) return undefined;
  url.pathname = url.pathname.replace(/\/*$/, "") + SIGNAL_PATHS[signal];
  return url.href;
}

export function parseHttpUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  // Nothing listens on port 0.
  return (url.protocol === "http:" || url.protocol === "https:") && url.port !== "0" ? url : undefined;
}
