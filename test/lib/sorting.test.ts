import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { sortInSlices } from "../../src/lib/sorting.ts";
import { TimeSlices } from "../../src/lib/yielding.ts";
import { turnsDuring } from "../support/event-loop-turns.ts";

const slices = () => new TimeSlices(systemClock);

/** The same in each run. */
function shuffled(count: number): number[] {
  return Array.from({ length: count }, (_, index) => (index * 7_919) % count);
}

describe("sortInSlices", () => {
  test.each([0, 1, 2, 255, 256, 257, 1_000, 5_000])("sorts %i items like Array.prototype.sort", async (count) => {
    const items = shuffled(count);
    const compare = (a: number, b: number) => a - b;
    expect(await sortInSlices(items, compare, slices())).toEqual(items.toSorted(compare));
    expect(items).toEqual(shuffled(count));
  });

  test("keeps the order of equal items", async () => {
    const items = shuffled(3_000).map((key, index) => ({ key: key % 7, index }));
    const sorted = await sortInSlices(items, (a, b) => a.key - b.key, slices());
    expect(sorted).toEqual(items.toSorted((a, b) => a.key - b.key));
  });

  test("lets the event loop run", async () => {
    let now = 0;
    const clock = { ...systemClock, monotonic: () => now };
    const slow = (a: number, b: number) => {
      now += 0.001;
      return a - b;
    };
    const turns = await turnsDuring(() => sortInSlices(shuffled(20_000), slow, new TimeSlices(clock)));
    expect(turns).toBeGreaterThan(now / 16);
    expect(now).toBeGreaterThan(100);
  });
});
