import { getTasks } from "node-cron";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { createTimetable } from "../../src/collectors/timetable.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { HOUR, MINUTE, SECOND } from "./monitored.ts";

const log = pino({ level: "silent" });

describe("an interval", () => {
  it("ticks on the monotonic clock, whatever the wall clock does", async () => {
    const clock = new ManualClock();
    const timetable = createTimetable({ kind: "interval", everyMs: 45 * SECOND }, clock, log);
    const ticks: number[] = [];
    timetable.start(() => ticks.push(clock.monotonic()));
    await clock.advance(50 * SECOND);
    clock.setWallClock(clock.now() - 24 * HOUR);
    await clock.advance(2 * MINUTE);
    expect(ticks).toEqual([45, 90, 135].map((seconds) => seconds * SECOND));
    expect(timetable.untilNext()).toBe(10 * SECOND);
    expect(timetable.untilThird()).toBe(135 * SECOND);
    expect(timetable.period()).toBe(45 * SECOND);
    timetable.stop();
    await clock.advance(HOUR);
    expect(ticks).toHaveLength(3);
    expect(clock.pending).toEqual([]);
  });
});

describe("a cron expression", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date(2026, 0, 15, 12, 0, 5), toFake: ["setTimeout", "clearTimeout", "Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("ticks when node-cron says so", async () => {
    const timetable = createTimetable({ kind: "cron", expression: "*/20 * * * * *" }, systemClock, log);
    const ticks: number[] = [];
    timetable.start(() => ticks.push(new Date().getSeconds()));
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(ticks).toEqual([20, 40, 0]);
    expect(timetable.untilNext()).toBe(15 * SECOND);
    expect(timetable.untilThird()).toBe(55 * SECOND);
    expect(timetable.period()).toBe(20 * SECOND);
    timetable.stop();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(ticks).toHaveLength(3);
    expect(getTasks().size).toBe(0);
  });

  it("knows its next times without being started", () => {
    const timetable = createTimetable({ kind: "cron", expression: "0 0 * * * *" }, systemClock, log);
    expect(timetable.untilThird()).toBe(3 * HOUR - 5 * SECOND);
    timetable.stop();
  });

  it("lasts over the gaps of an uneven schedule", () => {
    // A Thursday noon; the next runs are Friday and Monday at nine, Tuesday at nine.
    const timetable = createTimetable({ kind: "cron", expression: "0 0 9 * * 1-5" }, systemClock, log);
    expect(timetable.untilThird()).toBe(5 * 24 * HOUR - 3 * HOUR - 5 * SECOND);
    timetable.stop();
  });

  it("speaks through our logger", async () => {
    const lines: { level: number; msg: string }[] = [];
    const logger = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const timetable = createTimetable({ kind: "cron", expression: "0 * * * * *" }, systemClock, logger);
    timetable.start(() => {
      throw new Error("a tick must not throw");
    });
    await vi.advanceTimersByTimeAsync(MINUTE);
    timetable.stop();
    expect(lines.map(({ level, msg }) => [level, msg])).toContainEqual([50, "a tick must not throw"]);
  });
});
