import { expect, test } from "vitest";
import { Phases } from "../../src/collectors/timetable.ts";

test("the first eight servers have no phase, eight share each later one, and gaps stay even", () => {
  const phases = new Phases();
  const given: number[] = [];
  while (given.length < 500) {
    given.push(phases.next());
    const places = [...new Set(given)].sort((a, b) => a - b);
    expect(places).toHaveLength(Math.ceil(given.length / 8));
    const gaps = places.map((place, at) => (places[at + 1] ?? 1) - place);
    expect(Math.max(...gaps)).toBeLessThan(2 / places.length);
  }
  expect(given[0]).toBe(0);
});
