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

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

export interface FailedAttempt {
  readonly failure: ApiError;
  readonly attempt: number;
  readonly remainingMs: number;
  readonly isHeldBack: boolean;
  /** Whether a retry may help after a timeout. */
  readonly retriesTimeout: boolean;
}

export class RetryPolicy {
  readonly #random: () => number;
  readonly #maxAttempts: number;
  readonly #budget = new RetryBudget();

  constructor({ random, maxAttempts = Number.POSITIVE_INFINITY }: { random: () => number; maxAttempts?: number }) {
    this.#random = random;
    this.#maxAttempts = maxAttempts;
  }

  succeeded(): void {
    this.#budget.succeeded();
  }

  /** Milliseconds until the next attempt. `undefined`: do not retry. */
  delayMs({ failure, attempt, remainingMs, isHeldBack, retriesTimeout }: FailedAttempt): number | undefined {
    if (attempt >= this.#maxAttempts) return undefined;
    if (!retriesTimeout && isTimeout(failure)) return undefined;
    const delayMs = retryDelayMs(failure, attempt, this.#random);
    if (delayMs === undefined || delayMs >= remainingMs) return undefined;
    // The failure says more than the open breaker.
    if (isHeldBack) return undefined;
    return this.#budget.spend() ? delayMs : undefined;
  }
}

/**
 * Full jitter: uniform up to a bound that doubles, plus the pause that the server asked for.
 * @param attempt From 1.
 */
function retryDelayMs(failure: ApiError, attempt: number, random: () => number): number | undefined {
  if (attempt >= (ATTEMPTS[failure.code] ?? 1)) return undefined;
  const bound = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
  return (failure.retryAfterMs ?? 0) + random() * bound;
}

const RETRY_TOKENS = 10;
const TOKENS_PER_SUCCESS = 0.2;

/** A server in trouble must not get a multiple of its usual load. */
class RetryBudget {
  #tokens = RETRY_TOKENS;

  succeeded(): void {
    this.#tokens = Math.min(RETRY_TOKENS, this.#tokens + TOKENS_PER_SUCCESS);
  }

  spend(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
