import { type ApiError, isTimeout } from "../api-error.ts";

/** Attempts in all, the first included, per kind of failure; kinds that are not listed are not tried again. */
const ATTEMPTS: Readonly<Partial<Record<ApiError["code"], number>>> = {
  API_CONNECTION_FAILED: 3,
  API_PROXY_FAILED: 3,
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

/** What is known when an attempt has failed. */
export interface FailedAttempt {
  readonly failure: ApiError;
  /** From 1. */
  readonly attempt: number;
  /** Of the time for all attempts. */
  readonly remainingMs: number;
  /** Whether a breaker holds back further requests now. */
  readonly isHeldBack: boolean;
  /** Whether the same request is worth another attempt after a timeout. */
  readonly retriesTimeout: boolean;
}

/** Decides whether a request that failed is sent again, and when. One for all requests to a server. */
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

  /** Milliseconds to wait before the next attempt; undefined when there is to be none, and the failure is the result. */
  delayMs({ failure, attempt, remainingMs, isHeldBack, retriesTimeout }: FailedAttempt): number | undefined {
    if (attempt >= this.#maxAttempts) return undefined;
    if (!retriesTimeout && isTimeout(failure)) return undefined;
    const delayMs = retryDelayMs(failure, attempt, this.#random);
    if (delayMs === undefined || delayMs >= remainingMs) return undefined;
    // The failure at hand says more than that requests are now held back because of it.
    if (isHeldBack) return undefined;
    return this.#budget.spend() ? delayMs : undefined;
  }
}

/**
 * Milliseconds to wait before the next attempt at an idempotent request; undefined when there should be none.
 * Full jitter: uniform between 0 and a bound that doubles. A pause that the server asked for comes on top.
 * @param attempt Number of the attempt that failed, from 1.
 */
function retryDelayMs(failure: ApiError, attempt: number, random: () => number): number | undefined {
  if (attempt >= (ATTEMPTS[failure.code] ?? 1)) return undefined;
  const bound = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
  return (failure.retryAfterMs ?? 0) + random() * bound;
}

const RETRY_TOKENS = 10;
const TOKENS_PER_SUCCESS = 0.2;

/** Keeps retries a small share of all requests: a server in trouble must not get a multiple of its usual load. */
class RetryBudget {
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
