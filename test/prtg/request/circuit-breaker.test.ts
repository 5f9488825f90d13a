import { describe, expect, test } from "vitest";
import { ApiError } from "../../../src/prtg/api-error.ts";
import { CircuitBreaker } from "../../../src/prtg/request/circuit-breaker.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const failure = new ApiError("API_UNAVAILABLE", "/version: HTTP 503", { endpoint: "/version" });

function breaker(random = () => 0): { breaker: CircuitBreaker; clock: ManualClock; changes: boolean[] } {
  const clock = new ManualClock();
  const changes: boolean[] = [];
  const settings = { threshold: 3, firstHoldMs: 1_000, maxHoldMs: 5_000 };
  return { breaker: new CircuitBreaker(clock, random, settings, (open) => changes.push(open)), clock, changes };
}

function fail(target: CircuitBreaker, times: number): void {
  for (let count = 0; count < times; count++) target.recordFailure(failure);
}

describe("CircuitBreaker", () => {
  test("opens after failures in a row, not after as many with a success between", () => {
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

  test("is half-open when its time is over; a success closes it", async () => {
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

  test("stays open longer with each failed trial, up to a bound", async () => {
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

  test("starts with a short time again after it was closed", async () => {
    const { breaker: opened, clock } = breaker();
    fail(opened, 3);
    await clock.advance(1_000);
    fail(opened, 1);
    await clock.advance(2_000);
    opened.recordSuccess();
    fail(opened, 3);
    expect(opened.heldForMs()).toBe(1_000);
  });

  test("failures of requests that were under way when it opened do not prolong it", () => {
    const { breaker: opened } = breaker();
    fail(opened, 10);
    expect(opened.heldForMs()).toBe(1_000);
  });

  test("jitter shortens its time by a tenth at most", () => {
    const { breaker: opened } = breaker(() => 0.999_999);
    fail(opened, 3);
    expect(opened.heldForMs()).toBeGreaterThan(899);
    expect(opened.heldForMs()).toBeLessThan(901);
  });

  test("stays open at least as long as the server asked", () => {
    const { breaker: opened } = breaker();
    fail(opened, 2);
    opened.recordFailure(new ApiError("API_UNAVAILABLE", "busy", { endpoint: "/version", retryAfterMs: 30_000 }));
    expect(opened.heldForMs()).toBe(30_000);
  });

  test("does not heed a wall clock that is set", () => {
    const { breaker: opened, clock } = breaker();
    fail(opened, 3);
    clock.setWallClock(clock.now() + 3_600_000);
    expect(opened.heldForMs()).toBe(1_000);
  });
});
