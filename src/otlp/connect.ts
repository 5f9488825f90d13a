import { proxyConfig, proxyOptions } from "../config/proxy.ts";
import type { ReadFile } from "../config/reading-files.ts";
import { FileSecret, headerFault, type SecretSource } from "../config/secrets.ts";
import { readTlsFiles } from "../config/tls-files.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import type { Clock } from "../lib/clock.ts";
import type { TlsClientOptions } from "../lib/http/tls.ts";
import type { Encodings } from "./encoding.ts";
import { CONTENT_TYPES } from "./environment.ts";
import { OtlpExporter } from "./exporter.ts";
import type { ReceiverSettings, TlsSettings } from "./receiver-settings.ts";
import { Receivers } from "./receivers.ts";
import { type HeaderReader, OtlpTransport } from "./transport.ts";

export interface OtlpContext {
  /** `prtg-exporter/1.2.3` */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly readFile: ReadFile;
  /** For files that hold secrets; by default as others. */
  readonly readSecret?: ReadFile | undefined;
  readonly redactor: Redactor;
  /** See `ConnectionPoolOptions`. */
  readonly permit?: (() => void) | undefined;
  /** Where connections to the same receiver find each other; left out: nowhere. */
  readonly receivers?: Receivers | undefined;
  /** See `TransportOptions`. */
  readonly gzipRefused?: (() => void) | undefined;
}

/**
 * The way of one signal to the receiver that the settings name. Opens no connection yet, but reads every file that will be needed,
 * so that a wrong path is noticed at the start and not in the first push.
 * @throws ExporterError SECRET_UNREADABLE, SECRET_EXPOSED, CA_UNREADABLE, CONFIG_INVALID
 */
export async function connectOtlp<Request>(
  settings: ReceiverSettings,
  encodings: Encodings<Request>,
  context: OtlpContext,
): Promise<OtlpExporter<Request>> {
  const { url, protocol, compression, timeoutMs, maxRequestBytes, maxBytesPerSecond } = settings;
  const { userAgent, clock, readFile, readSecret = readFile, redactor, permit, gzipRefused } = context;
  const receiver = (context.receivers ?? new Receivers(clock)).at(url);
  const readHeaders = headerReader(settings, readSecret, redactor);
  const tls = receiverTls(settings.tls, readFile, readSecret);
  const proxy =
    settings.proxy && proxyOptions(proxyConfig(settings.proxy, { base: "", readSecret, redactor }), readFile);
  await readHeaders();
  await proxy?.authorization?.();
  await proxy?.tls?.read?.();
  if (url.startsWith("https:")) await tls.read();
  const transport = new OtlpTransport({
    ...{ url, contentType: CONTENT_TYPES[protocol], compression, timeoutMs, userAgent, clock },
    readHeaders,
    tls,
    proxy,
    permit,
    receiver,
    gzipRefused,
  });
  receiver.rate.limit(maxBytesPerSecond);
  return new OtlpExporter({ transport, receiver, protocol, encodings, clock, maxRequestBytes });
}

/**
 * Reads headers from where they are. All values are known to the redactor: a receiver may echo what it was sent.
 * The reader rejects with ExporterError SECRET_UNREADABLE while a file is missing or empty.
 */
export function headerReader(
  settings: Pick<ReceiverSettings, "headers" | "headerFiles">,
  readFile: ReadFile,
  redactor: Redactor,
): HeaderReader {
  const learn = (value: string): string => {
    redactor.add(value);
    // `Bearer <token>`: who echoes the token leaves the scheme out.
    const [, credentials] = /^[A-Za-z]+ +(\S+)$/.exec(value) ?? [];
    if (credentials !== undefined) redactor.add(credentials);
    const password = passwordOf(value);
    if (password !== undefined) redactor.add(password);
    return value;
  };
  for (const secret of Object.values(settings.headers)) learn(secret.reveal());
  const sources = new Map<string, Pick<SecretSource, "read">>();
  for (const [name, secret] of Object.entries(settings.headers)) sources.set(name, { read: async () => secret });
  for (const [name, path] of Object.entries(settings.headerFiles)) {
    sources.set(name, new FileSecret(path, path, readFile, redactor, headerFault));
  }
  return async () => {
    const headers: Record<string, string> = {};
    for (const [name, source] of sources) headers[name] = learn((await source.read()).reveal());
    return headers;
  };
}

/** Of `Basic <base64 of user:password>`: what stands behind such a header may log it in plain words. */
function passwordOf(header: string): string | undefined {
  const [, pair] = /^Basic +([\w+/=-]+)$/i.exec(header) ?? [];
  return pair === undefined ? undefined : /^[^:]*:(.*)$/s.exec(Buffer.from(pair, "base64").toString())?.[1];
}

/**
 * Options whose `read` reads the files at each call, the key with `readSecret`: client certificates are short-lived, and rotated
 * while the exporter runs. It rejects with ExporterError CA_UNREADABLE, SECRET_UNREADABLE, SECRET_EXPOSED or CONFIG_INVALID
 * when they are of no use.
 */
export function receiverTls(settings: TlsSettings, readFile: ReadFile, readSecret = readFile) {
  const { certFile, keyFile, serverName, insecureSkipVerify, fingerprints } = settings;
  return {
    serverName,
    insecureSkipVerify,
    fingerprints,
    read: async () => {
      if ((certFile === undefined) !== (keyFile === undefined)) {
        throw new ExporterError("CONFIG_INVALID", "OTLP over TLS: a client certificate and its key come together", {
          remedy: "Give both otlp.tls.cert_file and otlp.tls.key_file, or neither.",
        });
      }
      return await readTlsFiles(settings, readFile, readSecret);
    },
  } satisfies TlsClientOptions;
}
