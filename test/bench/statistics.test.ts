import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { growthOf, measureInTurns, ratiosOf, spreadOf } from "../../bench/statistics.ts";

describe("spreadOf", () => {
  test.each([
    [[7], { minimum: 7, median: 7, maximum: 7 }],
    [[3, 1, 2], { minimum: 1, median: 2, maximum: 3 }],
    [[10, 9, 100, 1], { minimum: 1, median: 9.5, maximum: 100 }],
  ])("spread of %j", (values, spread) => {
    expect(spreadOf(values)).toEqual(spread);
  });

  test("ignores the order and puts half of the values on each side of the median", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1 }), (values) => {
        const { minimum, median, maximum } = spreadOf(values);
        expect(spreadOf(values.toReversed())).toEqual({ minimum, median, maximum });
        expect(minimum).toBe(Math.min(...values));
        expect(maximum).toBe(Math.max(...values));
        expect(values.filter((value) => value < median).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > median).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });

  test("rejects an empty list", () => {
    expect(() => spreadOf([])).toThrow(RangeError);
  });
});

test.each([
  [undefined, "ababab", { a: [3, 5], b: [4, 6] }],
  [3, "ababababab", { a: [7, 9], b: [8, 10] }],
])("contenders take turns, and the bench ignores a warm-up of %s rounds", async (warmUp, turns, expected) => {
  const calls: string[] = [];
  const contender = (name: string) => async () => {
    calls.push(name);
    return calls.length;
  };
  const samples = await measureInTurns({ a: contender("a"), b: contender("b") }, 2, warmUp);
  expect(calls.join("")).toBe(turns);
  expect(samples).toEqual(expected);
});

test("ratios use pairs of one round, and a disturbed round has no effect", () => {
  expect(ratiosOf([20, 2000, 30], [10, 1000, 15])).toEqual({ minimum: 2, median: 2, maximum: 2 });
});

describe("growthOf", () => {
  test.each([
    ["constant values", [100, 101, 99, 100, 100, 101], 0],
    ["doubling values", [100, 100, 150, 150, 200, 200], 1],
    ["falling values", [200, 200, 200, 100, 100, 100], -0.5],
    ["two values", [50, 60], 0.2],
  ])("growth of %s", (_what, values, growth) => {
    expect(growthOf(values)).toBeCloseTo(growth, 2);
  });
});
