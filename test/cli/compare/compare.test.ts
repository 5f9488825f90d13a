import { describe, expect, it } from "vitest";
import { sampleOf, seededRandom } from "../../../src/cli/compare/compare.ts";

const ITEMS = Array.from({ length: 50 }, (_, index) => index);

describe("sampleOf", () => {
  it("chooses the same items for the same seed, and others for another", () => {
    const chosen = (seed: number) => sampleOf(ITEMS, 10, seededRandom(seed));
    expect(chosen(7)).toEqual(chosen(7));
    expect(chosen(7)).not.toEqual(chosen(8));
  });

  it("chooses different items, and all of them if there are too few", () => {
    expect(new Set(sampleOf(ITEMS, 20, seededRandom(1))).size).toBe(20);
    expect([...sampleOf(ITEMS, 99, seededRandom(1))].sort((a, b) => a - b)).toEqual(ITEMS);
  });

  it("gives each item nearly the same chance", () => {
    const random = seededRandom(3);
    const counts = ITEMS.map(() => 0);
    const rounds = 2_000;
    for (let round = 0; round < rounds; round++) {
      for (const item of sampleOf(ITEMS, 5, random)) counts[item] = (counts[item] ?? 0) + 1;
    }
    // 200 expected each, with a standard deviation of 13.
    expect(Math.min(...counts)).toBeGreaterThan(130);
    expect(Math.max(...counts)).toBeLessThan(270);
  });
});
