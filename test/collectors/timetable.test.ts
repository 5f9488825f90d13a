import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { createTimetable } from "../../src/collectors/timetable.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { HOUR, MINUTE, SECOND } from "./memory-pipeline.ts";

const log = pino({ level: "silent" });

describe("interval", () => {
  test("ticks on the monotonic clock at any wall-clock time", async () => {
    const clock = new ManualClock();
    const timetable = createTimetable({ kind: "interval", everyMs: 45 * SECOND }, clock, log);
    const ticks: number[] = [];
    timetable.start(() => ticks.push(clock.monotonic()));
    await clock.advance(50 * SECOND);
    clock.setWallClock(clock.now() - 24 * HOUR);
    await clock.advance(2 * MINUTE);
    expect(ticks).toEqual([45, 90, 135].map((seconds) => seconds * SECOND));
    expect(timetable.msToNext()).toBe(10 * SECOND);
    expect(timetable.msToThird()).toBe(135 * SECOND);
    expect(timetable.period()).toBe(45 * SECOND);
    timetable.stop();
    await clock.advance(HOUR);
    expect(ticks).toHaveLength(3);
    expect(clock.pending).toEqual([]);
  });

  test("ticks earlier by its phase and keeps the rhythm", async () => {
    const clock = new ManualClock();
    const timetable = createTimetable({ kind: "interval", everyMs: MINUTE }, clock, log, 0.75);
    expect(timetable.msToNext()).toBe(15 * SECOND);
    await clock.advance(5 * SECOND);
    const ticks: number[] = [];
    expect(timetable.start(() => ticks.push(clock.monotonic()))).toBe(false);
    await clock.advance(2 * MINUTE);
    // Starts later than its creation.
    expect(ticks).toEqual([15, 75].map((seconds) => seconds * SECOND));
    expect(timetable.msToThird()).toBe(3 * MINUTE);
    const other = createTimetable({ kind: "interval", everyMs: MINUTE }, clock, log, 0.75);
    expect(other.msToNext()).toBe(timetable.msToNext());
    timetable.stop();
  });

  test("continues the ticks of another timetable with any phase", async () => {
    const clock = new ManualClock();
    const timetable = createTimetable({ kind: "interval", everyMs: MINUTE }, clock, log, 0.75);
    timetable.start(() => undefined, clock.monotonic());
    expect(timetable.msToNext()).toBe(MINUTE);
    timetable.stop();
  });
});
