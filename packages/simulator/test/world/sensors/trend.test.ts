import { expect, test } from "vitest";
import { crossing, type Trend, trendCycle, trendLevel } from "../../../src/world/sensors/trend.ts";
import { DAY, moments } from "../fixtures.ts";

const DISK: Trend = {
  days: [30, 60],
  full: [70, 90],
  ends: [
    { weight: 0.5, range: [20, 30] },
    { weight: 0.5, range: [1, 9] },
  ],
};
const CERTIFICATE: Trend = { days: [60, 90], full: undefined, ends: [{ weight: 1, range: [-5, 40] }] };

test("the level falls during a cycle from high to low", () => {
  for (const at of moments(100, 300)) {
    const cycle = trendCycle(DISK, 11, at);
    expect(cycle.start <= at && at < cycle.end).toBe(true);
    expect(trendLevel(DISK, 11, cycle.start)).toBeCloseTo(cycle.high, 6);
    expect(trendLevel(DISK, 11, cycle.end - 1)).toBeCloseTo(cycle.low, 3);
    expect(trendLevel(DISK, 11, at + 1)).toBeLessThanOrEqual(
      trendLevel(DISK, 11, at) + 100 * Number(at + 1 === cycle.end),
    );
  }
});

test("a count of days falls by one a day", () => {
  const cycle = trendCycle(CERTIFICATE, 5, 0);
  expect(trendLevel(CERTIFICATE, 5, cycle.start) - trendLevel(CERTIFICATE, 5, cycle.start + DAY)).toBeCloseTo(1, 9);
});

test("the level crosses a limit exactly when it falls below it", () => {
  let crossed = 0;
  for (const at of moments(200, 3000)) {
    const cycle = trendCycle(DISK, 12, at);
    const when = crossing(cycle, 10);
    if (when === cycle.end) {
      expect(cycle.low).toBeGreaterThanOrEqual(10);
      continue;
    }
    crossed++;
    expect(trendLevel(DISK, 12, when - 1)).toBeGreaterThan(10);
    expect(trendLevel(DISK, 12, when + 1)).toBeLessThan(10);
  }
  expect(crossed).toBeGreaterThan(50);
});

test("the level crosses nothing without a limit, and can start below its limit", () => {
  const cycle = { start: 0, end: 100, high: 20, low: 0 };
  expect(crossing(cycle, undefined)).toBe(100);
  expect(crossing(cycle, 20)).toBe(0);
  expect(crossing(cycle, 30)).toBe(0);
  expect(crossing(cycle, 10)).toBe(50);
});
