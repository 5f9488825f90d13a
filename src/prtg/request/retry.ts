import type { ApiError } from "../api-error.ts";

/** Attempts in all, the first included, per kind of failure; kinds that are not listed are not tried again. */
const ATTEMPTS: Readonly<Partial<Record<ApiError["code"], number>>> = {
  API_CONNECTION_FAILED: 3,
  API_UNAVAILABLE: 3,
  API_RATE_LIMITED: 3,
  // These cost the server a whole execution, so one more is enough. A list that runs into API_TIMEOUT or
  // API_EXECUTION_TIMEOUT asks for smaller pages instead, and asks for no retry.
  API_TIMEOUT: 2,
  API_SERVER_ERROR: 2,
  API_NOT_JSON: 2,
};

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

/**
 * Milliseconds to wait before the next attempt at an idempotent request; undefined when there should be none.
 * Full jitter: uniform between 0 and a bound that doubles. A pause that the server asked for comes on top.
 * @param attempt Number of the attempt that failed, from 1.
 */
export function retryDelayMs(failure: ApiError, attempt: number, random: () => number): number | undefined {
  if (attempt >= (ATTEMPTS[failure.code] ?? 1)) return undefined;
  const bound = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
  return (failure.retryAfterMs ?? 0) + random() * bound;
}

const RETRY_TOKENS = 10;
const TOKENS_PER_SUCCESS = 0.2;

/** Keeps retries a small share of all requests: a server in trouble must not get a multiple of its usual load. */
export class RetryBudget {
  #tokens = RETRY_TOKENS;

  succeeded(): void {
    this.#tokens = Math.min(RETRY_TOKENS, this.#tokens + TOKENS_PER_SUCCESS);
  }

  /** Takes a token for one retry; false when there is none left. */
  spend(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
