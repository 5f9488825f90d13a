import { type Dispatcher, Pool } from "undici";
import { sharedLookup } from "../shared-lookup.ts";
import { MAX_INFORMATIONAL, MAX_SMALL_ANSWER_BYTES } from "./answer-bounds.ts";
import { ApiError } from "./api-error.ts";
import { parseBaseUrl } from "./base-url.ts";
import { type HttpResponse, type ResponseHead, readHead } from "./http-response.ts";
import { networkError, TooManyInterimAnswers } from "./network-error.ts";
import type { ApiClientOptions } from "./options.ts";
import type { ResponseBody } from "./response-body.ts";
import { tlsConnector } from "./tls.ts";
import { UnverifiedWarnings } from "./unverified-warnings.ts";

/** One request to a monitoring server. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Template without ids or query, for logs, errors and metrics. */
  readonly endpoint: string;
  /** Path and query below `/api/v2`. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /**
   * The answer has to be a JSON array. Called at each attempt; what it returns is given the records one by one, while
   * they arrive, so that those of an attempt that fails are worth nothing.
   */
  readonly startRecords?: () => (record: unknown) => void;
}

export interface TransportHooks {
  /** The head of the answer has arrived: who takes its body? */
  readonly onHead: (head: ResponseHead) => ResponseBody;
  readonly onBytes: (count: number) => void;
}

/** Longer than the usual time between polls, so that connections are kept from one to the next. */
const KEEP_ALIVE_MS = 90_000;
const LONGEST_CONNECT_MS = 10_000;
const SMALL_REMEDY = "This endpoint answers with a few kilobytes: see what else may be answering at servers[].url.";

/**
 * Connections to one server. HTTP/1.1 only: over HTTP/2 a pool of few connections carries many requests at once, and
 * the concurrency would no longer be ours to limit. Redirects are not followed: API v2 has none.
 */
export class Transport {
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #root: string;
  readonly #userAgent: string;
  readonly #maxBytes: number;
  readonly #warnings: UnverifiedWarnings | undefined;

  constructor(options: Pick<ApiClientOptions, "url" | "tls" | "limits" | "userAgent" | "clock" | "log">) {
    const { limits, userAgent } = options;
    const { origin, path, secure } = parseBaseUrl(options.url);
    this.#origin = origin;
    this.#root = path;
    this.#userAgent = userAgent;
    this.#maxBytes = limits.maxResponseBytes;
    this.#warnings = secure && options.tls?.insecureSkipVerify ? new UnverifiedWarnings(options) : undefined;
    const connectTimeout = Math.min(limits.timeoutMs, LONGEST_CONNECT_MS);
    this.#pool = new Pool(origin, {
      connections: limits.concurrency,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectTimeout,
      // The caller's signal bounds the whole request; undici's own timers start again with each chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: secure ? tlsConnector(options.tls ?? {}, connectTimeout) : { lookup: sharedLookup },
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
    this.#warnings?.requested();
    const { statusCode, statusText, headers, body } = await this.#request(request, token, signal);
    const head = readHead(statusCode, statusText, headers);
    const reader = readerOf(body, () => hooks.onHead(head));
    let size = 0;
    // Leaving the loop early ends the connection.
    for await (const chunk of this.#chunks(body, request, signal)) {
      size += chunk.length;
      hooks.onBytes(chunk.length);
      if (size > this.#maxBytes || (size > MAX_SMALL_ANSWER_BYTES && isSmall(request))) throw this.#tooLarge(request);
      const turn = reader.take(chunk);
      if (turn !== undefined) await turn;
      if (reader.isEnough) break;
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
        method: request.method,
        path: this.#root + request.path,
        signal,
        onInfo: () => {
          informational++;
          if (informational > MAX_INFORMATIONAL) throw new TooManyInterimAnswers();
        },
        body: request.body ?? null,
        headers: {
          accept: "application/json",
          "user-agent": this.#userAgent,
          ...(request.body !== undefined && { "content-type": "application/json" }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      });
    } catch (error) {
      throw this.#failure(error, request, signal);
    }
  }

  /** The body as it arrives. What goes wrong in whoever takes it is theirs: only the network's faults are told as such. */
  async *#chunks(body: AsyncIterable<unknown>, request: ApiRequest, signal: AbortSignal): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body) if (Buffer.isBuffer(chunk)) yield chunk;
    } catch (error) {
      throw this.#failure(error, request, signal);
    }
  }

  #failure(error: unknown, { endpoint }: ApiRequest, signal: AbortSignal): unknown {
    return signal.aborted ? signal.reason : networkError({ endpoint, origin: this.#origin }, error);
  }

  /** Ends all connections, also busy ones. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #tooLarge(request: ApiRequest): ApiError {
    const { endpoint } = request;
    const isFixed = isSmall(request) && MAX_SMALL_ANSWER_BYTES < this.#maxBytes;
    const bound = isFixed ? `${MAX_SMALL_ANSWER_BYTES} bytes` : `${this.#maxBytes} bytes (limits.max_response_size)`;
    return new ApiError("API_RESPONSE_TOO_LARGE", `${endpoint}: the answer exceeds ${bound}`, {
      endpoint,
      ...(isFixed && { remedy: SMALL_REMEDY }),
    });
  }
}

/** Who is to read the body. Where that throws, the answer is not wanted, and the connection ends. */
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
