import { proxyConfig, proxyOptions } from "../config/proxy.ts";
import type { ReadFile } from "../config/reading-files.ts";
import type { Redactor } from "../errors/redactor.ts";
import type { Clock } from "../lib/clock.ts";
import type { Encodings } from "./encoding.ts";
import { OtlpExporter } from "./exporter.ts";
import { headerReader } from "./headers.ts";
import { CONTENT_TYPES } from "./protocols.ts";
import type { ReceiverSettings } from "./receiver-settings.ts";
import { Receivers } from "./receivers.ts";
import { receiverTls } from "./tls.ts";
import { OtlpTransport } from "./transport.ts";

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
