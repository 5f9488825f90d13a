import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { SharedLane, shareTurn, sortInSlices, TimeSlices, yieldToEventLoop } from "../../src/lib/yielding.ts";
import { turnsDuring } from "../support/event-loop-turns.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("one piece of work runs per turn of the event loop, in order", async () => {
  const done: string[] = [];
  const work = async (name: string, pieces: number) => {
    for (let piece = 1; piece <= pieces; piece++) {
      await yieldToEventLoop();
      done.push(`${name}${piece}`);
    }
  };
  const all = Promise.all([work("a", 2), work("b", 1), work("c", 2)]);
  const turns: number[] = [];
  while (done.length < 5) {
    await turn();
    turns.push(done.length);
  }
  await all;
  expect(done).toEqual(["a1", "b1", "c1", "a2", "c2"]);
  for (const [index, count] of turns.entries()) expect(count - (turns[index - 1] ?? 0)).toBeLessThanOrEqual(1);
});

test("work for readers comes before background work, which still gets turns", async () => {
  const done: string[] = [];
  const work = async (name: string, lane: "reader" | "background", pieces: number) => {
    for (let piece = 0; piece < pieces; piece++) {
      await yieldToEventLoop(lane);
      done.push(name);
    }
  };
  const background = Array.from({ length: 100 }, () => work("poll", "background", 3));
  await work("scrape", "reader", 30);
  expect(done.filter((name) => name === "poll").length).toBeGreaterThanOrEqual(9);
  expect(done.filter((name) => name === "poll").length).toBeLessThanOrEqual(11);
  await Promise.all(background);
});

test("a background lane with its waiting work moves up when a reader needs it", async () => {
  const lane = new SharedLane();
  const done: string[] = [];
  const work = async (name: string, where: SharedLane | "background", pieces: number) => {
    for (let piece = 0; piece < pieces; piece++) {
      await yieldToEventLoop(where);
      done.push(name);
    }
  };
  const polls = () => done.filter((name) => name === "poll").length;
  const background = Array.from({ length: 100 }, () => work("poll", "background", 5));
  await work("unread", lane, 1);
  expect(polls()).toBe(100);
  const rest = work("page", lane, 30);
  const before = polls();
  await lane.readerWaitsFor(() => rest);
  expect(polls() - before).toBeLessThanOrEqual(11);
  expect(lane.current).toBe("background");
  await expect(lane.readerWaitsFor(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  expect(lane.current).toBe("background");
  await Promise.all(background);
});

test("small pieces in a row share a turn up to the length of a slice", async () => {
  let pieces = 0;
  const clock = Object.assign(new ManualClock(), { monotonic: () => 3 * pieces });
  const work = async () => {
    for (; pieces < 30; pieces++) await shareTurn(clock);
  };
  const all = work();
  const byTurn: number[] = [];
  while (pieces < 30) {
    const before = pieces;
    await turn();
    byTurn.push(pieces - before);
  }
  await all;
  expect(Math.max(...byTurn)).toBeLessThanOrEqual(4);
});

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
