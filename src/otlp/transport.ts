import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Clock } from "../lib/clock.ts";
import { withDeadline } from "../lib/deadline.ts";
import { ConnectionPool } from "../lib/http/connection-pool.ts";
import { headerValue, mediaType } from "../lib/http/headers.ts";
import type { ProxyOptions } from "../lib/http/proxy.ts";
import type { TlsClientOptions } from "../lib/http/tls.ts";
import type { HttpAnswer } from "./export-response.ts";
import type { Receiver } from "./receivers.ts";
import type { ReceiverSettings } from "./settings.ts";

export type HeaderReader = () => Promise<Readonly<Record<string, string>>>;

/** What connections to receivers have in common. */
export interface TransportContext {
  /** `prtg-exporter/1.2.3` */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly permit?: (() => void) | undefined;
  /** Called if the receiver accepts a request without gzip that it refused with gzip. */
  readonly gzipRefused?: (() => void) | undefined;
}

export interface TransportOptions
  extends TransportContext,
    Pick<ReceiverSettings, "url" | "compression" | "timeoutMs"> {
  readonly contentType: string;
  readonly readHeaders: HeaderReader;
  readonly tls: TlsClientOptions;
  readonly proxy?: ProxyOptions | undefined;
  readonly receiver: Receiver;
}

const MAX_CONNECTIONS = 8;
/** The protocol's advice for answers. Longer ones are useless. */
const MAX_ANSWER_BYTES = 4 << 20;
/** OTLP repeats the keys of each point, so the fastest level already saves 90 %. */
const GZIP_LEVEL = 1;

const compress = promisify(gzip);

/** Receivers without gzip answer 415, or 400, which may have another cause. */
const UNSUPPORTED_MEDIA_TYPE = 415;
const BAD_REQUEST = 400;
/** If a receiver refuses both forms, 400 is about the data. */
const GZIP_TRUST_MS = 60_000;

/** POSTs bodies to one OTLP receiver. Tries once, except for a receiver that may lack gzip. */
export class OtlpTransport {
  readonly #options: TransportOptions;
  readonly #pool: ConnectionPool;
  readonly #path: string;

  constructor(options: TransportOptions) {
    const { tls, proxy, permit, timeoutMs, clock } = options;
    const { origin, pathname, search } = new URL(options.url);
    this.#options = options;
    this.#path = pathname + search;
    this.#pool = new ConnectionPool({ origin, connections: MAX_CONNECTIONS, timeoutMs, clock, tls, proxy, permit });
  }

  /** Rejects with ReceiverHeld during a pause, the signal's reason, the deadline's error, or undici's error. */
  async post(content: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const { compression, url, receiver, gzipRefused, clock } = this.#options;
    const gzip = receiver.gzipAt(url);
    if (compression === "none" || gzip.refused) return await this.#send(content, undefined, signal);
    const answer = await this.#send(await compress(content, { level: GZIP_LEVEL }), "gzip", signal);
    if (isSuccess(answer)) gzip.trustEndsAt = Number.POSITIVE_INFINITY;
    if (answer.status !== UNSUPPORTED_MEDIA_TYPE && answer.status !== BAD_REQUEST) return answer;
    if (answer.status === BAD_REQUEST && clock.monotonic() < gzip.trustEndsAt) {
      // Another receiver may have taken its place: the next 400 is checked.
      if (gzip.trustEndsAt === Number.POSITIVE_INFINITY) gzip.trustEndsAt = Number.NEGATIVE_INFINITY;
      return answer;
    }
    const plain = await this.#send(content, undefined, signal);
    if (plain.status === BAD_REQUEST) gzip.trustEndsAt = clock.monotonic() + GZIP_TRUST_MS;
    if (isSuccess(plain) && !gzip.refused) {
      gzip.refused = true;
      gzipRefused?.();
    }
    return plain;
  }

  async #send(body: Uint8Array, encoding: "gzip" | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const { clock, timeoutMs: ms } = this.#options;
    const expired = (): Error => {
      // The host may have died silently, and its name may point elsewhere now.
      this.#pool.renew();
      return new Error(`no answer within ${ms / 1_000} s`);
    };
    return await withDeadline({ clock, ms, parents: [signal], expired }, (either) =>
      this.#exchange(body, encoding, either),
    );
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #exchange(body: Uint8Array, encoding: "gzip" | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const { contentType, readHeaders, userAgent, receiver } = this.#options;
    const given = await readHeaders();
    signal.throwIfAborted();
    receiver.assertOpen();
    receiver.rate.count(body.length);
    const response = await this.#pool.request({
      method: "POST",
      // Repeated points with the same time are harmless.
      idempotent: true,
      path: this.#path,
      signal,
      body,
      headers: {
        "user-agent": userAgent,
        ...given,
        "content-type": contentType,
        ...(encoding !== undefined && { "content-encoding": encoding }),
      },
    });
    return readAnswer(response);
  }
}

/** HTML does not come from a receiver. */
function isSuccess({ status, contentType }: HttpAnswer): boolean {
  return status >= 200 && status < 300 && contentType !== "text/html";
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    // The status is enough. Leaving the loop closes the connection.
    if (size > MAX_ANSWER_BYTES) {
      chunks.length = 0;
      break;
    }
    chunks.push(chunk);
  }
  return {
    status: statusCode,
    contentType: mediaType(headers),
    retryAfter: headerValue(headers, "retry-after"),
    date: headerValue(headers, "date"),
    body: Buffer.concat(chunks),
  };
}
