import { RETRIES, retryDelayMs } from "../../lib/retry-delay.ts";
import { type ApiError, isTimeout } from "../api-error.ts";

/** Including the first. Other failures are not retried. */
const ATTEMPTS: Readonly<Partial<Record<ApiError["code"], number>>> = {
  API_CONNECTION_FAILED: 3,
  API_PROXY_FAILED: 3,
  API_UNAVAILABLE: 3,
  API_RATE_LIMITED: 3,
  // These cost the server a whole execution. Lists request smaller pages instead of a retry.
  API_TIMEOUT: 2,
  API_SERVER_ERROR: 2,
  API_NOT_JSON: 2,
};

export interface FailedAttempt {
  readonly failure: ApiError;
  readonly attempt: number;
  readonly remainingMs: number;
  readonly isHeldBack: boolean;
  /** Whether a retry may help after a timeout. */
  readonly retriesTimeout: boolean;
  /** The server may have executed the request although it failed, and must not execute it twice. */
  readonly isChange: boolean;
}

/** Retries are bounded to a small part of all requests: a server in trouble must not get a multiple of its usual load. */
const RETRY_TOKENS = 10;
const TOKENS_PER_SUCCESS = 0.2;

export class RetryPolicy {
  readonly #random: () => number;
  readonly #maxAttempts: number;
  #tokens = RETRY_TOKENS;

  constructor({ random, maxAttempts = Number.POSITIVE_INFINITY }: { random: () => number; maxAttempts?: number }) {
    this.#random = random;
    this.#maxAttempts = maxAttempts;
  }

  recordSuccess(): void {
    this.#tokens = Math.min(RETRY_TOKENS, this.#tokens + TOKENS_PER_SUCCESS);
  }

  /** Milliseconds until the next attempt. `undefined`: do not retry. */
  delayMs({ failure, attempt, remainingMs, isHeldBack, retriesTimeout, isChange }: FailedAttempt): number | undefined {
    if (isChange && failure.code !== "API_RATE_LIMITED") return undefined;
    if (attempt >= Math.min(this.#maxAttempts, ATTEMPTS[failure.code] ?? 1)) return undefined;
    // While a breaker is open, the failure says more than its refusal of the next attempt.
    if (isHeldBack || (!retriesTimeout && isTimeout(failure))) return undefined;
    const delayMs = (failure.retryAfterMs ?? 0) + retryDelayMs(RETRIES.request, attempt, this.#random());
    if (delayMs >= remainingMs || this.#tokens < 1) return undefined;
    this.#tokens--;
    return delayMs;
  }
}
