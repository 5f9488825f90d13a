import { type ErrorCode, scopeOf } from "../../errors/catalogue.ts";
import { mapEntry } from "../../lib/map-entry.ts";
import { RETRIES, type RetryPolicy, retryDelayMs } from "../../lib/retry-delay.ts";
import { ApiError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";

/** Failures in a row that open the breaker. */
const SERVER_THRESHOLD = 5;
const ENDPOINT_THRESHOLD = 3;

export interface BreakerOptions extends Pick<ApiClientOptions, "clock" | "random"> {
  readonly threshold: number;
  /** Time to the next trial. */
  readonly hold: RetryPolicy;
  readonly changed: (open: boolean) => void;
}

export class CircuitBreaker {
  /** `undefined` if closed and sound. */
  lastFailure: ApiError | undefined;
  readonly #options: BreakerOptions;
  #failures = 0;
  #trials = 0;
  #holdEndsAt: number | undefined;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#holdEndsAt !== undefined;
  }

  /** 0 if closed or half-open. */
  heldForMs(): number {
    return this.#holdEndsAt === undefined ? 0 : Math.max(0, this.#holdEndsAt - this.#options.clock.monotonic());
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#trials = 0;
    this.lastFailure = undefined;
    if (this.#holdEndsAt === undefined) return;
    this.#holdEndsAt = undefined;
    this.#options.changed(false);
  }

  recordFailure(failure: ApiError): void {
    this.lastFailure = failure;
    // Requests that were already under way say nothing new.
    if (this.heldForMs() > 0) return;
    this.#failures++;
    const { clock, random, threshold, hold, changed } = this.#options;
    if (this.#holdEndsAt === undefined && this.#failures < threshold) return;
    const holdMs = retryDelayMs(hold, ++this.#trials, random());
    const wasClosed = this.#holdEndsAt === undefined;
    this.#holdEndsAt = clock.monotonic() + Math.max(holdMs, failure.retryAfterMs ?? 0);
    if (wasClosed) changed(true);
  }
}

export const HEALTH_ENDPOINT = "/health";

/** Whether the failure concerns every endpoint. */
export function isOfServer({ code, endpoint }: ApiError): boolean {
  const scope = scopeOf(code);
  const isOfAll = scope === "connection" || scope === "server";
  return isOfAll || (endpoint === HEALTH_ENDPOINT && code === "API_TIMEOUT");
}

/** These may concern one endpoint. */
const ENDPOINT_FAILURES: readonly ErrorCode[] = [
  "API_TIMEOUT",
  "API_EXECUTION_TIMEOUT",
  "API_SERVER_ERROR",
  "API_NOT_JSON",
  "API_RESPONSE_TOO_LARGE",
  "API_REDIRECTED",
  "API_WRONG_PORT",
];

export class CircuitBreakers {
  readonly #owner: () => Pick<ApiClientOptions, "clock" | "random" | "log">;
  readonly #server: CircuitBreaker;
  readonly #endpoints = new Map<string, CircuitBreaker>();

  /** @param changed Called when the server's breaker opens or closes. */
  constructor(owner: () => ApiClientOptions, changed: (open: boolean) => void) {
    this.#owner = owner;
    const { clock, random } = owner();
    const onChange = (open: boolean) => {
      changed(open);
      const { log } = this.#owner();
      const { lastFailure } = this.#server;
      const fields = { err: lastFailure, request_id: lastFailure?.requestId };
      if (open) log.debug(fields, "server unavailable: backing off");
      else log.debug("server available again");
    };
    const settings = { threshold: SERVER_THRESHOLD, hold: RETRIES.server };
    this.#server = new CircuitBreaker({ clock, random, ...settings, changed: onChange });
  }

  /** `undefined` if the request may be sent, perhaps after a probe. */
  refusal(endpoint: string): ApiError | undefined {
    const breaker = this.#server.heldForMs() > 0 ? this.#server : this.#endpoints.get(endpoint);
    const heldForMs = breaker?.heldForMs() ?? 0;
    const cause = breaker?.lastFailure;
    if (heldForMs === 0 || cause === undefined) return undefined;
    const what = `backing off for ${Math.ceil(heldForMs / 1000)} s after repeated failures`;
    const { remedy, requestId } = cause;
    const details = { endpoint, cause, remedy, requestId, retryAfterMs: heldForMs };
    return new ApiError("API_SUSPENDED", `${endpoint}: ${what}`, details);
  }

  /** Whether `/health` must succeed first. */
  get needsProbe(): boolean {
    return this.#server.isOpen;
  }

  recordSuccess(endpoint: string): void {
    this.#server.recordSuccess();
    this.#endpoints.get(endpoint)?.recordSuccess();
  }

  recordFailure(failure: ApiError): void {
    const { code, endpoint } = failure;
    if (isOfServer(failure)) {
      this.#server.recordFailure(failure);
      return;
    }
    if (failure.httpStatus !== undefined) this.#server.recordSuccess();
    if (ENDPOINT_FAILURES.includes(code)) this.#endpoint(endpoint).recordFailure(failure);
    else if (code !== "API_RATE_LIMITED") this.#endpoints.get(endpoint)?.recordSuccess();
  }

  #endpoint(endpoint: string): CircuitBreaker {
    return mapEntry(this.#endpoints, endpoint, () => {
      const { clock, random } = this.#owner();
      const changed = (open: boolean) => {
        const { log } = this.#owner();
        const { lastFailure } = breaker;
        const fields = { endpoint, err: lastFailure, request_id: lastFailure?.requestId };
        if (open) log.warn(fields, "endpoint fails repeatedly: backing off");
        else log.info({ endpoint }, "endpoint works again");
      };
      const settings = { threshold: ENDPOINT_THRESHOLD, hold: RETRIES.endpoint };
      const breaker = new CircuitBreaker({ clock, random, ...settings, changed });
      return breaker;
    });
  }
}
