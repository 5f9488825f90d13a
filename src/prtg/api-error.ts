import type { ErrorCode } from "../errors/catalogue.ts";
import { type ErrorOptionsWithRemedy, ExporterError } from "../errors/exporter-error.ts";

export interface ApiErrorDetails extends ErrorOptionsWithRemedy {
  /** Template without ids, such as `/experimental/channels`. Empty if there was no request. */
  endpoint: string;
  httpStatus?: number | undefined;
  serverCode?: string | undefined;
  /** Finds the request in the logs of the application server. */
  requestId?: string | undefined;
  /** Pause that the server asked for, or our own. */
  retryAfterMs?: number | undefined;
}

/** A failed request to a monitoring server. The message names the endpoint and has no secrets. */
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

/** The server lacks this endpoint. Excludes failures at it, and a missing login endpoint. */
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

/** The failure may concern one object instead of the server. */
export function mayBeOfOneObject({ code }: ApiError): boolean {
  return OF_ONE_OBJECT.has(code);
}

export function isTimeout({ code }: ApiError): boolean {
  return code === "API_TIMEOUT" || code === "API_EXECUTION_TIMEOUT";
}

const CLOSED = "the client is closed";

export function closedError(): ApiError {
  return new ApiError("API_SUSPENDED", CLOSED, { endpoint: "", remedy: "The exporter is ending." });
}

export function isClosedError(error: unknown): boolean {
  return error instanceof ApiError && error.code === "API_SUSPENDED" && error.message === CLOSED;
}
