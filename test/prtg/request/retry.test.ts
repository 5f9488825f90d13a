import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../src/errors/catalogue.ts";
import { ApiError } from "../../../src/prtg/api-error.ts";
import { RetryBudget, retryDelayMs } from "../../../src/prtg/request/retry.ts";

function failure(code: ErrorCode, retryAfterMs?: number): ApiError {
  return new ApiError(code, "failed", { endpoint: "/version", retryAfterMs });
}

describe("retryDelayMs", () => {
  test.each<{ code: ErrorCode; attempts: number }>([
    { code: "API_CONNECTION_FAILED", attempts: 3 },
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
  ])("$code is worth $attempts attempts", ({ code, attempts }) => {
    let made = 1;
    while (retryDelayMs(failure(code), made, () => 0) !== undefined) made++;
    expect(made).toBe(attempts);
  });

  test("waits for a random time up to a bound that doubles", () => {
    expect(retryDelayMs(failure("API_UNAVAILABLE"), 1, () => 0)).toBe(0);
    expect(retryDelayMs(failure("API_UNAVAILABLE"), 1, () => 0.5)).toBe(250);
    expect(retryDelayMs(failure("API_UNAVAILABLE"), 2, () => 0.5)).toBe(500);
  });

  test("waits no less than the server asks", () => {
    expect(retryDelayMs(failure("API_RATE_LIMITED", 7_000), 1, () => 0)).toBe(7_000);
    expect(retryDelayMs(failure("API_RATE_LIMITED", 7_000), 1, () => 0.5)).toBe(7_250);
  });
});

describe("RetryBudget", () => {
  test("allows some retries at once, then one for every five successes", () => {
    const budget = new RetryBudget();
    let spent = 0;
    while (budget.spend()) spent++;
    expect(spent).toBe(10);
    for (let count = 0; count < 4; count++) budget.succeeded();
    expect(budget.spend()).toBe(false);
    budget.succeeded();
    expect(budget.spend()).toBe(true);
    expect(budget.spend()).toBe(false);
  });
});
