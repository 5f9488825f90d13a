import type { ReadFile } from "../config/reading-files.ts";
import { proxyConfig, proxyOptions } from "../config/resolve.ts";
import { fileSecret, headerFault, type SecretSource } from "../config/secrets.ts";
import { readTlsFiles } from "../config/tls-files.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import type { TlsClientOptions } from "../lib/http/tls.ts";
import { RETRIES } from "../lib/retry-delay.ts";
import type { Encodings } from "./encoding.ts";
import { CONTENT_TYPES } from "./environment.ts";
import { OtlpExporter } from "./exporter.ts";
import { type HeaderReader, OtlpTransport, Receivers, type TransportContext } from "./receivers.ts";
import type { ReceiverSettings, TlsSettings } from "./settings.ts";

export interface OtlpContext extends TransportContext {
  readonly readFile: ReadFile;
  /** Reads files with secrets. Default: `readFile`. */
  readonly readSecret?: ReadFile | undefined;
  readonly redactor: Redactor;
  /** Shares pauses and byte rates with other connections. Default: shares nothing. */
  readonly receivers?: Receivers | undefined;
  /** See `OtlpExporterOptions`. */
  readonly retryPauseMs?: number | undefined;
}

/**
 * Connects one signal to its receiver. Opens no connection yet, but reads every file, so that a wrong path shows at the
 * start.
 * @throws ExporterError SECRET_UNREADABLE, SECRET_EXPOSED, CA_UNREADABLE, CONFIG_INVALID
 */
export async function connectOtlp<Request>(
  settings: ReceiverSettings,
  encodings: Encodings<Request>,
  context: OtlpContext,
): Promise<OtlpExporter<Request>> {
  const { url, protocol, maxRequestBytes, maxBytesPerSecond } = settings;
  const { clock, readFile, readSecret = readFile, redactor, retryPauseMs = RETRIES.otlpRequest.firstMs } = context;
  const receiver = (context.receivers ?? new Receivers(clock)).at(url);
  const readHeaders = headerReader(settings, readSecret, redactor);
  const tls = receiverTls(settings.tls, readFile, readSecret);
  const proxy =
    settings.proxy && proxyOptions(proxyConfig(settings.proxy, { base: "", readSecret, redactor }), readFile);
  await readHeaders();
  await proxy?.authorization?.();
  await proxy?.tls?.read?.();
  if (url.startsWith("https:")) await tls.read();
  const contentType = CONTENT_TYPES[protocol];
  const transport = new OtlpTransport({ ...settings, ...context, contentType, readHeaders, tls, proxy, receiver });
  receiver.rate.limit(maxBytesPerSecond);
  return new OtlpExporter({ transport, receiver, protocol, encodings, clock, maxRequestBytes, retryPauseMs });
}

/**
 * Reads the headers, and adds all values to the redactor because a receiver may echo them. The reader rejects with
 * ExporterError SECRET_UNREADABLE if a file is missing or empty.
 */
function headerReader(
  settings: Pick<ReceiverSettings, "headers" | "headerFiles">,
  readFile: ReadFile,
  redactor: Redactor,
): HeaderReader {
  const learn = (value: string): string => {
    redactor.add(value);
    // A program that echoes `Bearer <token>` may leave out the scheme.
    const [, credentials] = /^[A-Za-z]+ +(\S+)$/.exec(value) ?? [];
    if (credentials !== undefined) redactor.add(credentials);
    const password = passwordOf(value);
    if (password !== undefined) redactor.add(password);
    return value;
  };
  const sources = new Map<string, Pick<SecretSource, "read">>();
  for (const [name, secret] of Object.entries(settings.headers)) {
    // A header file may replace it.
    learn(secret.reveal());
    sources.set(name, { read: async () => secret });
  }
  for (const [name, path] of Object.entries(settings.headerFiles)) {
    sources.set(name, fileSecret(path, path, readFile, redactor, headerFault));
  }
  return async () => {
    const headers: Record<string, string> = {};
    for (const [name, source] of sources) headers[name] = learn((await source.read()).reveal());
    return headers;
  };
}

/** The receiver may log the password of `Basic <base64 of user:password>` as plain text. */
function passwordOf(header: string): string | undefined {
  const [, pair] = /^Basic +([\w+/=-]+)$/i.exec(header) ?? [];
  return pair === undefined ? undefined : /^[^:]*:(.*)$/s.exec(Buffer.from(pair, "base64").toString())?.[1];
}

/**
 * `read` reads the files at each call, because client certificates are rotated while the exporter runs. It rejects with
 * ExporterError CA_UNREADABLE, SECRET_UNREADABLE, SECRET_EXPOSED or CONFIG_INVALID.
 */
function receiverTls(settings: TlsSettings, readFile: ReadFile, readSecret = readFile) {
  const { certFile, keyFile, serverName, insecureSkipVerify, fingerprints } = settings;
  return {
    serverName,
    insecureSkipVerify,
    fingerprints,
    read: async () => {
      if ((certFile === undefined) !== (keyFile === undefined)) {
        throw new ExporterError("CONFIG_INVALID", "OTLP over TLS: the client certificate or its key is missing", {
          remedy: "Give both otlp.tls.cert_file and otlp.tls.key_file, or neither.",
        });
      }
      return await readTlsFiles(settings, readFile, readSecret);
    },
  } satisfies TlsClientOptions;
}
