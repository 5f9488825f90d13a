import { describe, expect, test } from "vitest";
import { Pace } from "../../src/backfill/pace.ts";
import { TickingClock } from "./running.ts";

describe("Pace", () => {
  test("is unknown until something was done and time has passed", () => {
    const clock = new TickingClock();
    const pace = new Pace(clock, 5);
    expect(pace.rate(5)).toBeUndefined();
    expect(pace.rate(6)).toBeUndefined();
    clock.elapsed += 500;
    expect(pace.rate(6)).toBe(2);
  });

  test("does not count what was done before", () => {
    const clock = new TickingClock();
    const pace = new Pace(clock, 1_000);
    clock.elapsed += 10_000;
    expect(pace.rate(1_050)).toBe(5);
  });

  test("is that of the last minute", () => {
    const clock = new TickingClock();
    const pace = new Pace(clock, 0);
    let done = 0;
    // Ten minutes away, then two minutes at ten a second.
    clock.elapsed += 600_000;
    for (let second = 0; second < 120; second++) {
      clock.elapsed += 1_000;
      done += 10;
      pace.rate(done);
    }
    expect(pace.rate(done)).toBe(10);
  });
});
