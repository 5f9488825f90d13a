import { withDeadline } from "../../lib/deadline.ts";
import { MAX_ERROR_BYTES } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";
import { ServerClock } from "../server-clock.ts";
import type { Circuits } from "./circuits.ts";
import { RequestBudget } from "./request-budget.ts";
import { RecordsBody, TextBody } from "./response-body.ts";
import { responseError } from "./response-error.ts";
import type { HttpResponse, ResponseHead } from "./response-head.ts";
import { endRecords, mayHoldRecords, notAList, parseJson, refuseEncoding } from "./response-reader.ts";
import { type ApiRequest, Transport } from "./transport.ts";

/** A successful answer. */
export interface ApiAnswer {
  /** Undefined when the body was empty, or taken record by record. */
  readonly json: unknown;
  readonly response: HttpResponse;
}

/** Sends single requests: within the budget, each with a deadline, observed and logged, its outcome named. */
export class Sender {
  readonly serverClock: ServerClock;
  readonly #options: ApiClientOptions;
  readonly #circuits: Circuits;
  readonly #transport: Transport;
  readonly #budget: RequestBudget;

  constructor(options: ApiClientOptions, circuits: Circuits) {
    this.#options = options;
    this.#circuits = circuits;
    this.serverClock = new ServerClock(options.clock, options.log);
    this.#transport = new Transport(options);
    this.#budget = new RequestBudget(options.clock, options.limits);
  }

  /**
   * One attempt at a request. `token` goes into the Authorization header.
   * Rejects with an ApiError, or with the signal's reason.
   */
  async send(request: ApiRequest, token: string | undefined, signal: AbortSignal): Promise<ApiAnswer> {
    const release = await this.#budget.acquire(signal);
    try {
      const answer = await this.#sendNow(request, token, signal);
      this.#circuits.succeeded(request.endpoint);
      return answer;
    } catch (error) {
      if (error instanceof ApiError) this.#failed(error);
      throw error;
    } finally {
      release();
    }
  }

  #failed(failure: ApiError): void {
    this.#circuits.failed(failure);
    // A limit is on us as a client, not on one endpoint.
    if (failure.code === "API_RATE_LIMITED") this.#budget.hold(failure.retryAfterMs ?? 0);
  }

  /** Milliseconds for which the server's wish or our own pace holds back any request. */
  heldForMs(): number {
    return this.#budget.heldForMs();
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #sendNow(request: ApiRequest, token: string | undefined, parent: AbortSignal): Promise<ApiAnswer> {
    const { clock, limits, observer } = this.#options;
    const { endpoint } = request;
    const startedAt = clock.monotonic();
    let bytes = 0;
    let head: ResponseHead | undefined;
    let records: RecordsBody | undefined;
    let response: HttpResponse | undefined;
    let failure: unknown;
    observer.requestStarted(endpoint);
    try {
      const expired = (): ApiError => {
        const what = `no complete answer within ${limits.timeoutMs / 1000} s (${bytes} bytes arrived)`;
        return new ApiError("API_TIMEOUT", `${endpoint}: ${what}`, { endpoint });
      };
      response = await withDeadline({ clock, ms: limits.timeoutMs, parents: [parent], expired }, (signal) =>
        this.#transport.send(request, token, signal, {
          onHead: (arrived) => {
            head = arrived;
            if (arrived.status >= 300) return new TextBody(MAX_ERROR_BYTES);
            // Errors tell no time: they may come from a proxy, which has a clock of its own.
            this.serverClock.heard(arrived.dateMs);
            refuseEncoding(endpoint, arrived);
            if (request.startRecords === undefined) return new TextBody();
            // The page of another program, say: its type says enough.
            if (!mayHoldRecords(arrived)) return new TextBody(MAX_ERROR_BYTES);
            records = new RecordsBody(request.startRecords());
            return records;
          },
          onBytes: (count) => {
            bytes += count;
          },
        }),
      );
      return this.#readAnswer(request, response, records);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const durationMs = clock.monotonic() - startedAt;
      const code = response === undefined ? failureKind(failure) : String(response.status);
      observer.requestFinished({ endpoint, code, durationMs, bytes });
      this.#log(failure, {
        endpoint,
        method: request.method,
        status: code,
        duration_ms: Math.round(durationMs),
        bytes,
        request_id: head?.requestId ?? (failure instanceof ApiError ? failure.requestId : undefined),
      });
    }
  }

  #readAnswer(
    { endpoint, startRecords }: ApiRequest,
    response: HttpResponse,
    records: RecordsBody | undefined,
  ): ApiAnswer {
    if (records !== undefined) {
      endRecords(endpoint, response, records);
      return { json: undefined, response };
    }
    if (response.status < 300) {
      const json = parseJson(endpoint, response);
      if (startRecords !== undefined) throw notAList(endpoint, response);
      return { json, response };
    }
    const { redactor } = this.#options;
    throw responseError(endpoint, response, this.serverClock.now(), (text) => redactor.redact(text));
  }

  #log(failure: unknown, fields: object): void {
    const { log } = this.#options;
    if (failure === undefined) log.debug(fields, "request answered");
    else log.debug({ ...fields, err: failure }, "request failed");
  }
}

/** Value of the label `code` where no complete answer came: few, and stable. */
function failureKind(failure: unknown): string {
  if (!(failure instanceof ApiError)) return "aborted";
  switch (failure.code) {
    case "API_TIMEOUT":
      return "timeout";
    case "API_TLS_UNTRUSTED":
    case "API_TLS_FINGERPRINT":
    case "API_TLS_CLIENT_REFUSED":
    // Files that a connection over TLS needs; credentials are read before anything is sent.
    case "CA_UNREADABLE":
    case "SECRET_UNREADABLE":
    case "SECRET_EXPOSED":
    case "API_TLS_FAILED":
      return "tls";
    case "API_RESPONSE_TOO_LARGE":
    case "API_LIST_TOO_LARGE":
      return "too_large";
    default:
      return "connection";
  }
}
