import type { Dispatcher } from "undici";
import { ConnectionPool, type PoolRequest } from "../../lib/http/connection-pool.ts";
import { DamagedBody, decodedBody } from "../../lib/http/decoded-body.ts";
import { LogOnChange } from "../../lib/log-on-change.ts";
import { MAX_INFORMATIONAL, MAX_SMALL_ANSWER_BYTES } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";
import { type ApiRequest, type HttpResponse, type ResponseHead, readHead } from "./messages.ts";
import { networkError, TooManyInterimAnswers } from "./network-error.ts";
import { notJson } from "./response-error.ts";
import type { ResponseBody } from "./response-reader.ts";

export interface TransportHooks {
  readonly onHead: (head: ResponseHead) => ResponseBody;
  /** Gets the bytes of each chunk on the wire. */
  readonly onBytes: (count: number) => void;
  /** Size of a body, on the wire and unpacked. Default: `limits.maxResponseBytes`. */
  readonly maxBytes?: number;
}

const DAY_MS = 24 * 60 * 60_000;
const SMALL_REMEDY = "Answers of this endpoint have a few kilobytes. Check which program answers at servers[].url.";

type TransportOptions = Pick<
  ApiClientOptions,
  "url" | "tls" | "proxy" | "permit" | "limits" | "userAgent" | "clock" | "log" | "lookup"
>;

/** Sends requests to one server. Does not follow redirects: API v2 has none. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #base: BaseUrl;
  readonly #pool: ConnectionPool;
  /** Reminds once a day that certificates are not checked. */
  readonly #unverified: LogOnChange | undefined;

  constructor(options: TransportOptions) {
    const { tls, proxy, permit, limits, clock, log, lookup } = options;
    this.#options = options;
    this.#base = parseBaseUrl(options.url);
    const { origin } = this.#base;
    if (origin.startsWith("https:") && tls?.insecureSkipVerify) {
      this.#unverified = new LogOnChange({ remindEveryMs: DAY_MS, now: () => clock.monotonic() });
      // The configuration logged the first warning.
      this.#unverified.record();
    }
    this.#pool = new ConnectionPool({
      origin,
      tls,
      proxy,
      permit,
      clock,
      lookup,
      timeoutMs: limits.timeoutMs,
      onStale: (error) => log.warn({ err: error }, "the name of the server does not resolve: using its last address"),
    });
  }

  /**
   * Reads the whole answer, whatever its status.
   * @throws the signal's reason, ApiError without a complete answer, and errors of the hooks
   */
  async send(
    request: ApiRequest,
    token: string | undefined,
    signal: AbortSignal,
    hooks: TransportHooks,
  ): Promise<HttpResponse> {
    if (this.#unverified?.record()) {
      this.#options.log.warn(
        "tls.insecure_skip_verify is still set: the exporter does not check the server's certificate",
      );
    }
    const response = await this.#open(request, token, signal);
    try {
      return await this.#read(response, request, signal, hooks);
    } finally {
      // Ends the connection after a partial read.
      response.body.on("error", () => undefined).destroy();
    }
  }

  async #open(request: ApiRequest, token: string | undefined, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#pool.request(this.#poolRequest(request, token, signal));
    } catch (error) {
      throw this.#failure(error, request, signal);
    }
  }

  /** Reads the answer while it arrives. */
  async #read(
    { statusCode, statusText, headers, body }: Dispatcher.ResponseData,
    request: ApiRequest,
    signal: AbortSignal,
    { onHead, onBytes, maxBytes = this.#options.limits.maxResponseBytes }: TransportHooks,
  ): Promise<HttpResponse> {
    const head = readHead(statusCode, statusText, headers);
    const taker = onHead(head);
    let wireBytes = 0;
    const wire = this.#chunks(body, request, signal, ({ length }) => {
      wireBytes += length;
      onBytes(length);
      bound(wireBytes, request, maxBytes);
    });
    let bytes = 0;
    try {
      for await (const piece of decodedBody(wire, head.contentEncoding)) {
        bytes += piece.length;
        bound(bytes, request, maxBytes);
        await taker.take(piece);
        if (taker.isEnough) break;
      }
    } catch (error) {
      if (!(error instanceof DamagedBody)) throw error;
      // The status of a refusal is enough.
      if (head.status < 300) throw notJson(request.endpoint, head, `a body that is not valid ${head.contentEncoding}`);
    }
    return { ...head, body: taker.text(), bytes };
  }

  async *#chunks(
    body: Dispatcher.ResponseData["body"],
    request: ApiRequest,
    signal: AbortSignal,
    observe: (chunk: Buffer) => void,
  ): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body) {
        if (!Buffer.isBuffer(chunk)) continue;
        observe(chunk);
        yield chunk;
      }
    } catch (error) {
      throw error instanceof ApiError ? error : this.#failure(error, request, signal);
    }
  }

  #poolRequest(request: ApiRequest, token: string | undefined, signal: AbortSignal): PoolRequest {
    let interim = 0;
    return {
      method: request.method ?? "GET",
      path: this.#base.path + request.path,
      signal,
      onInfo: () => {
        interim++;
        if (interim > MAX_INFORMATIONAL) throw new TooManyInterimAnswers();
      },
      body: request.body ?? null,
      headers: {
        accept: "application/json",
        // Otherwise a server may choose any encoding.
        "accept-encoding": "identity",
        "user-agent": this.#options.userAgent,
        ...(request.body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    };
  }

  #failure(error: unknown, { endpoint }: ApiRequest, signal: AbortSignal): unknown {
    if (!signal.aborted) {
      const { fingerprintsVariable } = this.#options.tls ?? {};
      const destination = { endpoint, origin: this.#base.origin, fingerprintsVariable };
      return networkError(destination, error);
    }
    const reason: unknown = signal.reason;
    // The host may have died silently, and its name may point elsewhere now.
    if (reason instanceof ApiError && reason.code === "API_TIMEOUT") this.#pool.renew();
    return reason;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** @throws ApiError if the answer is too large */
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

function isSmall({ startRecords }: ApiRequest): boolean {
  return startRecords === undefined;
}

interface BaseUrl {
  /** `https://prtg.example.com:1616` */
  readonly origin: string;
  /** `/api/v2` with the path prefix of a reverse proxy. */
  readonly path: string;
}

function parseBaseUrl(text: string): BaseUrl {
  const url = new URL(text);
  const prefix = url.pathname
    .replace(/\/+$/, "")
    .replace(/\/api\/v2$/i, "")
    .replace(/\/+$/, "");
  return { origin: url.origin, path: `${prefix}/api/v2` };
}
