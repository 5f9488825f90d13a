import { describe, expect, test } from "vitest";
import { Pauses, RETRIES, retryDelayMs } from "../../src/lib/retry-delay.ts";
import { ManualClock } from "../support/manual-clock.ts";

describe("retryDelayMs", () => {
  test.each([
    { failures: 1, ms: 100 },
    { failures: 2, ms: 200 },
    { failures: 4, ms: 800 },
    { failures: 5, ms: 1_000 },
    { failures: 2_000, ms: 1_000 },
  ])("is $ms ms after failure $failures", ({ failures, ms }) => {
    expect(retryDelayMs({ firstMs: 100, maxMs: 1_000 }, failures)).toBe(ms);
  });

  test.each([
    { jitter: [0.5, 1] as const, random: 0, ms: 500 },
    { jitter: [0.5, 1] as const, random: 0.5, ms: 750 },
    { jitter: [1, 0.9] as const, random: 0, ms: 1_000 },
    { jitter: [1, 0.9] as const, random: 1, ms: 900 },
  ])("is $ms ms with the jitter $jitter and the random number $random", ({ jitter, random, ms }) => {
    expect(retryDelayMs({ firstMs: 1_000, maxMs: 5_000, jitter }, 1, random)).toBe(ms);
  });

  test.each(Object.entries(RETRIES))("the policy %s begins with its shortest delay", (_, { firstMs, maxMs }) => {
    expect(firstMs).toBeGreaterThan(0);
    expect(maxMs).toBeGreaterThan(firstMs);
  });
});

test("a pause applies to all holders of its key", async () => {
  const clock = new ManualClock();
  const pauses = new Pauses(clock);
  pauses.of("a").hold(25_000);
  expect([pauses.of("a").heldForMs(), pauses.of("b").heldForMs()]).toEqual([25_000, 0]);
  await clock.advance(24_999);
  expect(pauses.of("a").heldForMs()).toBe(1);
  await clock.advance(1);
  expect(pauses.of("a").heldForMs()).toBe(0);
});

test("a pause never becomes shorter at any wall-clock time", async () => {
  const clock = new ManualClock();
  const pause = new Pauses(clock).of("a");
  pause.hold(25_000);
  pause.hold(0);
  pause.hold(5_000);
  clock.setWallClock(clock.now() + 3_600_000);
  expect(pause.heldForMs()).toBe(25_000);
  await clock.advance(30_000);
  pause.hold(1_000);
  expect(pause.heldForMs()).toBe(1_000);
});
