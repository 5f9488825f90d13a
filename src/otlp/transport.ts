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
import type { HeaderReader } from "./headers.ts";

export interface TransportOptions {
  /** Complete: requests go to exactly here. */
  readonly url: string;
  readonly contentType: string;
  readonly compression: "gzip" | "none";
  /** For a request as a whole, from its first byte to the last of its answer, milliseconds. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly readHeaders: HeaderReader;
  readonly tls: TlsClientOptions;
  readonly proxy?: ProxyOptions | undefined;
  /** See `ConnectionPoolOptions`. */
  readonly permit?: (() => void) | undefined;
  readonly clock: Clock;
}

const MAX_CONNECTIONS = 8;
/** What the protocol advises for answers. A longer one is none that we could use. */
const MAX_ANSWER_BYTES = 4 << 20;
/** OTLP repeats the same keys for each point: the quickest level already leaves a tenth. */
const GZIP_LEVEL = 1;

const compress = promisify(gzip);

/** POSTs bodies to one OTLP receiver. Tries once: the caller decides what a failure means. */
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

  /** Rejects when no complete answer came: with the signal's reason, with the deadline's error, or with undici's. */
  async post(body: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const { clock, timeoutMs: ms } = this.#options;
    const expired = (): Error => {
      // The machine at the other end may be gone without a word, and the name stand for another one by now.
      this.#pool.renew();
      return new Error(`no answer within ${ms / 1_000} s`);
    };
    return await withDeadline({ clock, ms, parents: [signal], expired }, (either) => this.#exchange(body, either));
  }

  /** Ends all connections, also busy ones. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #exchange(content: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const { compression, contentType, readHeaders, userAgent } = this.#options;
    const given = await readHeaders();
    const body = compression === "gzip" ? await compress(content, { level: GZIP_LEVEL }) : content;
    signal.throwIfAborted();
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
        ...(compression === "gzip" && { "content-encoding": "gzip" }),
      },
    });
    return readAnswer(response);
  }
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
    body: Buffer.concat(chunks),
  };
}
