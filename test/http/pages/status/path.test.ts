import { describe, expect, it } from "vitest";
import { coarser, type PathPoint, pathOf, pointsText, runsOf } from "../../../../src/http/pages/status/path.ts";

const scale = { x: (at: number) => at, y: (value: number) => 100 - value };

/** Times and values. */
function points(...pairs: readonly (readonly [at: number, low: number, high?: number])[]): PathPoint[] {
  return pairs.map(([at, low, high = low]) => ({ at, low, high }));
}

describe("pathOf", () => {
  it.each<[string, PathPoint[], "line" | "steps" | "area", string]>([
    ["nothing", [], "line", ""],
    ["one point", points([3, 10]), "line", "M3,90h0.01"],
    ["a line", points([0, 10], [5, 20], [10, 0]), "line", "M0,90l5,-10 5,20"],
    ["a level line", points([0, 10], [5, 10], [10, 10], [15, 20]), "line", "M0,90l10,0 5,-10"],
    ["a range", points([0, 10, 30]), "line", "M0,90l0,-20"],
    ["ranges, from their near ends", points([0, 10], [5, 20, 40], [10, 0, 30]), "line", "M0,90l5,-10 0,-20 5,10 0,30"],
    ["steps", points([0, 10], [5, 20], [10, 20]), "steps", "M0,90l5,0 0,-10 5,0"],
    ["an area", points([2, 10], [5, 20]), "area", "M2,90l3,0 0,-10V100H2Z"],
    ["an area of one point", points([2, 10]), "area", "M2,90h0.01V100H2Z"],
  ])("draws %s", (_case, given, form, path) => {
    expect(pathOf(given, scale, form, 100)).toBe(path);
  });
});

describe("pointsText", () => {
  it("writes times as distances, and values only if they change", () => {
    const given = points([1_000, 5], [61_000, 5], [121_400, 5, 6], [181_000, 0.1 + 0.2]);
    expect(pointsText(given, 1_000)).toBe("0,5 60 60,5,6 60,0.3");
  });

  it.each([
    [42.803_61, 42.804],
    [123_456.78, 123_456.8],
    [0.000_123_456, 0.000_123_5],
    [-7.000_4, -7],
    [1e300, 1e300],
  ])("rounds %d as pages do", (value, shown) => {
    expect(pointsText(points([0, value]), 0)).toBe(`0,${shown}`);
  });
});

describe("runsOf", () => {
  it("breaks at gaps of more than twice the usual distance", () => {
    const given = points([0, 1], [10, 1], [20, 1], [46, 1], [56, 1]);
    expect(runsOf(given).map((run) => run.length)).toEqual([3, 2]);
    expect(runsOf(given, 30)).toHaveLength(1);
    expect(runsOf([])).toEqual([]);
  });
});

describe("coarser", () => {
  it("keeps the lowest and the highest value of each span", () => {
    const given = points([100, 5], [150, 1, 9], [200, 4]);
    expect(coarser(given, 100, 100)).toEqual(points([100, 1, 9], [200, 4]));
  });
});
