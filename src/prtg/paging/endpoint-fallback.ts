import type { Logger } from "pino";
import type { Clock } from "../../lib/clock.ts";
import { ApiError, isMissing } from "../api-error.ts";

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
