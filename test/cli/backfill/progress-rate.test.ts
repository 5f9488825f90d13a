import { describe, expect, test } from "vitest";
import { ProgressRate } from "../../../src/cli/backfill/output.ts";
import { TickingClock } from "../../backfill/running.ts";

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

  test("stays calm if slow and fast sensors alternate every few minutes", () => {
    const clock = new TickingClock();
    const rate = new ProgressRate(clock, 0);
    const seen: number[] = [];
    let done = 0;
    for (let minute = 0; minute < 60; minute++) {
      const perSecond = minute % 10 < 5 ? 2 : 10;
      for (let second = 0; second < 60; second++) {
        clock.elapsed += 1_000;
        done += perSecond;
        rate.perSecond(done);
      }
      if (minute >= 20) seen.push(rate.perSecond(done) ?? 0);
    }
    expect(Math.max(...seen) / Math.min(...seen)).toBeLessThan(1.5);
  });

  test("is little changed by an outage", () => {
    const clock = new TickingClock();
    const rate = new ProgressRate(clock, 0);
    for (let done = 1; done <= 600; done++) {
      clock.elapsed += done === 300 ? 900_000 : 1_000;
      rate.perSecond(done);
    }
    expect(rate.perSecond(600)).toBeCloseTo(1, 1);
  });
});
