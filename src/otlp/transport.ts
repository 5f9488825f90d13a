import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Clock } from "../lib/clock.ts";
import { withDeadline } from "../lib/deadline.ts";
import { ConnectionPool } from "../lib/http/connection-pool.ts";
import { headerValue, mediaType } from "../lib/http/headers.ts";
import type { ProxyOptions } from "../lib/http/proxy.ts";
import type { TlsClientOptions } from "../lib/http/tls.ts";
import type { OtlpCompression } from "./environment.ts";
import type { HttpAnswer } from "./export-response.ts";
import type { Receiver } from "./receivers.ts";

/** Called for each request, so that a rotated file takes effect with the next one. */
export type HeaderReader = () => Promise<Readonly<Record<string, string>>>;

export interface TransportOptions {
  /** Complete: requests go to exactly here. */
  readonly url: string;
  readonly contentType: string;
  readonly compression: OtlpCompression;
  /** For a request as a whole, from its first byte to the last of its answer, milliseconds. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly readHeaders: HeaderReader;
  readonly tls: TlsClientOptions;
  readonly proxy?: ProxyOptions | undefined;
  /** See `ConnectionPoolOptions`. */
  readonly permit?: (() => void) | undefined;
  readonly clock: Clock;
  readonly receiver: Receiver;
  /** The receiver took a request without gzip after it had refused the same one with gzip. */
  readonly gzipRefused?: (() => void) | undefined;
}

const MAX_CONNECTIONS = 8;
/** What the protocol advises for answers. A longer one is none that we could use. */
const MAX_ANSWER_BYTES = 4 << 20;
/** OTLP repeats the same keys for each point: the quickest level already leaves a tenth. */
const GZIP_LEVEL = 1;

const compress = promisify(gzip);

/** How receivers without gzip answer: 415 says so, 400 may have another cause. */
const UNSUPPORTED_MEDIA_TYPE = 415;
const BAD_REQUEST = 400;
/** If a receiver refuses both forms of a request, 400 is about the data: no repeats for a minute. */
const GZIP_TRUST_MS = 60_000;

/**
 * POSTs bodies to one OTLP receiver. Tries once: the caller decides what a failure means. The only exception is a receiver
 * that may not know gzip.
 */
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

  /**
   * Rejects with ReceiverHeld if the receiver asked for a pause, which is not over. Rejects without a complete answer: with the
   * signal's reason, with the deadline's error, or with undici's.
   */
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
      // The machine at the other end may be gone without a word, and the name stand for another one by now.
      this.#pool.renew();
      return new Error(`no answer within ${ms / 1_000} s`);
    };
    return await withDeadline({ clock, ms, parents: [signal], expired }, (either) =>
      this.#exchange(body, encoding, either),
    );
  }

  /** Ends all connections, also busy ones. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #exchange(body: Uint8Array, encoding: "gzip" | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const { contentType, readHeaders, userAgent, receiver } = this.#options;
    const given = await readHeaders();
    signal.throwIfAborted();
    receiver.assertOpen();
    receiver.rate.sent(body.length);
    const response = await this.#pool.request({
      method: "POST",
      // Points have their own time: the same ones twice are the same.
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

/** A page for people comes from something else than a receiver. */
function isSuccess({ status, contentType }: HttpAnswer): boolean {
  return status >= 200 && status < 300 && contentType !== "text/html";
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    // The status says enough. Leaving the loop gives the connection up.
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
