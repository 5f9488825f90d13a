import { waitFor, withDeadline } from "../../lib/deadline.ts";
import { ApiError, closedError, isClosedError } from "../api-error.ts";
import type { ApiClientOptions } from "../options.ts";
import type { ServerClock } from "../server-clock.ts";
import { HEALTH_ENDPOINT, isOfServer } from "./circuit-breaker.ts";
import type { ApiAnswer, ApiRequest } from "./messages.ts";
import type { ServerAccess, ServerAccesses } from "./server-access.ts";

/**
 * Sends one request within `limits.totalTimeoutMs`. Clients of one server share server-access.ts. Each attempt takes
 * these steps:
 * 1. breaker: fails at once while open, and checks `/health` after an outage (circuit-breaker.ts)
 * 2. auth: gets the token (auth/)
 * 3. budget: waits for a place and the pace (lib/request-budget.ts)
 * 4. send: within `limits.timeoutMs`, measured and logged (server-access.ts, transport.ts)
 * 5. judge: reads JSON or records, or throws an ApiError (response-reader.ts)
 * 6. learn: reports to breakers and budget (server-access.ts)
 * 7. retry: decides whether and when to begin again (retry.ts)
 */
export class Requester {
  readonly #options: ApiClientOptions;
  readonly #accesses: ServerAccesses;
  readonly #access: ServerAccess;
  readonly #closing = new AbortController();

  constructor(options: ApiClientOptions, accesses: ServerAccesses) {
    this.#options = options;
    this.#accesses = accesses;
    this.#access = this.#accesses.join(options);
  }

  get serverClock(): ServerClock {
    return this.#access.serverClock;
  }

  get(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    return this.#withinTotal(request.endpoint, signal, (total) => this.#sendWithRetries(request, total));
  }

  /** Sends the request again only after an answer that proves that the server has not executed it (401, 429). */
  post(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    const post = { ...request, method: "POST" } as const;
    return this.#withinTotal(request.endpoint, signal, (total) => this.#sendWithRetries(post, total));
  }

  /** `GET /health`, without authentication and breaker. */
  health(signal: AbortSignal): Promise<ApiAnswer> {
    return this.#withinTotal(HEALTH_ENDPOINT, signal, (total) => this.#sendWithRetries(HEALTH, total));
  }

  async #sendWithRetries(request: ApiRequest, total: TotalDeadline): Promise<ApiAnswer> {
    const isHealth = request.endpoint === HEALTH_ENDPOINT;
    let isTokenRenewed = false;
    let attempt = 1;
    for (;;) {
      if (!isHealth) await this.#passBreaker(request.endpoint, total);
      this.#passPause(request.endpoint, total);
      const token = isHealth ? undefined : await this.#access.authenticator.token(total.signal);
      try {
        const answer = await this.#access.sendFor(this.#options, request, token, total.signal);
        this.#access.retries.recordSuccess();
        return answer;
      } catch (error) {
        if (!(error instanceof ApiError) || total.signal.aborted) throw error;
        if (error.code === "API_UNAUTHORIZED" && token !== undefined && !isTokenRenewed) {
          // One renewal and one retry: repeated refusals lock accounts.
          isTokenRenewed = true;
          if (!(await this.#access.authenticator.renew(token, total.signal))) throw error;
        } else {
          await this.#delayRetry(request, error, attempt, total);
          attempt++;
        }
        this.#options.observer.retried({ endpoint: request.endpoint });
      }
    }
  }

  /** Waits for the probe of `/health` after an outage. */
  async #passBreaker(endpoint: string, total: TotalDeadline): Promise<void> {
    const refusal = this.#access.breakers.refusal(endpoint);
    if (refusal !== undefined) throw refusal;
    while (this.#access.breakers.needsProbe) {
      let isOurs = false;
      const probe = this.#access.probe(() => {
        isOurs = true;
        return this.#sendProbe();
      });
      try {
        return await waitFor(probe, total.signal);
      } catch (error) {
        // The probing client was closed, which says nothing about the server.
        if (isOurs || !isClosedError(error) || total.signal.aborted) throw error;
      }
    }
  }

  /** Throws if a pause outlasts the request. The budget waits out shorter ones. */
  #passPause(endpoint: string, total: TotalDeadline): void {
    const heldForMs = this.#access.budget.heldForMs();
    if (heldForMs <= total.remainingMs()) return;
    const what = `backing off for ${Math.ceil(heldForMs / 1000)} s, as the server asked`;
    throw new ApiError("API_RATE_LIMITED", `${endpoint}: ${what}`, { endpoint, retryAfterMs: heldForMs });
  }

  async #sendProbe(): Promise<void> {
    const never = new AbortController().signal;
    await this.#withinTotal(HEALTH_ENDPOINT, never, async (total) => {
      try {
        this.#passPause(HEALTH_ENDPOINT, total);
        await this.#access.sendFor(this.#options, HEALTH, undefined, total.signal);
        this.#access.retries.recordSuccess();
      } catch (error) {
        // Any answer except 502, 503 and 504 shows that the server is back.
        if (this.#access.breakers.needsProbe || this.#closing.signal.aborted) throw error;
      }
    });
  }

  /** Resolves before a retry. Throws the failure otherwise. */
  async #delayRetry(request: ApiRequest, failure: ApiError, attempt: number, total: TotalDeadline): Promise<void> {
    const { endpoint, method, retriesTimeout = true } = request;
    const isChange = method === "POST";
    total.lastFailure = failure;
    const isHeldBack = this.#access.breakers.needsProbe || this.#access.breakers.refusal(endpoint) !== undefined;
    const remainingMs = total.remainingMs();
    const failed = { failure, attempt, remainingMs, isHeldBack, retriesTimeout, isChange };
    const delayMs = this.#access.retries.delayMs(failed);
    if (delayMs === undefined) throw failure;
    const fields = { endpoint, attempt, delay_ms: Math.round(delayMs), request_id: failure.requestId };
    // The caller reports an unreachable server, once for all requests.
    const level = isOfServer(failure) ? "debug" : "warn";
    this.#options.log[level]({ ...fields, err: failure }, "request failed: retrying");
    await this.#options.clock.sleep(delayMs, total.signal);
  }

  #withinTotal<Result>(
    endpoint: string,
    caller: AbortSignal,
    work: (total: TotalDeadline) => Promise<Result>,
  ): Promise<Result> {
    const { clock, limits } = this.#options;
    const ms = limits.totalTimeoutMs;
    const end = clock.monotonic() + ms;
    let total: TotalDeadline | undefined;
    const expired = (): ApiError => {
      const cause = total?.lastFailure;
      const what = `no answer within ${ms / 1000} s, including retries`;
      return new ApiError("API_TIMEOUT", `${endpoint}: ${what}`, { endpoint, cause, requestId: cause?.requestId });
    };
    return withDeadline({ clock, ms, parents: [caller, this.#closing.signal], expired }, (signal) => {
      total = { signal, remainingMs: () => end - clock.monotonic(), lastFailure: undefined };
      return work(total);
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError());
    await this.#accesses.leave(this.#options, this.#access);
  }
}

const HEALTH: ApiRequest = { endpoint: HEALTH_ENDPOINT, path: HEALTH_ENDPOINT };

interface TotalDeadline {
  readonly signal: AbortSignal;
  remainingMs(): number;
  lastFailure: ApiError | undefined;
}
