import { expect, onTestFinished, test } from "vitest";
import { StatusCourses } from "../../src/app/status-courses.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { ManualClock } from "../support/manual-clock.ts";

const MINUTE = 60_000;

function server(statuses: readonly StatusToken[]) {
  const counts = new Map<StatusToken, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return { view: { state: { sensorsByStatus: counts } } };
}

function started(monitors: Map<string, ReturnType<typeof server>>) {
  const clock = new ManualClock();
  const courses = new StatusCourses(clock, () => monitors);
  const running = courses.run();
  onTestFinished(() => {
    courses.stop();
    return running;
  });
  return { clock, courses, running };
}

test("counts sensors of each server by required action", async () => {
  const statuses = [
    "up",
    "down",
    "partialdown",
    "disconnected",
    "acknowledged",
    "warning",
    "unusual",
    "pauseduntil",
    "unknown",
    "collecting",
  ] as const;
  const { clock, courses } = started(new Map([["hq", server(statuses)]]));
  const at = clock.now();
  await clock.advance(0);
  expect(courses.of("hq")).toEqual([
    { at, counts: { down: 3, unknown: 1, acknowledged: 1, warning: 2, paused: 1, other: 1, up: 1 } },
  ]);
  expect(courses.of("another")).toEqual([]);
});

test("counts any number of sensors", async () => {
  const counts = new Map<StatusToken, number>([["down", 3]]);
  const { clock, courses } = started(new Map([["hq", { view: { state: { sensorsByStatus: counts } } }]]));
  await clock.advance(0);
  counts.set("up", 70_000);
  await clock.advance(MINUTE);
  expect(courses.of("hq").map((sample) => [sample.counts.up, sample.counts.down])).toEqual([
    [0, 3],
    [70_000, 3],
  ]);
});

test("leaves no gap if a timer fires half a millisecond early", async () => {
  const clock = new ManualClock();
  const courses = new StatusCourses(clock, () => new Map([["hq", server(["up"])]]));
  const began = clock.now();
  courses.sample();
  await clock.advance(MINUTE - 0.5);
  courses.sample();
  expect(courses.of("hq").map(({ at }) => at - began)).toEqual([0, MINUTE]);
});

test("keeps one sample a minute for four hours", async () => {
  const monitors = new Map([["hq", server(["up"])]]);
  const { clock, courses } = started(monitors);
  const began = clock.now();
  await clock.advance(0);
  for (let minute = 1; minute <= 250; minute++) {
    if (minute === 200) monitors.set("hq", server(["down"]));
    await clock.advance(MINUTE);
  }
  const course = courses.of("hq");
  expect(course).toHaveLength(240);
  expect(course[0]?.at).toBe(began + 11 * MINUTE);
  expect(course.at(-1)?.at).toBe(began + 250 * MINUTE);
  expect(course.filter(({ counts }) => counts.down === 1)).toHaveLength(51);
});

test("has no sample for a server with unknown sensors, and removes deleted servers", async () => {
  const monitors = new Map([["hq", server([])]]);
  const { clock, courses } = started(monitors);
  await clock.advance(MINUTE);
  expect(courses.of("hq")).toEqual([]);
  monitors.set("hq", server(["up"]));
  await clock.advance(MINUTE);
  expect(courses.of("hq")).toHaveLength(1);
  monitors.clear();
  await clock.advance(MINUTE);
  expect(courses.of("hq")).toEqual([]);
});

test("follows changes of the wall clock", async () => {
  const { clock, courses } = started(new Map([["hq", server(["up"])]]));
  await clock.advance(MINUTE);
  clock.setWallClock(5_000_000);
  expect(courses.of("hq").map(({ at }) => at)).toEqual([5_000_000 - MINUTE, 5_000_000]);
});

test("ends when it stops", async () => {
  const { clock, courses, running } = started(new Map());
  await clock.advance(0);
  expect(clock.pending).toEqual([MINUTE]);
  courses.stop();
  await running;
  expect(clock.pending).toEqual([]);
});
