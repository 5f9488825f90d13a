import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { waitFromTick } from "../../src/collectors/run-spread.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { HOUR, MINUTE, SECOND } from "./monitored.ts";

const LONGEST_PERIOD = 24 * HOUR;
const moments = fc.integer({ min: 0, max: HOUR });
const periods = fc.integer({ min: SECOND, max: LONGEST_PERIOD });
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function at(moment: number): ManualClock {
  const clock = new ManualClock();
  void clock.advance(moment);
  return clock;
}

describe("a run begins after its tick", () => {
  test("by chance within a twentieth of the period, and within 5 s", () => {
    const wait = (periodMs: number, random: number) => waitFromTick(periodMs, at(333), { random: () => random });
    expect([wait(MINUTE, 0), wait(MINUTE, 0.5), wait(SECOND, 0.5), wait(HOUR, 0.5)]).toEqual([0, 1500, 25, 2500]);
  });

  test("with many servers at the next beat after that, which is no longer than the chance is wide", () => {
    fc.assert(
      fc.property(moments, periods, randoms, (moment, periodMs, random) => {
        const clock = at(moment);
        const now = clock.monotonic();
        const alone = waitFromTick(periodMs, clock, { random: () => random });
        const wait = waitFromTick(periodMs, clock, { random: () => random, isOneOfMany: () => true });
        const beat = Math.min(SECOND / 2, periodMs / 20);
        expect(wait).toBeGreaterThanOrEqual(alone - 1e-6);
        expect(wait).toBeLessThanOrEqual(alone + beat + 1e-6);
        expect(Math.abs((now + wait) / beat - Math.round((now + wait) / beat))).toBeLessThan(1e-6);
      }),
    );
  });

  test("that become many meanwhile, too", () => {
    let servers = 1;
    const spread = { random: () => 0.51, isOneOfMany: () => servers > 1 };
    const clock = at(0);
    const few = waitFromTick(MINUTE, clock, spread);
    servers = 500;
    expect([few, waitFromTick(MINUTE, clock, spread)]).toEqual([1530, 2000]);
  });
});
