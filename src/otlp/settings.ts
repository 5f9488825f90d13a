import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { headerFault, Secret } from "../config/secrets.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { OtlpCompression, OtlpProtocol } from "./encoding.ts";
import { type Environment, metricsUrl, parseHttpUrl, parseOtlpEnvironment, SIGNAL_PATH } from "./environment.ts";
import type { TlsSettings } from "./tls.ts";

/** The section `otlp` of the configuration, as checked; what is undefined was not given. Paths are ready to open. */
export interface OtlpSection {
  /** Base URL: `/v1/metrics` is appended, unless it ends so. */
  readonly endpoint?: string | undefined;
  readonly protocol?: OtlpProtocol | undefined;
  /** Between two pushes of the current state, milliseconds. */
  readonly intervalMs?: number | undefined;
  /** Of one request, milliseconds. */
  readonly timeoutMs?: number | undefined;
  readonly compression?: OtlpCompression | undefined;
  /** The most that the body of a request may have, before compression. */
  readonly maxRequestBytes?: number | undefined;
  /** Header values by name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Paths of files with one header value each, by name. */
  readonly headerFiles?: Readonly<Record<string, string>> | undefined;
  readonly tls?: { readonly [Key in keyof TlsSettings]?: TlsSettings[Key] | undefined } | undefined;
  readonly serviceName?: string | undefined;
  readonly resourceAttributes?: Readonly<Record<string, string>> | undefined;
}

/** Where, how and how often to push. */
export interface OtlpSettings {
  /** Complete: requests go to exactly here. No credentials in it. */
  readonly url: string;
  readonly protocol: OtlpProtocol;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, Secret>>;
  /** Paths of files that hold one value each, by name in lower case. */
  readonly headerFiles: Readonly<Record<string, string>>;
  /** Of one request, milliseconds. */
  readonly timeoutMs: number;
  readonly compression: OtlpCompression;
  /** The most that the body of a request may have, before compression. */
  readonly maxRequestBytes: number;
  readonly tls: TlsSettings;
  /** Between two pushes of the current state, milliseconds. */
  readonly intervalMs: number;
  /** Of one push of the current state, which may take several requests; at most `intervalMs`. */
  readonly exportTimeoutMs: number;
  /** What was said of the resource; see otlpResource. */
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

export interface OtlpSetup {
  /** Undefined when nothing is to be pushed. */
  readonly settings: OtlpSettings | undefined;
  /** What was ignored and why, in words that do not repeat values. */
  readonly warnings: readonly string[];
}

/** Receivers that also speak gRPC refuse messages of 4 MiB there, and what stands before them shares the habit. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024 - 1;

/** Headers about the body and the connection are ours to set. */
const OUR_HEADERS = /^(content-(type|encoding|length)|host|connection|keep-alive|transfer-encoding|expect|upgrade)$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * Brings together the configuration and the standard variables of OpenTelemetry. Value by value, the configuration
 * wins over OTEL_EXPORTER_OTLP_METRICS_*, that over OTEL_EXPORTER_OTLP_*, and that over the default; headers and
 * resource attributes are merged, name by name, in the same order. Pushing takes an endpoint, from wherever: without
 * one there are no settings. OTEL_SDK_DISABLED=true stops everything, also what the configuration asks for.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @throws ExporterError CONFIG_INVALID for a header of the variables that cannot be sent
 */
export function otlpSettings(env: Environment, section: OtlpSection = {}): OtlpSetup {
  const given = parseOtlpEnvironment(env);
  const warnings = [...given.warnings];
  const endpoint = section.endpoint === undefined ? given.url : completeMetricsUrl(section.endpoint);
  if (given.disabled || endpoint === undefined) return { settings: undefined, warnings };
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
    // To leave it out, as other mistakes there, would send data without what authorizes it.
    const text = `OTEL_EXPORTER_OTLP_HEADERS: the value of ${JSON.stringify(name)} ${fault}`;
    throw new ExporterError("CONFIG_INVALID", text, { remedy: "Correct the variable, or unset it." });
  }
  const { tls = {} } = section;
  const intervalMs = section.intervalMs ?? given.intervalMs ?? 60_000;
  return {
    settings: {
      url,
      protocol: section.protocol ?? given.protocol ?? "http/protobuf",
      headers: Object.fromEntries(usable(headers).map(([name, value]) => [name, new Secret(value)])),
      headerFiles: Object.fromEntries(usable(lower(section.headerFiles))),
      timeoutMs: section.timeoutMs ?? given.timeoutMs ?? 10_000,
      compression: section.compression ?? given.compression ?? "none",
      maxRequestBytes: section.maxRequestBytes ?? MAX_REQUEST_BYTES,
      tls: {
        caFile: tls.caFile ?? given.caFile,
        certFile: tls.certFile ?? given.certFile,
        keyFile: tls.keyFile ?? given.keyFile,
        serverName: tls.serverName,
        insecureSkipVerify: tls.insecureSkipVerify ?? false,
      },
      intervalMs,
      exportTimeoutMs: Math.min(given.exportTimeoutMs ?? 30_000, intervalMs),
      resourceAttributes: {
        ...given.resourceAttributes,
        ...section.resourceAttributes,
        ...(section.serviceName !== undefined && { "service.name": section.serviceName }),
      },
    },
    warnings,
  };
}

/** With names in lower case: HTTP does not tell `Authorization` from `authorization`, an object does. */
function lower(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The URL for metrics below a base that people write by hand, who often give the whole of it. */
function completeMetricsUrl(base: string): string | undefined {
  const url = parseHttpUrl(base);
  return url?.pathname.replace(/\/+$/, "").endsWith(SIGNAL_PATH) ? url.href : metricsUrl(base);
}

interface BareUrl {
  /** Without user and password. */
  readonly url: string;
  /** `Authorization` for the user and password that were there. */
  readonly authorization: string | undefined;
}

/** Takes credentials out of a URL: it is shown in logs, and no client sends them from there. */
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
    // A bare percent sign.
    return text;
  }
}

/** What the exporter knows of itself. */
export interface Identity {
  readonly version: string;
  /** The same after a restart, another for each replica: receivers make `instance` of it. */
  readonly instanceId: string;
}

/** Whom the metrics are from. What was given (configuration, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME) wins. */
export function otlpResource(given: Readonly<Record<string, string>>, { version, instanceId }: Identity): Resource {
  return resourceFromAttributes({
    "service.name": "prtg-exporter",
    "service.instance.id": instanceId,
    "service.version": version,
    ...given,
  });
}
