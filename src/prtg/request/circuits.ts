import type { ErrorCode } from "../../errors/catalogue.ts";
import { ApiError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";
import { Breaker, ENDPOINT_BREAKER, SERVER_BREAKER } from "./circuit-breaker.ts";

export const HEALTH_ENDPOINT = "/health";

/** The server cannot be reached, or has lost its core server (502, 503, 504): true of every endpoint. */
const SERVER_FAILURES: readonly ErrorCode[] = [
  "API_CONNECTION_FAILED",
  "API_TLS_UNTRUSTED",
  "API_TLS_FINGERPRINT",
  "API_TLS_CLIENT_REFUSED",
  "API_TLS_FAILED",
  "API_UNAVAILABLE",
  "API_LICENSE_INACTIVE",
];

/** May well be the fault of one endpoint. */
const ENDPOINT_FAILURES: readonly ErrorCode[] = [
  "API_TIMEOUT",
  "API_EXECUTION_TIMEOUT",
  "API_SERVER_ERROR",
  "API_NOT_JSON",
  "API_RESPONSE_TOO_LARGE",
  "API_REDIRECTED",
  "API_WRONG_PORT",
];

/** The breaker of a server and those of its endpoints, and which failure counts for which. */
export class Circuits {
  readonly #options: ApiClientOptions;
  readonly #server: Breaker;
  readonly #endpoints = new Map<string, Breaker>();

  constructor(options: ApiClientOptions) {
    const { clock, random, log, observer } = options;
    this.#options = options;
    this.#server = new Breaker(clock, random, SERVER_BREAKER, (open) => {
      observer.breakerChanged(open);
      const fields = { err: this.#server.lastFailure, request_id: this.#server.lastFailure?.requestId };
      if (open) log.warn(fields, "server unavailable: requests are held back");
      else log.info("server available again");
    });
  }

  /** Why a request to this endpoint must not be sent now; undefined when it may, perhaps after a probe. */
  refusal(endpoint: string): ApiError | undefined {
    const breaker = this.#server.heldForMs() > 0 ? this.#server : this.#endpoint(endpoint);
    const heldForMs = breaker.heldForMs();
    const cause = breaker.lastFailure;
    if (heldForMs === 0 || cause === undefined) return undefined;
    const what = `held back for ${Math.ceil(heldForMs / 1000)} s after repeated failures`;
    const { remedy, requestId } = cause;
    const details = { endpoint, cause, remedy, requestId, retryAfterMs: heldForMs };
    return new ApiError("API_SUSPENDED", `${endpoint}: ${what}`, details);
  }

  /** The server failed before; whether it works again must be asked at `/health` first. */
  get needsProbe(): boolean {
    return this.#server.isOpen;
  }

  succeeded(endpoint: string): void {
    this.#server.succeeded();
    this.#endpoint(endpoint).succeeded();
  }

  failed(failure: ApiError): void {
    const { code, endpoint } = failure;
    const silentHealth = endpoint === HEALTH_ENDPOINT && code === "API_TIMEOUT";
    if (SERVER_FAILURES.includes(code) || silentHealth) {
      this.#server.failed(failure);
      return;
    }
    if (failure.httpStatus !== undefined) this.#server.succeeded();
    if (ENDPOINT_FAILURES.includes(code)) this.#endpoint(endpoint).failed(failure);
    else if (code !== "API_RATE_LIMITED") this.#endpoint(endpoint).succeeded();
  }

  #endpoint(endpoint: string): Breaker {
    const known = this.#endpoints.get(endpoint);
    if (known !== undefined) return known;
    const { clock, random, log } = this.#options;
    const breaker: Breaker = new Breaker(clock, random, ENDPOINT_BREAKER, (open) => {
      const { lastFailure } = breaker;
      if (open) log.warn({ endpoint, err: lastFailure, request_id: lastFailure?.requestId }, "endpoint held back");
      else log.info({ endpoint }, "endpoint works again");
    });
    this.#endpoints.set(endpoint, breaker);
    return breaker;
  }
}
