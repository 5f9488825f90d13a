import type { ProxySettings } from "../config/proxy-schema.ts";
import { headerFault, Secret } from "../config/secrets.ts";
import type { TlsFiles } from "../config/tls-files.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { OtlpCompression, OtlpProtocol, SignalEnvironment } from "./environment.ts";

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
