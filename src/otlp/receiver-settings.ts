import type { ProxySettings } from "../config/proxy-schema.ts";
import { headerFault, Secret } from "../config/secrets.ts";
import type { TlsFiles } from "../config/tls-files.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { OtlpCompression, OtlpProtocol, SignalEnvironment } from "./environment.ts";

/** All undefined: the usual authorities, and no client certificate. */
export interface TlsSettings extends TlsFiles {
  /** Name to expect in the certificate, where it differs from the host of the URL. */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** See `TlsClientOptions`. */
  readonly fingerprints?: readonly string[] | undefined;
}

/** What the section `otlp` says of receivers of all signals; what is undefined was not given. Paths are ready to open. */
export interface ReceiverSection {
  readonly protocol?: OtlpProtocol | undefined;
  /** Of one request, milliseconds. */
  readonly timeoutMs?: number | undefined;
  readonly compression?: OtlpCompression | undefined;
  /** The most that the body of a request may have, before compression. */
  readonly maxRequestBytes?: number | undefined;
  /** As sent, for all signals of one receiver together. History waits, the rest does not. 0: no limit. */
  readonly maxBytesPerSecond?: number | undefined;
  /** Header values by name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Paths of files with one header value each, by name. */
  readonly headerFiles?: Readonly<Record<string, string>> | undefined;
  readonly proxy?: ProxySettings | undefined;
  readonly tls?: { readonly [Key in keyof TlsSettings]?: TlsSettings[Key] | undefined } | undefined;
}

/** Where and how one signal goes. */
export interface ReceiverSettings {
  /** Complete: requests go to exactly here. No credentials in it. */
  readonly url: string;
  readonly protocol: OtlpProtocol;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, Secret>>;
  /** Paths of files with one value each, by name in lower case. They win over `headers`. */
  readonly headerFiles: Readonly<Record<string, string>>;
  /** Of one request, milliseconds. */
  readonly timeoutMs: number;
  readonly compression: OtlpCompression;
  /** The most that the body of a request may have, before compression. */
  readonly maxRequestBytes: number;
  /** See `ReceiverSection`. */
  readonly maxBytesPerSecond: number;
  readonly tls: TlsSettings;
  /** Left out: none, whatever the environment says. */
  readonly proxy?: ProxySettings | undefined;
}

/** Receivers that also speak gRPC refuse messages of 4 MiB there, and what stands before them shares the habit. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024 - 1;

/** Spreads the first history of 8,000 channels (about 50 MB with gzip) over a minute; their measurements take 1 % of it. */
const MAX_BYTES_PER_SECOND = 1024 * 1024;

/** Headers about the body and the connection are ours to set. */
const OUR_HEADERS = /^(content-(type|encoding|length)|host|connection|keep-alive|transfer-encoding|expect|upgrade)$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * How the receiver at `endpoint` is spoken to; that may have credentials in it. Value by value, and headers name by name, the
 * configuration wins over the environment.
 * @throws ExporterError CONFIG_INVALID for a header of the variables that cannot be sent
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
    // To leave it out, as other mistakes there, would send data without what authorizes it.
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

/** With names in lower case: HTTP does not tell `Authorization` from `authorization`, an object does. */
function lower(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
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
