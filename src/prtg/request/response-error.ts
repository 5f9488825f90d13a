import type { ErrorCode } from "../../errors/catalogue.ts";
import { parseRetryAfterMs } from "../../lib/http/headers.ts";
import { shortLine } from "../../lib/printable-text.ts";
import { ApiError } from "../api-error.ts";
import { isObject, text } from "../decode/values.ts";
import type { HttpResponse, ResponseHead } from "./messages.ts";

/** The answer may come from the classic web server or a proxy. */
export const WRONG_PORT_REMEDY =
  "The answer is not from API v2. Check servers[].url: API v2 listens on 1616 (HTTPS) or 1615 (HTTP).";

const MAX_MESSAGE_LENGTH = 300;
/** Searched part of an answer without an error object, UTF-16 units. */
const MAX_SEARCHED = 2_000;

interface ErrorObject {
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly requestId: string | undefined;
}

/**
 * Converts an answer outside 2xx.
 * @param redact Removes what the server echoes.
 */
export function responseError(
  endpoint: string,
  response: HttpResponse,
  nowMs: number,
  redact: (text: string) => string,
): ApiError {
  const { status } = response;
  const clean = (said: string): string => shortLine(redact(said), MAX_MESSAGE_LENGTH).trim();
  const body = readErrorObject(response);
  const code = status < 400 ? "API_REDIRECTED" : errorCode(response, body);
  const what = code === "API_REDIRECTED" ? `redirect to ${redirectTarget(response)}` : whatItSays(response, body);
  const foreign = body === undefined && (code === "API_UNAUTHORIZED" || code === "API_FORBIDDEN");
  return new ApiError(code, `${endpoint}: HTTP ${status} ${clean(what)}`.trimEnd(), {
    endpoint,
    httpStatus: status,
    serverCode: body?.code && clean(body.code),
    requestId: response.requestId ?? (body?.requestId && clean(body.requestId)),
    retryAfterMs: parseRetryAfterMs(response.retryAfter, response.dateMs ?? nowMs),
    ...(foreign && { remedy: WRONG_PORT_REMEDY }),
  });
}

export function notJson(endpoint: string, response: ResponseHead, what: string): ApiError {
  const { status: httpStatus, requestId } = response;
  return new ApiError("API_NOT_JSON", `${endpoint}: HTTP ${httpStatus} with ${what}`, {
    endpoint,
    httpStatus,
    requestId,
  });
}

function whatItSays({ contentType }: HttpResponse, body: ErrorObject | undefined): string {
  if (body !== undefined) return [body.code, body.message].filter((part) => part !== undefined).join(": ");
  return contentType === undefined ? "" : `(an answer of type ${contentType})`;
}

/**
 * Servers refuse a key with 400 and BAD_REQUEST: "invalid session token or API token format". Only the text differs
 * from a wrong parameter.
 */
const REFUSED_TOKEN =
  /\b(invalid|malformed|missing|unknown|expired|wrong|bad)\b.{0,40}\b(session|api|access|bearer|authori[sz]ation)[ _-]?(token|key|header)\b/is;

/** The classic web server refuses `Authorization: Bearer` with 401. */
const CLASSIC_REFUSAL = /\bunsupported authori[sz]ation scheme\b/i;

function errorCode(response: HttpResponse, body: ErrorObject | undefined): ErrorCode {
  const { status } = response;
  const said = body?.message ?? `${response.statusText} ${response.body.slice(0, MAX_SEARCHED)}`;
  // From another program, in any form.
  if (status === 401 && CLASSIC_REFUSAL.test(said)) return "API_WRONG_PORT";
  switch (body?.code) {
    case "LICENSE_INACTIVE":
      return "API_LICENSE_INACTIVE";
    case "EXECUTION_TIMEOUT":
      return "API_EXECUTION_TIMEOUT";
    // Servers answer a bad key with 400.
    case "AUTH_FAILED":
    case "LOGIN_FAILED":
      return "API_UNAUTHORIZED";
    case "METHOD_NOT_IMPLEMENTED":
      return "API_NOT_FOUND";
  }
  if (status === 400 && REFUSED_TOKEN.test(said)) return "API_UNAUTHORIZED";
  switch (status) {
    case 401:
      return "API_UNAUTHORIZED";
    case 403:
      return "API_FORBIDDEN";
    case 404:
    case 405:
    case 501:
      return "API_NOT_FOUND";
    case 408:
      return "API_EXECUTION_TIMEOUT";
    case 429:
      return "API_RATE_LIMITED";
    case 502:
    case 503:
    case 504:
      return "API_UNAVAILABLE";
  }
  return status < 500 ? "API_BAD_REQUEST" : "API_SERVER_ERROR";
}

function readErrorObject(response: HttpResponse): ErrorObject | undefined {
  try {
    const body: unknown = JSON.parse(response.body);
    if (!isObject(body)) return undefined;
    return { code: text(body.code), message: text(body.message), requestId: text(body.request_id) };
  } catch {
    return undefined;
  }
}

/** Host and port only: the address of a login page may have parameters. */
function redirectTarget(response: HttpResponse): string {
  if (response.location === undefined) return "an unnamed place";
  return URL.canParse(response.location) ? new URL(response.location).host : "another page of the same server";
}
