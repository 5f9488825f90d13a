import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COLLECTOR_NAMES, type CollectorName } from "../../src/collectors/collector.ts";
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

const names = fc.constantFrom(...COLLECTOR_NAMES);

describe("a run begins after its tick", () => {
  test("by chance within a twentieth of the period, and within 5 s", () => {
    const wait = (periodMs: number, random: number) =>
      waitFromTick("channels", periodMs, at(333), { random: () => random });
    expect([wait(MINUTE, 0), wait(MINUTE, 0.5), wait(SECOND, 0.5), wait(HOUR, 0.5)]).toEqual([0, 1500, 25, 2500]);
  });

  test("with many servers at a beat, no more than one later than the chance is wide, and together where the ticks are", () => {
    fc.assert(
      fc.property(names, moments, periods, randoms, (name, moment, periodMs, random) => {
        const clock = at(moment);
        const now = clock.monotonic();
        const wait = waitFromTick(name, periodMs, clock, { random: () => random, isOneOfMany: () => true });
        const longest = Math.min(5 * SECOND, periodMs / 20);
        const beat = Math.min(SECOND / 2, longest);
        expect(wait).toBeGreaterThanOrEqual(-1e-6);
        expect(wait).toBeLessThanOrEqual(longest + beat + 1e-6);
        expect(Math.abs((now + wait) / beat - Math.round((now + wait) / beat))).toBeLessThan(1e-6);
        expect(waitFromTick(name, periodMs, clock, { random: () => 0.1, isOneOfMany: () => true })).toBe(wait);
      }),
    );
  });

  test("with many servers time series before lists of channels, whose values are then on the page together", () => {
    const wait = (name: CollectorName) =>
      waitFromTick(name, MINUTE, at(0), { random: () => 0.5, isOneOfMany: () => true });
    expect([wait("timeseries"), wait("status"), wait("channels")]).toEqual([0, 1500, 3000]);
  });

  test("that become many meanwhile, too", () => {
    let servers = 1;
    const spread = { random: () => 0.51, isOneOfMany: () => servers > 1 };
    const clock = at(0);
    const few = waitFromTick("status", MINUTE, clock, spread);
    servers = 500;
    expect([few, waitFromTick("status", MINUTE, clock, spread)]).toEqual([1530, 1500]);
  });
});
