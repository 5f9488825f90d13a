import type { Logger } from "pino";
import type { Clock } from "../../lib/clock.ts";
import { ApiError, isMissing } from "../api-error.ts";
import type { ListEndpoint, OptionalParameter } from "../endpoints.ts";

/** The server may be updated meanwhile. */
const FORGET_AFTER_MS = 60 * 60_000;

export class EndpointFallback {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By endpoint, monotonic. */
  readonly #missingExpiry = new Map<string, number>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Reads the first candidate that the server has. Rejects with API_ENDPOINT_MISSING if it has none. Does not remember
   * that, because a starting service may answer 404 to anything.
   */
  async readFirst<Candidate extends { readonly endpoint: string }, Result>(
    candidates: readonly Candidate[],
    read: (candidate: Candidate) => Promise<Result>,
  ): Promise<Result> {
    let missing: ApiError | undefined;
    for (const candidate of candidates) {
      if (this.#isMissing(candidate.endpoint)) continue;
      if (missing !== undefined) logFallback(this.#log, missing, candidate.endpoint);
      try {
        return await read(candidate);
      } catch (error) {
        if (!isMissing(candidate.endpoint, error)) throw error;
        missing = error;
        this.#missingExpiry.set(candidate.endpoint, this.#clock.monotonic() + FORGET_AFTER_MS);
      }
    }
    for (const { endpoint } of candidates) this.#missingExpiry.delete(endpoint);
    throw endpointMissingError(
      candidates.map(({ endpoint }) => endpoint),
      missing,
    );
  }

  /** Call after an outage. */
  forget(): void {
    this.#missingExpiry.clear();
  }

  #isMissing(endpoint: string): boolean {
    return this.#clock.monotonic() < (this.#missingExpiry.get(endpoint) ?? Number.NEGATIVE_INFINITY);
  }
}

export function logFallback(log: Logger, missing: ApiError, fallback: string): void {
  const { endpoint, requestId } = missing;
  log.info(
    { endpoint, stand_in: fallback, request_id: requestId, err: missing },
    "endpoint missing: using its fallback",
  );
}

export function endpointMissingError(endpoints: readonly string[], missing: ApiError | undefined): ApiError {
  const { httpStatus, serverCode, requestId } = missing ?? {};
  return new ApiError("API_ENDPOINT_MISSING", `the server has no ${endpoints.join(" and no ")}`, {
    endpoint: endpoints[0] ?? "",
    httpStatus,
    serverCode,
    requestId,
    cause: missing,
  });
}

/** Refused parameters are tried again, doubling the time. */
const FIRST_HOLD_MS = 60_000;
const MAX_HOLD_MS = 24 * 60 * 60_000;

interface Refusal {
  readonly holdMs: number;
  readonly retryAt: number;
}

/** Remembers refused optional parameters: a refusal costs the parameter, not the list. */
export class RefusedParameters {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #refusals = new Map<string, Refusal>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  without(list: ListEndpoint): ListEndpoint {
    const optional = list.optional.filter((parameter) => {
      const refusal = this.#refusals.get(keyOf(list, parameter));
      return refusal === undefined || this.#clock.monotonic() >= refusal.retryAt;
    });
    return optional.length === list.optional.length ? list : { ...list, optional };
  }

  /**
   * Finds which optional parameters the server refuses: tries the bare list, then each parameter with the accepted
   * ones. Rejects with `refusal` if even the bare list is refused, or as `probe` does.
   * @param probe Requests one record.
   */
  async findAccepted(
    list: ListEndpoint,
    refusal: ApiError,
    probe: (list: ListEndpoint) => Promise<unknown>,
  ): Promise<ListEndpoint> {
    const isTaken = async (optional: readonly OptionalParameter[]): Promise<boolean> => {
      try {
        await probe({ ...list, optional });
        return true;
      } catch (error) {
        if (isRefusal(error)) return false;
        throw error;
      }
    };
    if (!(await isTaken([]))) throw refusal;
    const taken: OptionalParameter[] = [];
    for (const parameter of list.optional) {
      if (await isTaken([...taken, parameter])) taken.push(parameter);
      else this.#refused(list, parameter, refusal);
    }
    return { ...list, optional: taken };
  }

  recordSuccess(list: ListEndpoint): void {
    for (const parameter of list.optional) {
      if (!this.#refusals.delete(keyOf(list, parameter))) continue;
      this.#log.info({ endpoint: list.endpoint, ...parameter }, "the server accepts this parameter again");
    }
  }

  forget(): void {
    this.#refusals.clear();
  }

  #refused(list: ListEndpoint, parameter: OptionalParameter, refusal: ApiError): void {
    const key = keyOf(list, parameter);
    const before = this.#refusals.get(key);
    const holdMs = Math.min(before === undefined ? FIRST_HOLD_MS : before.holdMs * 2, MAX_HOLD_MS);
    this.#refusals.set(key, { holdMs, retryAt: this.#clock.monotonic() + holdMs });
    const fields = { endpoint: list.endpoint, ...parameter, request_id: refusal.requestId, err: refusal };
    if (before === undefined) this.#log.warn(fields, "the server refuses this parameter: reading the list without it");
    else this.#log.debug(fields, "the server still refuses this parameter");
  }
}

export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === "API_BAD_REQUEST" || error.code === "API_FORBIDDEN");
}

function keyOf({ endpoint }: ListEndpoint, { parameter, value }: OptionalParameter): string {
  return `${endpoint} ${parameter}=${value}`;
}
