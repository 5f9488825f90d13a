import type { Answer } from "../api/reply.ts";
import { ApiError, badRequest, notFound } from "../api-errors.ts";
import type { Clock } from "../clock.ts";
import type { ActionOf, FaultEffects } from "./faults.ts";
import { BODILESS_STATUSES } from "./read-answer.ts";

/** What faults do to a request before its handler sees it: they delay it, cut it off, or answer in its place. */

/** "Request execution exceeded 25 seconds." */
const EXECUTION_LIMIT_MS = 25_000;

export interface DelayOptions {
  readonly clock: Clock;
  /** A random number between two bounds. */
  readonly between: (low: number, high: number) => number;
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
}

/** Rejects when the connection ends. @throws ApiError EXECUTION_TIMEOUT */
export async function delay(faults: FaultEffects, { clock, between, signal }: DelayOptions): Promise<void> {
  const latency = faults.get("latency");
  if (latency !== undefined) {
    const wait = between(latency.minMs, latency.maxMs);
    await clock.sleep(Math.min(wait, EXECUTION_LIMIT_MS), signal);
    if (wait >= EXECUTION_LIMIT_MS) throw executionTimeout();
  }
  if (faults.get("hang") !== undefined) await aborted(signal);
}

export function isCutBeforeAnswer(faults: FaultEffects): boolean {
  const where = faults.get("cut")?.where;
  return where === "start" || where === "reset";
}

/**
 * The fault's answer, if there is one.
 * @param now Time of the service, for dates. Milliseconds since the epoch.
 * @throws ApiError for faults that are an error object
 */
export function answerInstead(faults: FaultEffects, now: number): Answer | undefined {
  const redirect = faults.get("redirect");
  if (redirect !== undefined) return answerRedirect(redirect.location);
  if (faults.get("unsupported-scheme") !== undefined) return answerUnsupportedScheme();
  if (faults.get("html") !== undefined) return answerHtml();
  const answer = faults.get("answer");
  if (answer !== undefined) return answerAsWritten(answer, now);
  throwFaultError(faults, now);
  return undefined;
}

function answerAsWritten(answer: ActionOf<"answer">, now: number): Answer {
  const { status, type, body } = answer;
  const headers = retryHeaders(answer, now);
  if (BODILESS_STATUSES.includes(status)) return { status, headers, body: undefined };
  return { status, headers: { "Content-Type": type, ...headers }, body: Buffer.from(body) };
}

interface Retry {
  readonly retryAfterSeconds: number | undefined;
  readonly retryDateSeconds: number | undefined;
}

function retryHeaders({ retryAfterSeconds, retryDateSeconds }: Retry, now: number): Record<string, string> {
  if (retryDateSeconds !== undefined) {
    return { "Retry-After": new Date(now + 1000 * retryDateSeconds).toUTCString() };
  }
  return retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
}

/** What something that is not the service answers in its place: a proxy's page, status 200 all the same. */
function answerHtml(): Answer {
  const page = "<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>\n";
  return { status: 200, headers: { "Content-Type": "text/html; charset=utf-8" }, body: Buffer.from(page) };
}

/** What the classic web server, on its own port, answers to a request for the API. */
export function answerRedirect(location: string): Answer {
  return { status: 302, headers: { Location: location }, body: Buffer.alloc(0) };
}

/** What the classic web server answers to a key in the header. */
export function answerUnsupportedScheme(): Answer {
  const page =
    "<!DOCTYPE html><html><body><h1>401 Unauthorized</h1><p>Unsupported authorization scheme</p></body></html>\n";
  return { status: 401, headers: { "Content-Type": "text/html; charset=utf-8" }, body: Buffer.from(page) };
}

function throwFaultError(faults: FaultEffects, now: number): void {
  const missing = faults.get("missing");
  if (missing?.status === 404) throw notFound("There is no such endpoint");
  if (missing !== undefined) {
    throw new ApiError("METHOD_NOT_IMPLEMENTED", "Requested action not implemented", { status: missing.status });
  }
  const error = faults.get("error");
  if (error !== undefined) {
    const { status, code, waitForSeconds } = error;
    const headers = {
      ...retryHeaders(error, now),
      ...(waitForSeconds !== undefined && { "Wait-For": String(waitForSeconds) }),
    };
    throw new ApiError(code, `${code} by fault`, { status, headers });
  }
  const refuses = faults.get("refuses");
  if (refuses !== undefined) {
    const { parameter, value = "this parameter" } = refuses;
    throw badRequest(`${parameter}: ${value} is not available here`);
  }
  if (faults.get("execution-timeout") !== undefined) throw executionTimeout();
}

function executionTimeout(): ApiError {
  return new ApiError("EXECUTION_TIMEOUT", "Request execution exceeded 25 seconds");
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
