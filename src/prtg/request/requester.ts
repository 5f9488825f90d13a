import { waitFor, withDeadline } from "../../lib/deadline.ts";
import { ApiError, closedError } from "../api-error.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { ApiClientOptions } from "../options.ts";
import { type Circuits, HEALTH_ENDPOINT } from "./circuits.ts";
import { RetryBudget, retryDelayMs } from "./retry.ts";
import type { ApiAnswer, Sender } from "./sender.ts";

/** What is read with GET. */
export interface Reading {
  /** Template without ids or query. */
  readonly endpoint: string;
  /** Path and query below `/api/v2`. */
  readonly path: string;
  /** Of a JSON array; see ApiRequest. */
  readonly startRecords?: () => (record: unknown) => void;
  /** The caller answers a timeout with a smaller request: the same one is not tried again. */
  readonly stepsDown?: boolean;
}

/** Reads with everything that makes it dependable: authentication, retries, breakers, a total deadline. */
export class Requester {
  readonly #options: ApiClientOptions;
  readonly #sender: Sender;
  readonly #circuits: Circuits;
  readonly #authenticator: Authenticator;
  readonly #retryBudget = new RetryBudget();
  readonly #closing = new AbortController();
  #probe: Promise<void> | undefined;

  constructor(options: ApiClientOptions, sender: Sender, circuits: Circuits, authenticator: Authenticator) {
    this.#options = options;
    this.#sender = sender;
    this.#circuits = circuits;
    this.#authenticator = authenticator;
  }

  /** Rejects with an ApiError, or with the signal's reason when that aborts. */
  get(reading: Reading, signal: AbortSignal): Promise<ApiAnswer> {
    return this.#withinTotal(reading.endpoint, signal, (total) => this.#readWithRetries(reading, total));
  }

  /** `GET /health`: needs no authentication, and is sent even while everything else is held back. */
  health(signal: AbortSignal): Promise<ApiAnswer> {
    return this.#withinTotal(HEALTH_ENDPOINT, signal, (total) => this.#askHealth(total));
  }

  /** Ends what is under way and refuses what comes. */
  close(): void {
    this.#closing.abort(closedError());
  }

  async #readWithRetries(reading: Reading, total: TotalDeadline): Promise<ApiAnswer> {
    const { endpoint } = reading;
    let renewed = false;
    let attempt = 1;
    for (;;) {
      await this.#admit(endpoint, total);
      const token = await this.#authenticator.token(total.signal);
      try {
        return await this.#send(reading, token, total.signal);
      } catch (error) {
        if (!(error instanceof ApiError) || total.signal.aborted) throw error;
        if (error.code === "API_UNAUTHORIZED" && !renewed) {
          // One renewal and one retry, never a loop: repeated refusals lock accounts.
          renewed = true;
          if (!(await this.#authenticator.refused(token, total.signal))) throw error;
          this.#options.observer.retried(endpoint);
        } else {
          await this.#beforeRetry(reading, error, attempt, total);
          attempt++;
        }
      }
    }
  }

  async #askHealth(total: TotalDeadline): Promise<ApiAnswer> {
    const reading = { endpoint: HEALTH_ENDPOINT, path: HEALTH_ENDPOINT };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(reading, undefined, total.signal);
      } catch (error) {
        if (!(error instanceof ApiError) || total.signal.aborted) throw error;
        await this.#beforeRetry(reading, error, attempt, total);
      }
    }
  }

  async #send(reading: Reading, token: string | undefined, signal: AbortSignal): Promise<ApiAnswer> {
    const { endpoint, path, startRecords } = reading;
    const request = { method: "GET", endpoint, path, ...(startRecords !== undefined && { startRecords }) } as const;
    const answer = await this.#sender.send(request, token, signal);
    this.#retryBudget.succeeded();
    return answer;
  }

  /** Passes when a request may be sent; while the server is thought to be down, one asks `/health` for all. */
  async #admit(endpoint: string, total: TotalDeadline): Promise<void> {
    const refusal = this.#circuits.refusal(endpoint);
    if (refusal !== undefined) throw refusal;
    const heldForMs = this.#sender.heldForMs();
    if (heldForMs > total.remainingMs()) {
      const what = `held back for ${Math.ceil(heldForMs / 1000)} s, as the server asked`;
      throw new ApiError("API_RATE_LIMITED", `${endpoint}: ${what}`, { endpoint, retryAfterMs: heldForMs });
    }
    if (!this.#circuits.needsProbe) return;
    this.#probe ??= this.#sendProbe().finally(() => {
      this.#probe = undefined;
    });
    await waitFor(this.#probe, total.signal);
  }

  async #sendProbe(): Promise<void> {
    const never = new AbortController().signal;
    await this.#withinTotal(HEALTH_ENDPOINT, never, async ({ signal }) => {
      try {
        await this.#send({ endpoint: HEALTH_ENDPOINT, path: HEALTH_ENDPOINT }, undefined, signal);
      } catch (error) {
        // Any answer but a 502, 503 or 504 shows that the server is there, which is all that is asked.
        if (this.#circuits.needsProbe || this.#closing.signal.aborted) throw error;
      }
    });
  }

  /** Resolves when the request is to be sent again; throws the failure when it is not. */
  async #beforeRetry(reading: Reading, failure: ApiError, attempt: number, total: TotalDeadline): Promise<void> {
    const { clock, random, log, observer, maxAttempts = Number.POSITIVE_INFINITY } = this.#options;
    const { endpoint } = reading;
    total.lastFailure = failure;
    if (attempt >= maxAttempts) throw failure;
    if (reading.stepsDown === true && isTimeout(failure)) throw failure;
    const delayMs = retryDelayMs(failure, attempt, random);
    if (delayMs === undefined || delayMs >= total.remainingMs()) throw failure;
    // The failure at hand says more than that requests are now held back because of it.
    if (this.#circuits.needsProbe || this.#circuits.refusal(endpoint) !== undefined) throw failure;
    if (!this.#retryBudget.spend()) throw failure;
    const delay = { endpoint, attempt, delay_ms: Math.round(delayMs), request_id: failure.requestId };
    log.warn({ ...delay, err: failure }, "request failed: trying again");
    await clock.sleep(delayMs, total.signal);
    observer.retried(endpoint);
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
      const what = `no answer within ${ms / 1000} s in all`;
      return new ApiError("API_TIMEOUT", `${endpoint}: ${what}`, { endpoint, cause, requestId: cause?.requestId });
    };
    return withDeadline({ clock, ms, parents: [caller, this.#closing.signal], expired }, (signal) => {
      total = { signal, remainingMs: () => end - clock.monotonic(), lastFailure: undefined };
      return work(total);
    });
  }
}

interface TotalDeadline {
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Of the attempts so far. */
  lastFailure: ApiError | undefined;
}

/** The server did not finish in time, by its own clock or by ours. */
export function isTimeout({ code }: ApiError): boolean {
  return code === "API_TIMEOUT" || code === "API_EXECUTION_TIMEOUT";
}
