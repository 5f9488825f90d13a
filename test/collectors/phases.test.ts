import { expect, test } from "vitest";
import { Phases } from "../../src/collectors/phases.ts";

test("the first 32 servers have no phase, 32 share each later one, and gaps stay even", () => {
  const phases = new Phases(Math.random);
  const given: number[] = [];
  while (given.length < 500) {
    given.push(phases.next().part);
    const places = [...new Set(given)].sort((a, b) => a - b);
    expect(places).toHaveLength(Math.ceil(given.length / 32));
    const gaps = places.map((place, at) => (places[at + 1] ?? 1) - place);
    expect(Math.max(...gaps)).toBeLessThan(2 / places.length);
  }
  expect(given[0]).toBe(0);
});

test("servers of one phase wait equally after a tick, and each collector, tick and phase otherwise", () => {
  let drawn = 0;
  const phases = new Phases(() => drawn++ / 10);
  const together = Array.from({ length: 32 }, () => phases.next());
  const later = phases.next();
  // Timers fire some milliseconds apart.
  expect(together.map((phase, at) => phase.jitter("channels", 60_000 + at))).toEqual(Array(32).fill(0));
  expect(together.map((phase) => phase.jitter("status", 60_000))).toEqual(Array(32).fill(0.1));
  expect(later.jitter("channels", 60_000)).toBe(0.2);
  expect(together.map((phase) => phase.jitter("channels", 120_000))).toEqual(Array(32).fill(0.3));
});
