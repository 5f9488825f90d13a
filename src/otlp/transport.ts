import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Clock } from "../lib/clock.ts";
import { KeptConnections } from "../lib/http/kept-connections.ts";
import type { HttpAnswer } from "./answer.ts";
import type { HeaderReader } from "./headers.ts";
import { type TlsReader, tlsConnector } from "./tls.ts";

export interface TransportOptions {
  /** Complete: requests go to exactly here. */
  readonly url: string;
  readonly contentType: string;
  readonly compression: "gzip" | "none";
  /** For a request as a whole, from its first byte to the last of its answer, milliseconds. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly readHeaders: HeaderReader;
  readonly readTls: TlsReader;
  readonly clock: Clock;
}

const MAX_CONNECT_MS = 10_000;
const MAX_CONNECTIONS = 8;
/** What the protocol advises for answers. A longer one is none that we could use. */
const LARGEST_ANSWER = 4 << 20;
/** OTLP repeats the same keys for each point: the quickest level already leaves a tenth. */
const GZIP_LEVEL = 1;

const compress = promisify(gzip);

/** POSTs bodies to one OTLP receiver. Tries once: who sends decides what a failure means. */
export class OtlpTransport {
  readonly #options: TransportOptions;
  readonly #connections: KeptConnections;
  readonly #path: string;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { origin, pathname, search, protocol } = new URL(options.url);
    this.#path = pathname + search;
    this.#connections = new KeptConnections({
      origin,
      connections: MAX_CONNECTIONS,
      connectTimeoutMs: Math.min(options.timeoutMs, MAX_CONNECT_MS),
      clock: options.clock,
      connector: protocol === "https:" ? (settings) => tlsConnector(options.readTls, settings) : undefined,
    });
  }

  /** Rejects when no complete answer came: with the signal's reason, with the deadline's error, or with undici's. */
  async post(body: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const { clock, timeoutMs } = this.#options;
    const finished = new AbortController();
    const deadline = new AbortController();
    clock.sleep(timeoutMs, finished.signal).then(
      () => {
        deadline.abort(new Error(`no answer within ${timeoutMs / 1_000} s`));
        // The machine at the other end may be gone without a word, and the name stand for another one by now.
        this.#connections.renew();
      },
      () => undefined,
    );
    const either = AbortSignal.any([signal, deadline.signal]);
    try {
      return await this.#exchange(body, either);
    } catch (error) {
      throw either.aborted ? either.reason : error;
    } finally {
      finished.abort();
    }
  }

  /** Ends all connections, also busy ones. */
  async close(): Promise<void> {
    await this.#connections.destroy();
  }

  async #exchange(content: Uint8Array, signal: AbortSignal): Promise<HttpAnswer> {
    const { compression, contentType, readHeaders, userAgent } = this.#options;
    const given = await readHeaders();
    const body = compression === "gzip" ? await compress(content, { level: GZIP_LEVEL }) : content;
    signal.throwIfAborted();
    const response = await this.#connections.request({
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
    if (size > LARGEST_ANSWER) {
      chunks.length = 0;
      break;
    }
    chunks.push(chunk);
  }
  return {
    status: statusCode,
    contentType: header(headers, "content-type")?.split(";", 1)[0]?.trim().toLowerCase(),
    retryAfter: header(headers, "retry-after"),
    body: Buffer.concat(chunks),
  };
}

function header(headers: Dispatcher.ResponseData["headers"], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
