import type { Logger } from "pino";
import { ConnectionPool, type PoolRequest } from "../../lib/http/connection-pool.ts";
import { DamagedBody } from "../../lib/http/decoded-body.ts";
import { LogOnChange } from "../../lib/log-on-change.ts";
import { MAX_SMALL_ANSWER_BYTES } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";
import { AnswerReader } from "./answer-reader.ts";
import type { ApiRequest, HttpResponse, ResponseHead } from "./messages.ts";
import { networkError } from "./network-error.ts";
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
    const maxBytes = hooks.maxBytes ?? this.#maxBytes;
    const reader = new AnswerReader({
      onHead: hooks.onHead,
      onBytes: hooks.onBytes,
      bound: (bytes) => bound(bytes, request, maxBytes),
    });
    try {
      await this.#pool.exchange(this.#poolRequest(request, token, signal), reader);
      await reader.end();
    } catch (error) {
      const failure = await reader.giveUp();
      if (failure === undefined) throw this.#failure(error, request, signal);
      if (!(failure.error instanceof DamagedBody)) throw failure.error;
      const { response } = reader;
      // The status of a refusal says enough.
      if (response.status < 300) {
        throw notJson(request.endpoint, response, `a body that is no sound ${response.contentEncoding}`);
      }
    }
    return reader.response;
  }

  #poolRequest(request: ApiRequest, token: string | undefined, signal: AbortSignal): PoolRequest {
    return {
      method: request.method ?? "GET",
      path: this.#root + request.path,
      signal,
      body: request.body ?? null,
      headers: {
        accept: "application/json",
        // Without it a server may choose any encoding.
        "accept-encoding": "identity",
        "user-agent": this.#userAgent,
        ...(request.body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    };
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
