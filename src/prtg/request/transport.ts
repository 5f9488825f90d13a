import type { Logger } from "pino";
import type { Dispatcher } from "undici";
import { chunksOf } from "../../lib/http/body-chunks.ts";
import { ConnectionPool } from "../../lib/http/connection-pool.ts";
import { DamagedBody, decodedBody } from "../../lib/http/decoded-body.ts";
import { LogOnChange } from "../../lib/log-on-change.ts";
import { MAX_INFORMATIONAL, MAX_SMALL_ANSWER_BYTES } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";
import { type ApiRequest, type HttpResponse, type ResponseHead, readHead } from "./messages.ts";
import { networkError, TooManyInterimAnswers } from "./network-error.ts";
import type { ResponseBody } from "./response-body.ts";
import { notJson } from "./response-error.ts";

export interface TransportHooks {
  /** The head of the answer has arrived. Returns what is to take its body. */
  readonly onHead: (head: ResponseHead) => ResponseBody;
  readonly onBytes: (count: number) => void;
  /** Size of a body at which reading stops; left out: that of who opened the transport. */
  readonly maxBytes?: number;
}

const DAY_MS = 24 * 60 * 60_000;
const SMALL_REMEDY = "This endpoint answers with a few kilobytes: see what else may be answering at servers[].url.";

/** Requests to one server. Redirects are not followed: API v2 has none. */
export class Transport {
  readonly #pool: ConnectionPool;
  readonly #origin: string;
  readonly #fingerprintsVariable: string | undefined;
  readonly #root: string;
  readonly #userAgent: string;
  readonly #maxBytes: number;
  readonly #log: Logger;
  /** Where the certificate of the server is not checked: that is said again each day, since logs are rotated. */
  readonly #unverified: LogOnChange | undefined;

  constructor(
    options: Pick<
      ApiClientOptions,
      "url" | "tls" | "proxy" | "permit" | "limits" | "userAgent" | "clock" | "log" | "lookup"
    >,
  ) {
    const { limits, userAgent, clock, log, lookup, proxy, permit, tls = {} } = options;
    const { origin, path } = parseBaseUrl(options.url);
    this.#origin = origin;
    this.#fingerprintsVariable = tls.fingerprintsVariable;
    this.#root = path;
    this.#userAgent = userAgent;
    this.#maxBytes = limits.maxResponseBytes;
    this.#log = log;
    if (origin.startsWith("https:") && tls.insecureSkipVerify) {
      this.#unverified = new LogOnChange({ remindEveryMs: DAY_MS, now: () => clock.monotonic() });
      // The first time was said when the configuration took effect.
      this.#unverified.met();
    }
    this.#pool = new ConnectionPool({
      ...{ origin, tls, proxy, permit, clock, lookup, connections: limits.concurrency, timeoutMs: limits.timeoutMs },
      onStale: (error) => log.warn({ err: error }, "the name of the server does not resolve: its last address is used"),
    });
  }

  /**
   * Sends one request and reads its whole answer, whatever its status.
   * Rejects with the signal's reason, or with an ApiError where no complete answer came.
   */
  async send(
    request: ApiRequest,
    token: string | undefined,
    signal: AbortSignal,
    hooks: TransportHooks,
  ): Promise<HttpResponse> {
    if (this.#unverified?.met()) {
      this.#log.warn("tls.insecure_skip_verify is still set: the certificate of the server is not checked");
    }
    const { statusCode, statusText, headers, body } = await this.#request(request, token, signal);
    const head = readHead(statusCode, statusText, headers);
    const reader = readerOf(body, () => hooks.onHead(head));
    let size = 0;
    const wire = { bytes: 0 };
    const maxBytes = hooks.maxBytes ?? this.#maxBytes;
    const chunks = this.#chunks(body, request, signal, (count) => {
      wire.bytes += count;
      hooks.onBytes(count);
      bound(wire.bytes, request, maxBytes);
    });
    try {
      // Leaving the loop early ends the connection.
      for await (const chunk of decodedBody(chunks, head.contentEncoding)) {
        size += chunk.length;
        bound(size, request, maxBytes);
        const turn = reader.take(chunk);
        if (turn !== undefined) await turn;
        if (reader.isEnough) break;
      }
    } catch (error) {
      if (!(error instanceof DamagedBody)) throw error;
      // The status of a refusal says enough.
      if (head.status < 300) throw notJson(request.endpoint, head, `a body that is no sound ${head.contentEncoding}`);
    }
    return { ...head, body: reader.text(), bytes: size };
  }

  async #request(
    request: ApiRequest,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    let informational = 0;
    try {
      return await this.#pool.request({
        method: request.method ?? "GET",
        path: this.#root + request.path,
        signal,
        onInfo: () => {
          informational++;
          if (informational > MAX_INFORMATIONAL) throw new TooManyInterimAnswers();
        },
        body: request.body ?? null,
        headers: {
          accept: "application/json",
          // Without it a server may choose any encoding.
          "accept-encoding": "identity",
          "user-agent": this.#userAgent,
          ...(request.body !== undefined && { "content-type": "application/json" }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      });
    } catch (error) {
      throw this.#failure(error, request, signal);
    }
  }

  /** The body as it arrives. An error of its reader is passed on as it is: only those of the network become ApiErrors. */
  async *#chunks(
    body: Dispatcher.ResponseData["body"],
    request: ApiRequest,
    signal: AbortSignal,
    arrived: (count: number) => void,
  ): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of chunksOf(body)) {
        arrived(chunk.length);
        yield chunk;
      }
    } catch (error) {
      throw error instanceof ApiError ? error : this.#failure(error, request, signal);
    }
  }

  #failure(error: unknown, { endpoint }: ApiRequest, signal: AbortSignal): unknown {
    if (!signal.aborted) {
      const destination = { endpoint, origin: this.#origin, fingerprintsVariable: this.#fingerprintsVariable };
      return networkError(destination, error);
    }
    const reason: unknown = signal.reason;
    // The machine at the other end may be gone without a word, and the name stand for another one by now.
    if (reason instanceof ApiError && reason.code === "API_TIMEOUT") this.#pool.renew();
    return reason;
  }

  /** At least so many requests may be under way from now on. */
  widen(connections: number): void {
    this.#pool.widen(connections);
  }

  /** Ends all connections, also busy ones. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

function bound(bytes: number, request: ApiRequest, maxBytes: number): void {
  if (bytes > maxBytes || (bytes > MAX_SMALL_ANSWER_BYTES && isSmall(request))) throw tooLarge(request, maxBytes);
}

function tooLarge(request: ApiRequest, maxBytes: number): ApiError {
  const { endpoint } = request;
  const isFixed = isSmall(request) && MAX_SMALL_ANSWER_BYTES < maxBytes;
  const limit = isFixed ? `${MAX_SMALL_ANSWER_BYTES} bytes` : `${maxBytes} bytes (limits.max_response_size)`;
  return new ApiError("API_RESPONSE_TOO_LARGE", `${endpoint}: the answer exceeds ${limit}`, {
    endpoint,
    ...(isFixed && { remedy: SMALL_REMEDY }),
  });
}

/** What is to read the body. Where `reader` throws, the answer is not wanted, and the connection ends. */
function readerOf(body: Dispatcher.ResponseData["body"], reader: () => ResponseBody): ResponseBody {
  try {
    return reader();
  } catch (error) {
    body.on("error", () => undefined);
    body.destroy();
    throw error;
  }
}

/** All endpoints but lists tell a few things about the server as a whole. */
function isSmall({ startRecords }: ApiRequest): boolean {
  return startRecords === undefined;
}

interface BaseUrl {
  /** `https://prtg.example.com:1616` */
  readonly origin: string;
  /** `/api/v2`, after the path prefix of a reverse proxy if there is one. */
  readonly path: string;
}

/** Reads the URL of a server, with or without `/` or `/api/v2` at its end. Throws a TypeError when it is none. */
function parseBaseUrl(text: string): BaseUrl {
  const url = new URL(text);
  const prefix = url.pathname
    .replace(/\/+$/, "")
    .replace(/\/api\/v2$/i, "")
    .replace(/\/+$/, "");
  return { origin: url.origin, path: `${prefix}/api/v2` };
}
