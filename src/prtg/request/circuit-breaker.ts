import { type ErrorCode, scopeOf } from "../../errors/catalogue.ts";
import type { Clock } from "../../lib/clock.ts";
import { RETRIES, type RetryPolicy, retryDelayMs } from "../../lib/retry-delay.ts";
import { ApiError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";

/** Failures in a row that open the breaker. */
const SERVER_THRESHOLD = 5;
const ENDPOINT_THRESHOLD = 3;

export interface BreakerSettings {
  readonly threshold: number;
  /** Time to the next trial. */
  readonly hold: RetryPolicy;
}

export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #settings: BreakerSettings;
  readonly #changed: (open: boolean) => void;
  #failures = 0;
  #trials = 0;
  #holdEndsAt: number | undefined;
  #lastFailure: ApiError | undefined;

  constructor(clock: Clock, random: () => number, settings: BreakerSettings, changed: (open: boolean) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#settings = settings;
    this.#changed = changed;
  }

  get isOpen(): boolean {
    return this.#holdEndsAt !== undefined;
  }

  /** 0 if closed or half-open. */
  heldForMs(): number {
    return this.#holdEndsAt === undefined ? 0 : Math.max(0, this.#holdEndsAt - this.#clock.monotonic());
  }

  /** `undefined` if closed and sound. */
  get lastFailure(): ApiError | undefined {
    return this.#lastFailure;
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#trials = 0;
    this.#lastFailure = undefined;
    if (this.#holdEndsAt === undefined) return;
    this.#holdEndsAt = undefined;
    this.#changed(false);
  }

  recordFailure(failure: ApiError): void {
    this.#lastFailure = failure;
    // Requests that were already under way say nothing new.
    if (this.heldForMs() > 0) return;
    this.#failures++;
    if (this.#holdEndsAt === undefined && this.#failures < this.#settings.threshold) return;
    const holdMs = retryDelayMs(this.#settings.hold, ++this.#trials, this.#random());
    const wasClosed = this.#holdEndsAt === undefined;
    this.#holdEndsAt = this.#clock.monotonic() + Math.max(holdMs, failure.retryAfterMs ?? 0);
    if (wasClosed) this.#changed(true);
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

/** A getter, because the client of the log may leave. */
type BreakersOptions = Pick<ApiClientOptions, "clock" | "random" | "log">;

export class CircuitBreakers {
  readonly #options: BreakersOptions;
  readonly #server: CircuitBreaker;
  readonly #endpoints = new Map<string, CircuitBreaker>();

  /** @param changed Called when the server's breaker opens or closes. */
  constructor(options: BreakersOptions, changed: (open: boolean) => void) {
    const { clock, random } = options;
    this.#options = options;
    this.#server = new CircuitBreaker(clock, random, { threshold: SERVER_THRESHOLD, hold: RETRIES.server }, (open) => {
      changed(open);
      const { log } = this.#options;
      const fields = { err: this.#server.lastFailure, request_id: this.#server.lastFailure?.requestId };
      if (open) log.debug(fields, "server unavailable: backing off");
      else log.debug("server available again");
    });
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
    const known = this.#endpoints.get(endpoint);
    if (known !== undefined) return known;
    const { clock, random } = this.#options;
    const settings = { threshold: ENDPOINT_THRESHOLD, hold: RETRIES.endpoint };
    const breaker: CircuitBreaker = new CircuitBreaker(clock, random, settings, (open) => {
      const { log } = this.#options;
      const { lastFailure } = breaker;
      if (open)
        log.warn(
          { endpoint, err: lastFailure, request_id: lastFailure?.requestId },
          "endpoint fails repeatedly: backing off",
        );
      else log.info({ endpoint }, "endpoint works again");
    });
    this.#endpoints.set(endpoint, breaker);
    return breaker;
  }
}
