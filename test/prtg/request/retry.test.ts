import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../src/errors/catalogue.ts";
import { ApiError } from "../../../src/prtg/api-error.ts";
import { type FailedAttempt, RetryPolicy } from "../../../src/prtg/request/retry.ts";

function failure(code: ErrorCode, retryAfterMs?: number): ApiError {
  return new ApiError(code, "failed", { endpoint: "/version", retryAfterMs });
}

const USUAL = { attempt: 1, remainingMs: 60_000, isHeldBack: false, retriesTimeout: true, isChange: false };

function delayMs(
  failed: Pick<FailedAttempt, "failure"> & Partial<FailedAttempt>,
  random = () => 0,
  maxAttempts?: number,
) {
  return new RetryPolicy({ random, ...(maxAttempts !== undefined && { maxAttempts }) }).delayMs({
    ...USUAL,
    ...failed,
  });
}

describe("RetryPolicy", () => {
  test.each<{ code: ErrorCode; attempts: number }>([
    { code: "API_CONNECTION_FAILED", attempts: 3 },
    { code: "API_PROXY_FAILED", attempts: 3 },
    { code: "API_PROXY_UNAUTHORIZED", attempts: 1 },
    { code: "API_UNAVAILABLE", attempts: 3 },
    { code: "API_RATE_LIMITED", attempts: 3 },
    { code: "API_TIMEOUT", attempts: 2 },
    { code: "API_SERVER_ERROR", attempts: 2 },
    { code: "API_NOT_JSON", attempts: 2 },
    { code: "API_EXECUTION_TIMEOUT", attempts: 1 },
    { code: "API_UNAUTHORIZED", attempts: 1 },
    { code: "API_FORBIDDEN", attempts: 1 },
    { code: "API_NOT_FOUND", attempts: 1 },
    { code: "API_BAD_REQUEST", attempts: 1 },
    { code: "API_REDIRECTED", attempts: 1 },
    { code: "API_TLS_UNTRUSTED", attempts: 1 },
    { code: "API_RESPONSE_TOO_LARGE", attempts: 1 },
    { code: "API_LICENSE_INACTIVE", attempts: 1 },
  ])("permits $attempts attempts for $code", ({ code, attempts }) => {
    let made = 1;
    while (delayMs({ failure: failure(code), attempt: made }) !== undefined) made++;
    expect(made).toBe(attempts);
  });

  test.each<[string, Partial<FailedAttempt>]>([
    ["the pause does not fit into the time for all attempts", { failure: failure("API_RATE_LIMITED", 60_000) }],
    ["a breaker holds back further ones", { isHeldBack: true }],
    ["the caller answers a timeout with a smaller request", { failure: failure("API_TIMEOUT"), retriesTimeout: false }],
  ])("does not retry when %s", (_when, failed) => {
    expect(delayMs({ failure: failure("API_UNAVAILABLE"), ...failed })).toBeUndefined();
  });

  test.each<ErrorCode>([
    ...(["API_CONNECTION_FAILED", "API_PROXY_FAILED", "API_UNAVAILABLE", "API_TIMEOUT"] as const),
    ...(["API_SERVER_ERROR", "API_NOT_JSON"] as const),
  ])("does not repeat a change after %s, because the server may have executed it", (code) => {
    expect(delayMs({ failure: failure(code), isChange: true })).toBeUndefined();
  });

  test("repeats a change that the server was too busy for", () => {
    expect(delayMs({ failure: failure("API_RATE_LIMITED"), isChange: true })).toBe(0);
  });

  test("retries other failures if the caller excludes timeouts", () => {
    expect(delayMs({ failure: failure("API_UNAVAILABLE"), retriesTimeout: false })).toBe(0);
  });

  test("respects the caller's limit", () => {
    expect(delayMs({ failure: failure("API_UNAVAILABLE"), attempt: 1 }, () => 0, 2)).toBe(0);
    expect(delayMs({ failure: failure("API_UNAVAILABLE"), attempt: 2 }, () => 0, 2)).toBeUndefined();
  });

  test("waits for a random time up to a doubling limit", () => {
    expect(delayMs({ failure: failure("API_UNAVAILABLE") }, () => 0)).toBe(0);
    expect(delayMs({ failure: failure("API_UNAVAILABLE") }, () => 0.5)).toBe(250);
    expect(delayMs({ failure: failure("API_UNAVAILABLE"), attempt: 2 }, () => 0.5)).toBe(500);
  });

  test("waits at least for the server's requested time", () => {
    expect(delayMs({ failure: failure("API_RATE_LIMITED", 7_000) }, () => 0)).toBe(7_000);
    expect(delayMs({ failure: failure("API_RATE_LIMITED", 7_000) }, () => 0.5)).toBe(7_250);
  });

  test("permits ten retries, then one per five successes, to protect a failing server", () => {
    const policy = new RetryPolicy({ random: () => 0 });
    const isRetried = () => policy.delayMs({ ...USUAL, failure: failure("API_UNAVAILABLE") }) !== undefined;
    let retries = 0;
    while (isRetried()) retries++;
    expect(retries).toBe(10);
    for (let count = 0; count < 4; count++) policy.recordSuccess();
    expect(isRetried()).toBe(false);
    policy.recordSuccess();
    expect(isRetried()).toBe(true);
    expect(isRetried()).toBe(false);
  });
});
