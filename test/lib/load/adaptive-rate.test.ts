import fc from "fast-check";
import { expect, test } from "vitest";
import {
  adaptAtOnce,
  adaptRate,
  FIRST_RATE,
  MAX_AT_ONCE,
  MAX_RATE,
  MIN_AT_ONCE,
  MIN_RATE,
} from "../../../src/lib/load/adaptive-rate.ts";

const rates = fc.double({ min: MIN_RATE, max: MAX_RATE, noNaN: true });
const uses = fc.integer({ min: 0, max: 2 * MAX_RATE });

test.each([
  [
    "a cut from what was used, as the rest has no part in it",
    1_000,
    { pressure: "high", used: 100, isWanted: true },
    70,
  ],
  ["a cut from what is allowed", 100, { pressure: "high", used: 110, isWanted: false }, 70],
  ["never less than the least", 5, { pressure: "high", used: 5, isWanted: true }, MIN_RATE],
  ["no cut where nothing was read", 1_000, { pressure: "high", used: 0, isWanted: false }, 1_000],
  ["a little more in between, where more is wanted", 50, { pressure: "steady", used: 50, isWanted: true }, 50.1],
  ["no change in between where no more is wanted", 50, { pressure: "steady", used: 20, isWanted: false }, 50],
  ["more where more is wanted", 50, { pressure: "calm", used: 50, isWanted: true }, 57],
  ["no more than is wanted", 50, { pressure: "calm", used: 20, isWanted: false }, 50],
  ["never more than the most", MAX_RATE, { pressure: "calm", used: 9_000, isWanted: true }, MAX_RATE],
] as const)("%s", (_, rate, demand, next) => {
  expect(adaptRate(rate, demand)).toBeCloseTo(next);
});

test("pressure always leaves less of what goes on, down to the least", () => {
  fc.assert(
    fc.property(rates, uses, fc.boolean(), (rate, used, isWanted) => {
      fc.pre(used > MIN_RATE);
      const next = adaptRate(rate, { pressure: "high", used, isWanted });
      expect(next).toBeLessThan(used);
      if (rate > MIN_RATE) expect(next).toBeLessThan(rate);
      expect(next).toBeGreaterThanOrEqual(MIN_RATE);
    }),
  );
});

test("calm restores any rate to what is wanted within a minute and a half", () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: MAX_RATE }), (from, wanted) => {
      let rate = from;
      for (let second = 0; second < 90; second++) {
        rate = adaptRate(rate, { pressure: "calm", used: Math.min(rate, wanted), isWanted: rate < wanted });
      }
      expect(rate).toBeGreaterThanOrEqual(wanted);
    }),
  );
});

test("begins with what one server may be asked for by default, and more", () => {
  expect(FIRST_RATE).toBeGreaterThanOrEqual(20);
});

test.each([
  ["more where more wait and there is time", MIN_AT_ONCE, "calm", true, 2 * MIN_AT_ONCE],
  ["no more than wait", MIN_AT_ONCE, "calm", false, MIN_AT_ONCE],
  ["no change in between", 256, "steady", true, 256],
  ["the least at once under pressure", MAX_AT_ONCE, "high", true, MIN_AT_ONCE],
  ["never more than the most", MAX_AT_ONCE, "calm", true, MAX_AT_ONCE],
] as const)("units at once: %s", (_, atOnce, pressure, isWanted, next) => {
  expect(adaptAtOnce(atOnce, { pressure, isWanted })).toBe(next);
});
