import { expect, test } from "vitest";
import { Phases } from "../../src/app/phases.ts";

test("the first server has no phase, and however many there are, no gap between two is twice as wide as it had to be", () => {
  const phases = new Phases();
  const given: number[] = [];
  while (given.length < 500) {
    given.push(phases.next());
    const places = given.toSorted((a, b) => a - b);
    const gaps = places.map((place, at) => (places[at + 1] ?? 1) - place);
    expect(Math.max(...gaps)).toBeLessThan(2 / given.length);
  }
  expect(given[0]).toBe(0);
});
