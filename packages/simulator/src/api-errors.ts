/** With the status of each. Ours where the specification names none: what is wrong with the request is a 400. */
export const ERROR_STATUS = {
  AUTH_FAILED: 401,
  BAD_GATEWAY: 502,
  BAD_REQUEST: 400,
  BODY_TOO_LARGE: 400,
  EXECUTION_TIMEOUT: 408,
  FORBIDDEN: 403,
  GATEWAY_TIMEOUT: 504,
  INTERNAL_ERROR: 500,
  INVALID_DURATION: 400,
  INVALID_FILTER: 400,
  INVALID_PASSWORD_RESET_TOKEN: 400,
  LICENSE_INACTIVE: 503,
  LOGIN_FAILED: 401,
  LOGOUT_FAILED: 400,
  LOW_PASSWORD_COMPLEXITY: 400,
  NOT_FOUND: 404,
  METHOD_NOT_IMPLEMENTED: 405,
  PAUSE_ADMIN: 400,
  RENEW_FAILED: 400,
  SERVICE_UNAVAILABLE: 503,
  UNKNOWN: 500,
  WRONG_NODE_STATUS: 400,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export interface ApiErrorOptions {
  /** Instead of the status that goes with the code. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is answered with an error object. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message);
    this.name = "RequestRefused";
    this.code = code;
    this.status = options.status ?? ERROR_STATUS[code];
    this.headers = options.headers ?? {};
  }
}

export function badRequest(message: string): ApiError {
  return new ApiError("BAD_REQUEST", message);
}

export function notFound(message = "Resource not found at this endpoint; check the object ID"): ApiError {
  return new ApiError("NOT_FOUND", message);
}

/** The body of an answer with an error, JSON. */
export function errorObject(code: string, message: string, requestId: string): string {
  return JSON.stringify({ code, message, request_id: requestId });
}
