import type { Logger } from "pino";
import type { Clock } from "../../lib/clock.ts";
import { ApiError, isMissing } from "../api-error.ts";

/** A server that lacked an endpoint may have been updated since. */
const FORGET_AFTER_MS = 60 * 60_000;

/** Remembers which endpoints a server lacks, so that each poll goes straight to one that it has. */
export class EndpointFallback {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Endpoint -> monotonic time until which it counts as missing. */
  readonly #missingExpiry = new Map<string, number>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * What the first candidate yields that the server has. When it has none of them, ApiError API_ENDPOINT_MISSING; that
   * is not remembered, since a service that is just starting may answer 404 to anything.
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

  /** The server was out of order: what it lacked then, it may have now. */
  forget(): void {
    this.#missingExpiry.clear();
  }

  #isMissing(endpoint: string): boolean {
    return this.#clock.monotonic() < (this.#missingExpiry.get(endpoint) ?? Number.NEGATIVE_INFINITY);
  }
}

/** Says that an endpoint is not there, and which one is asked instead. */
export function logFallback(log: Logger, missing: ApiError, fallback: string): void {
  const { endpoint, requestId } = missing;
  log.info(
    { endpoint, stand_in: fallback, request_id: requestId, err: missing },
    "endpoint missing: its stand-in is used",
  );
}

/** The server has none of the endpoints. */
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
