import { describe, expect, test } from "vitest";
import { ProgressRate } from "../../src/backfill/progress.ts";
import { TickingClock } from "./running.ts";

describe("ProgressRate", () => {
  test("is unknown before the first progress", () => {
    const clock = new TickingClock();
    const rate = new ProgressRate(clock, 5);
    expect(rate.perSecond(5)).toBeUndefined();
    expect(rate.perSecond(6)).toBeUndefined();
    clock.elapsed += 500;
    expect(rate.perSecond(6)).toBe(2);
  });

  test("ignores earlier work", () => {
    const clock = new TickingClock();
    const rate = new ProgressRate(clock, 1_000);
    clock.elapsed += 10_000;
    expect(rate.perSecond(1_050)).toBe(5);
  });

  test("covers the last minute", () => {
    const clock = new TickingClock();
    const rate = new ProgressRate(clock, 0);
    let done = 0;
    // Then two minutes at ten a second.
    clock.elapsed += 600_000;
    for (let second = 0; second < 120; second++) {
      clock.elapsed += 1_000;
      done += 10;
      rate.perSecond(done);
    }
    expect(rate.perSecond(done)).toBe(10);
  });
});
