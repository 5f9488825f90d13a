import { pino } from "pino";
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../src/errors/catalogue.ts";
import { ApiError } from "../../../src/prtg/api-error.ts";
import type { ApiClientOptions } from "../../../src/prtg/options.ts";
import { CircuitBreaker, CircuitBreakers, HEALTH_ENDPOINT } from "../../../src/prtg/request/circuit-breaker.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const failure = new ApiError("API_UNAVAILABLE", "/version: HTTP 503", { endpoint: "/version" });

function breaker(random = () => 0): { breaker: CircuitBreaker; clock: ManualClock; changes: boolean[] } {
  const clock = new ManualClock();
  const changes: boolean[] = [];
  const settings = { threshold: 3, hold: { firstMs: 1_000, maxMs: 5_000, jitter: [1, 0.9] as const } };
  return {
    breaker: new CircuitBreaker({ clock, random, ...settings, changed: (open) => void changes.push(open) }),
    clock,
    changes,
  };
}

function fail(target: CircuitBreaker, times: number): void {
  for (let count = 0; count < times; count++) target.recordFailure(failure);
}

describe("CircuitBreaker", () => {
  test("opens after consecutive failures, but not with a success in between", () => {
    const { breaker: sometimes, changes } = breaker();
    fail(sometimes, 2);
    sometimes.recordSuccess();
    fail(sometimes, 2);
    expect(sometimes.isOpen).toBe(false);
    expect(sometimes.heldForMs()).toBe(0);
    fail(sometimes, 1);
    expect(sometimes.isOpen).toBe(true);
    expect(sometimes.heldForMs()).toBe(1_000);
    expect(sometimes.lastFailure).toBe(failure);
    expect(changes).toEqual([true]);
  });

  test("becomes half-open after its time, and a success closes it", async () => {
    const { breaker: opened, clock, changes } = breaker();
    fail(opened, 3);
    await clock.advance(999);
    expect(opened.heldForMs()).toBe(1);
    await clock.advance(1);
    expect(opened.heldForMs()).toBe(0);
    expect(opened.isOpen).toBe(true);
    opened.recordSuccess();
    expect(opened.isOpen).toBe(false);
    expect(opened.lastFailure).toBeUndefined();
    expect(changes).toEqual([true, false]);
    fail(opened, 2);
    expect(opened.isOpen).toBe(false);
  });

  test("stays open longer after each failed trial, up to a limit", async () => {
    const { breaker: opened, clock, changes } = breaker();
    fail(opened, 3);
    const holds = [opened.heldForMs()];
    for (let trial = 0; trial < 4; trial++) {
      await clock.advance(opened.heldForMs());
      fail(opened, 1);
      holds.push(opened.heldForMs());
    }
    expect(holds).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(changes).toEqual([true]);
  });

  test("returns to a short time after it closed", async () => {
    const { breaker: opened, clock } = breaker();
    fail(opened, 3);
    await clock.advance(1_000);
    fail(opened, 1);
    await clock.advance(2_000);
    opened.recordSuccess();
    fail(opened, 3);
    expect(opened.heldForMs()).toBe(1_000);
  });

  test("ignores failures of requests from before it opened", () => {
    const { breaker: opened } = breaker();
    fail(opened, 10);
    expect(opened.heldForMs()).toBe(1_000);
  });

  test("shortens its time by at most a tenth as jitter", () => {
    const { breaker: opened } = breaker(() => 0.999_999);
    fail(opened, 3);
    expect(opened.heldForMs()).toBeGreaterThan(899);
    expect(opened.heldForMs()).toBeLessThan(901);
  });

  test("stays open for at least the server's requested time", () => {
    const { breaker: opened } = breaker();
    fail(opened, 2);
    opened.recordFailure(new ApiError("API_UNAVAILABLE", "busy", { endpoint: "/version", retryAfterMs: 30_000 }));
    expect(opened.heldForMs()).toBe(30_000);
  });

  test("ignores wall-clock changes", () => {
    const { breaker: opened, clock } = breaker();
    fail(opened, 3);
    clock.setWallClock(clock.now() + 3_600_000);
    expect(opened.heldForMs()).toBe(1_000);
  });
});

describe("CircuitBreakers", () => {
  function breakers() {
    const clock = new ManualClock();
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: "debug", base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const changes: boolean[] = [];
    const owner = () => ({ clock, random: () => 0, log }) as unknown as ApiClientOptions;
    const all = new CircuitBreakers(owner, (open) => void changes.push(open));
    const failAll = (code: ErrorCode, endpoint: string, times: number, httpStatus?: number) => {
      const details = { endpoint, requestId: "4711", remedy: "Wait.", ...(httpStatus !== undefined && { httpStatus }) };
      for (let count = 0; count < times; count++) all.recordFailure(new ApiError(code, `${endpoint}: no`, details));
    };
    return { all, clock, changes, failAll, logged: () => lines.map(({ level, msg }) => `${level} ${msg}`), lines };
  }

  test("holds back all endpoints after five failures of the server, and logs its end", () => {
    const { all, changes, failAll, logged, lines } = breakers();
    failAll("API_UNAVAILABLE", "/version", 4);
    expect([all.refusal("/other"), all.needsProbe, logged()]).toEqual([undefined, false, []]);
    failAll("API_UNAVAILABLE", "/version", 1);
    expect(all.needsProbe).toBe(true);
    const refusal = all.refusal("/other");
    expect(refusal).toMatchObject({
      ...{ code: "API_SUSPENDED", endpoint: "/other", remedy: "Wait.", requestId: "4711" },
      message: expect.stringMatching(/^\/other: backing off for \d+ s after repeated failures$/),
      cause: expect.objectContaining({ code: "API_UNAVAILABLE", endpoint: "/version" }),
    });
    expect(refusal?.retryAfterMs).toBeGreaterThan(0);
    all.recordSuccess("/health");
    expect([all.refusal("/other"), all.needsProbe, changes]).toEqual([undefined, false, [true, false]]);
    expect(logged()).toEqual(["20 server unavailable: backing off", "20 server available again"]);
    expect(lines[0]).toMatchObject({ request_id: "4711" });
  });

  test("holds back one endpoint after three of its own failures, with a warning", () => {
    const { all, changes, failAll, logged, lines } = breakers();
    failAll("API_SERVER_ERROR", "/channels", 2, 500);
    expect(all.refusal("/channels")).toBeUndefined();
    failAll("API_SERVER_ERROR", "/channels", 1, 500);
    expect([all.refusal("/channels")?.code, all.refusal("/other"), all.needsProbe]).toEqual([
      ...["API_SUSPENDED", undefined, false],
    ]);
    all.recordSuccess("/channels");
    expect([all.refusal("/channels"), changes]).toEqual([undefined, []]);
    expect(logged()).toEqual(["40 endpoint fails repeatedly: backing off", "30 endpoint works again"]);
    expect(lines).toMatchObject([{ endpoint: "/channels", request_id: "4711" }, { endpoint: "/channels" }]);
  });

  test.each([
    // The endpoint answers.
    ["API_FORBIDDEN", 403, undefined],
    // The server sheds load, which says nothing about the endpoint.
    ["API_RATE_LIMITED", 429, "API_SUSPENDED"],
  ] as const)(
    "after %s between two failures and a third (HTTP %i), the endpoint is refused with %s",
    (code, status, refused) => {
      const { all, failAll } = breakers();
      failAll("API_TIMEOUT", "/channels", 2);
      failAll(code, "/channels", 1, status);
      failAll("API_TIMEOUT", "/channels", 1);
      expect(all.refusal("/channels")?.code).toBe(refused);
    },
  );

  test("an answer of any status shows that the server works", () => {
    const { all, failAll } = breakers();
    failAll("API_UNAVAILABLE", "/version", 4);
    failAll("API_FORBIDDEN", "/channels", 1, 403);
    failAll("API_UNAVAILABLE", "/version", 1);
    expect(all.needsProbe).toBe(false);
  });

  test("a timeout of the health endpoint concerns the server", () => {
    const { all, failAll } = breakers();
    failAll("API_TIMEOUT", HEALTH_ENDPOINT, 5);
    expect(all.needsProbe).toBe(true);
  });
});
