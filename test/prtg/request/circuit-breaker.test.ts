import { describe, expect, test } from "vitest";
import { ApiError } from "../../../src/prtg/api-error.ts";
import { CircuitBreaker } from "../../../src/prtg/request/circuit-breaker.ts";
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
