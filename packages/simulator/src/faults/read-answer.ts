import { ERROR_STATUS, type ErrorCode } from "../api-errors.ts";
import type { FaultAction } from "./actions.ts";
import { decoded, integer, readDuration, readHeaderText, splitAt } from "./arguments.ts";

/** Reads the arguments of the faults that are an answer of their own: `error` and `answer`. */

/** HTTP gives an answer with one of these statuses no body. */
export const BODILESS_STATUSES: readonly number[] = [204, 205, 304];

type ErrorAction = Extract<FaultAction, { kind: "error" }>;
type AnswerAction = Extract<FaultAction, { kind: "answer" }>;

/** Code of an error without `code=`. A proxy sends 429, not the service, so 429 has no code of its own. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "BAD_REQUEST",
  401: "AUTH_FAILED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_IMPLEMENTED",
  408: "EXECUTION_TIMEOUT",
  409: "BAD_REQUEST",
  500: "INTERNAL_ERROR",
  501: "METHOD_NOT_IMPLEMENTED",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
  504: "GATEWAY_TIMEOUT",
};

type Retry = Pick<AnswerAction, "retryAfterSeconds" | "retryDateSeconds">;
const NO_RETRY: Retry = { retryAfterSeconds: undefined, retryDateSeconds: undefined };

export function readError(argument: string | undefined): ErrorAction | undefined {
  const [statusText, ...options] = (argument ?? "").split(",");
  const status = integer(statusText, 400, 599);
  if (status === undefined) return undefined;
  let code: ErrorCode = CODE_OF_STATUS[status] ?? "UNKNOWN";
  let retry = NO_RETRY;
  let waitForSeconds: number | undefined;
  let hasBody = true;
  for (const option of options) {
    const [key = "", value = ""] = splitAt(option, "=");
    const known = (Object.keys(ERROR_STATUS) as ErrorCode[]).find((name) => name === value);
    const wait = readSeconds(value);
    const change = readRetry(key, value);
    if (key === "code" && known !== undefined) code = known;
    else if (key === "body" && value === "none") hasBody = false;
    else if (key === "wait-for" && wait !== undefined) waitForSeconds = wait;
    else if (change !== undefined) retry = { ...retry, ...change };
    else return undefined;
  }
  return { kind: "error", status, code, ...retry, waitForSeconds, hasBody };
}

/**
 * The body is last in the argument, so that it may have commas.
 * @param given Body that the caller hands in beside the argument
 */
export function readAnswer(argument = "", given?: string): AnswerAction | undefined {
  const [head = "", encoded = ""] = splitAt(argument, ",body=");
  const [statusText, ...options] = head.split(",");
  const status = integer(statusText, 200, 599);
  const body = given ?? decoded(encoded);
  if (status === undefined || body === undefined) return undefined;
  let type = typeOf(body);
  let retry = NO_RETRY;
  for (const option of options) {
    const [key = "", value = ""] = splitAt(option, "=");
    const change = readRetry(key, value);
    if (key === "type" && readHeaderText(value) !== undefined) type = value;
    else if (change !== undefined) retry = { ...retry, ...change };
    else return undefined;
  }
  return { kind: "answer", status, type, body, ...retry };
}

function readRetry(key: string, value: string): Partial<Retry> | undefined {
  const seconds = readSeconds(value);
  if (seconds === undefined) return undefined;
  if (key === "retry-after") return { retryAfterSeconds: seconds };
  return key === "retry-date" ? { retryDateSeconds: seconds } : undefined;
}

function readSeconds(duration: string): number | undefined {
  const milliseconds = readDuration(duration);
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1000);
}

/** Guessed from the first character. */
function typeOf(body: string): string {
  if (/^\s*[[{"]/.test(body)) return "application/json; charset=utf-8";
  return /^\s*</.test(body) ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
}
