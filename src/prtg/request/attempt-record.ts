import { ApiError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";
import type { ApiRequest, HttpResponse, ResponseHead } from "./messages.ts";

export class AttemptRecord {
  head: ResponseHead | undefined;
  /** Of the body, on the wire. */
  bytes = 0;
  readonly #options: ApiClientOptions;
  readonly #request: ApiRequest;
  readonly #startedAt: number;

  constructor(options: ApiClientOptions, request: ApiRequest) {
    this.#options = options;
    this.#request = request;
    this.#startedAt = options.clock.monotonic();
    options.observer.requestStarted(request.endpoint);
  }

  /**
   * @param response Any complete one.
   * @param failure Of a failed attempt.
   */
  finish(response: HttpResponse | undefined, failure: unknown): void {
    const { clock, observer, log } = this.#options;
    const { endpoint, method = "GET" } = this.#request;
    const { bytes } = this;
    const durationMs = clock.monotonic() - this.#startedAt;
    const code = response === undefined ? failureKind(failure) : String(response.status);
    observer.requestFinished({ endpoint, code, durationMs, bytes });
    const fields = {
      endpoint,
      method,
      status: code,
      duration_ms: Math.round(durationMs),
      bytes,
      request_id: this.head?.requestId ?? (failure instanceof ApiError ? failure.requestId : undefined),
    };
    if (failure === undefined) log.debug(fields, "request answered");
    else log.debug({ ...fields, err: failure }, "request failed");
  }
}

/** Values of the label `code` without a complete answer. */
function failureKind(failure: unknown): string {
  if (!(failure instanceof ApiError)) return "aborted";
  switch (failure.code) {
    case "API_TIMEOUT":
      return "timeout";
    case "API_TLS_UNTRUSTED":
    case "API_TLS_FINGERPRINT":
    case "API_TLS_CLIENT_REFUSED":
    // Files for TLS. Credentials are read before.
    case "CA_UNREADABLE":
    case "SECRET_UNREADABLE":
    case "SECRET_EXPOSED":
    case "API_TLS_FAILED":
      return "tls";
    case "API_RESPONSE_TOO_LARGE":
    case "API_LIST_TOO_LARGE":
    case "API_MEMORY_FULL":
      return "too_large";
    default:
      return "connection";
  }
}
