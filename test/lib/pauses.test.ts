import { expect, test } from "vitest";
import { Pauses } from "../../src/lib/pauses.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("a pause applies to all holders of its key", async () => {
  const clock = new ManualClock();
  const pauses = new Pauses(clock);
  pauses.of("a").hold(25_000);
  expect([pauses.of("a").heldForMs(), pauses.of("b").heldForMs()]).toEqual([25_000, 0]);
  await clock.advance(24_999);
  expect(pauses.of("a").heldForMs()).toBe(1);
  await clock.advance(1);
  expect(pauses.of("a").heldForMs()).toBe(0);
});

test("a pause never becomes shorter at any wall-clock time", async () => {
  const clock = new ManualClock();
  const pause = new Pauses(clock).of("a");
  pause.hold(25_000);
  pause.hold(0);
  pause.hold(5_000);
  clock.setWallClock(clock.now() + 3_600_000);
  expect(pause.heldForMs()).toBe(25_000);
  await clock.advance(30_000);
  pause.hold(1_000);
  expect(pause.heldForMs()).toBe(1_000);
});
