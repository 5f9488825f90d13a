import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { axisOf, type Quantity, quantityOf, timeMarks } from "../../../../src/http/pages/status/axis.ts";

describe("axisOf", () => {
  it.each<[string, number, number, Quantity, number[]]>([
    ["flat 0 %", 0, 0, "ratio", [0, 25, 50, 75, 100]],
    ["a small share", 0, 0.3, "ratio", [0, 0.1, 0.2, 0.3]],
    ["a constant share", 43.8, 43.9, "ratio", [0, 20, 40, 60]],
    ["a large share", 88.2, 92, "ratio", [0, 25, 50, 75, 100]],
    ["more than the whole", 90, 130, "ratio", [0, 50, 100, 150]],
    ["no count", 0, 0, "count", [0, 1]],
    ["a count of 2", 0, 2, "count", [0, 1, 2]],
    ["a count of 37", 15, 37, "count", [0, 10, 20, 30, 40]],
    ["a count of 850", 850, 850, "count", [0, 500, 1000]],
    ["flat 0 of any unit", 0, 0, "other", [0, 0.25, 0.5, 0.75, 1]],
    ["milliseconds near 0", 3, 14, "other", [0, 5, 10, 15]],
    ["milliseconds far from 0", 10, 14, "other", [10, 11, 12, 13, 14]],
    ["a constant", 4_096, 4_096, "other", [0, 2_000, 4_000, 6_000]],
    ["a constant 1", 1, 1, "other", [0, 0.25, 0.5, 0.75, 1]],
    ["a negative constant", -3, -3, "other", [-3, -2, -1, 0]],
    ["nearly a constant", 75.742, 75.885, "other", [75, 75.5, 76, 76.5, 77]],
    ["both signs", -7, 12, "other", [-10, -5, 0, 5, 10, 15]],
    ["negative values near 0", -9, -1, "other", [-10, -7.5, -5, -2.5, 0]],
    ["negative values far from 0", -72, -66, "other", [-72, -70, -68, -66]],
    ["thousands", 7_158, 1_172_700, "other", [0, 500_000, 1_000_000, 1_500_000]],
    ["thousandths", 0.0011, 0.0042, "other", [0, 0.002, 0.004, 0.006]],
  ])("has round values for %s", (_case, low, high, quantity, ticks) => {
    expect(axisOf(low, high, quantity)).toEqual({ low: ticks[0], high: ticks.at(-1), ticks });
  });

  it("has room for all values, in few steps of one size", () => {
    const number = fc.double({ noNaN: true, min: -1e300, max: 1e300 });
    const pair = fc.oneof(
      fc.tuple(number, number),
      number.map((same) => [same, same] as const),
    );
    const quantity = fc.constantFrom<Quantity>("ratio", "count", "other");
    fc.assert(
      fc.property(pair, quantity, ([a, b], kind) => {
        const [least, most] = [Math.min(a, b), Math.max(a, b)];
        const { low, high, ticks } = axisOf(least, most, kind);
        const close = Math.max(Math.abs(low), Math.abs(high)) * 1e-9;
        expect(low).toBeLessThanOrEqual(least + close);
        expect(high).toBeGreaterThanOrEqual(most - close);
        expect(high).toBeGreaterThan(low);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(7);
        if (least >= 0) expect(low).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("stays finite for the largest and smallest numbers", () => {
    for (const size of [Number.MAX_VALUE, Number.MIN_VALUE]) {
      const { low, high, ticks } = axisOf(-size, size, "other");
      expect([low, high, ticks.length].every(Number.isFinite)).toBe(true);
      expect(high).toBeGreaterThan(low);
    }
  });
});

describe("quantityOf", () => {
  it.each([
    ["%", "ratio"],
    ["%/hour", "ratio"],
    ["#", "count"],
    ["Count", "count"],
    ["msec", "other"],
    ["counter", "other"],
    ["", "other"],
  ])("takes the unit %j for %s", (unit, quantity) => {
    expect(quantityOf(unit)).toBe(quantity);
  });
});

describe("timeMarks", () => {
  const marks = (from: string, to: string) =>
    timeMarks(Date.parse(`2026-11-27T${from}Z`), Date.parse(`2026-11-27T${to}Z`)).map((at) =>
      new Date(at).toISOString().slice(11, 16),
    );

  it.each([
    ["four hours", "11:29:08", "15:29:08", ["12:00", "13:00", "14:00", "15:00"]],
    ["four whole hours", "11:00", "15:00", ["11:00", "12:00", "13:00", "14:00", "15:00"]],
    ["two hours", "11:29", "13:29", ["11:40", "12:00", "12:20", "12:40", "13:00", "13:20"]],
    ["half an hour", "11:29", "11:59", ["11:30", "11:35", "11:40", "11:45", "11:50", "11:55"]],
    ["two minutes", "11:29:30", "11:31:30", ["11:30", "11:31"]],
    ["no whole minute", "11:29:10", "11:29:50", []],
  ])("marks round times in %s", (_case, from, to, expected) => {
    expect(marks(from, to)).toEqual(expected);
  });

  it("has at most six marks for any span up to weeks", () => {
    const minutes = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(minutes, minutes, (from, length) => {
        const all = timeMarks(from * 60_000, (from + length) * 60_000);
        expect(all.length).toBeLessThanOrEqual(6);
        expect(all.every((at) => at >= from * 60_000 && at <= (from + length) * 60_000)).toBe(true);
      }),
    );
  });
});
