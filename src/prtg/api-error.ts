import type { ErrorCode } from "../errors/catalogue.ts";
import { type ErrorOptionsWithRemedy, ExporterError } from "../errors/exporter-error.ts";

export interface ApiErrorDetails extends ErrorOptionsWithRemedy {
  /** Template without ids, such as `/experimental/channels`; empty where no request was made. */
  endpoint: string;
  httpStatus?: number | undefined;
  /** `code` of the server's error object. */
  serverCode?: string | undefined;
  /** Finds the request in the logs of the application server. */
  requestId?: string | undefined;
  /** What the server asked us to wait before the next attempt, or how long we hold back by ourselves. */
  retryAfterMs?: number | undefined;
}

/** A request to a monitoring server that did not work. The message names the endpoint and never holds a secret. */
export class ApiError extends ExporterError {
  readonly endpoint: string;
  readonly httpStatus: number | undefined;
  readonly serverCode: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails) {
    super(code, message, details);
    this.endpoint = details.endpoint;
    this.httpStatus = details.httpStatus;
    this.serverCode = details.serverCode;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The server lacks this endpoint, as opposed to failing at it, or lacking the one to log in at. */
export function isMissing(endpoint: string, error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "API_NOT_FOUND" && error.endpoint === endpoint;
}

const OF_ONE_OBJECT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "API_FORBIDDEN",
  "API_BAD_REQUEST",
  "API_TIMEOUT",
  "API_EXECUTION_TIMEOUT",
  "API_SERVER_ERROR",
  "API_NOT_JSON",
  "API_RESPONSE_TOO_LARGE",
  "API_LIST_TOO_LARGE",
]);

/** The failure of a request for one object may be true of that object only, as opposed to the server. */
export function mayBeOfOneObject({ code }: ApiError): boolean {
  return OF_ONE_OBJECT.has(code);
}

/** The server did not finish in time, by its own clock or by ours. */
export function isTimeout({ code }: ApiError): boolean {
  return code === "API_TIMEOUT" || code === "API_EXECUTION_TIMEOUT";
}

const CLOSED = "the client is closed";

/** Why requests fail after `close()`. */
export function closedError(): ApiError {
  return new ApiError("API_SUSPENDED", CLOSED, { endpoint: "", remedy: "The exporter is ending." });
}

export function isClosedError(error: unknown): boolean {
  return error instanceof ApiError && error.code === "API_SUSPENDED" && error.message === CLOSED;
}
