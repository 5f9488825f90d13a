import { expect, test } from "vitest";
import { Phases } from "../../src/collectors/phases.ts";

test("the first eight servers have no phase, eight share each later one, and gaps stay even", () => {
  const phases = new Phases(Math.random);
  const given: number[] = [];
  while (given.length < 500) {
    given.push(phases.next().part);
    const places = [...new Set(given)].sort((a, b) => a - b);
    expect(places).toHaveLength(Math.ceil(given.length / 8));
    const gaps = places.map((place, at) => (places[at + 1] ?? 1) - place);
    expect(Math.max(...gaps)).toBeLessThan(2 / places.length);
  }
  expect(given[0]).toBe(0);
});

test("servers of one phase wait equally after a tick, and each collector, tick and phase otherwise", () => {
  let drawn = 0;
  const phases = new Phases(() => drawn++ / 10);
  const eight = Array.from({ length: 8 }, () => phases.next());
  const ninth = phases.next();
  // Timers fire some milliseconds apart.
  expect(eight.map((phase, at) => phase.jitter("channels", 60_000 + at))).toEqual(Array(8).fill(0));
  expect(eight.map((phase) => phase.jitter("status", 60_000))).toEqual(Array(8).fill(0.1));
  expect(ninth.jitter("channels", 60_000)).toBe(0.2);
  expect(eight.map((phase) => phase.jitter("channels", 120_000))).toEqual(Array(8).fill(0.3));
});
