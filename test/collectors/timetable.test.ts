import fc from "fast-check";
import { createTask, getTasks } from "node-cron";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { createTimetable } from "../../src/collectors/timetable.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { runs } from "../support/runs.ts";
import { HOUR, type LogLine, MINUTE, SECOND } from "./memory-pipeline.ts";

const DAY = 24 * HOUR;
const ownZone = process.env.TZ;

afterEach(() => {
  if (ownZone === undefined) delete process.env.TZ;
  else process.env.TZ = ownZone;
});

const silent = pino({ level: "silent" });

describe("interval", () => {
  test("ticks on the monotonic clock at any wall-clock time", async () => {
    const clock = new ManualClock();
    const timetable = createTimetable({ kind: "interval", everyMs: 45 * SECOND }, clock, silent);
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
    const timetable = createTimetable({ kind: "interval", everyMs: MINUTE }, clock, silent, 0.75);
    expect(timetable.msToNext()).toBe(15 * SECOND);
    await clock.advance(5 * SECOND);
    const ticks: number[] = [];
    expect(timetable.start(() => ticks.push(clock.monotonic()))).toBe(false);
    await clock.advance(2 * MINUTE);
    // Starts later than its creation.
    expect(ticks).toEqual([15, 75].map((seconds) => seconds * SECOND));
    expect(timetable.msToThird()).toBe(3 * MINUTE);
    const other = createTimetable({ kind: "interval", everyMs: MINUTE }, clock, silent, 0.75);
    expect(other.msToNext()).toBe(timetable.msToNext());
    timetable.stop();
  });

  test("continues the ticks of another timetable with any phase", async () => {
    const clock = new ManualClock();
    const timetable = createTimetable({ kind: "interval", everyMs: MINUTE }, clock, silent, 0.75);
    timetable.start(() => undefined, clock.monotonic());
    expect(timetable.msToNext()).toBe(MINUTE);
    timetable.stop();
  });
});

function ticking(expression: string, start: number, zone = "UTC") {
  process.env.TZ = zone;
  const clock = new ManualClock(start);
  const log: LogLine[] = [];
  const logger = pino({ level: "debug" }, { write: (line: string) => void log.push(JSON.parse(line)) });
  const timetable = createTimetable({ kind: "cron", expression }, clock, logger);
  /** Wall clock, and time since the start. */
  const ticks: { readonly at: number; readonly after: number }[] = [];
  timetable.start(() => ticks.push({ at: clock.now(), after: clock.monotonic() }));
  return { clock, log, timetable, ticks, times: () => ticks.map(({ at }) => new Date(at).toISOString()) };
}

/** Ticks according to node-cron, which is asked at multiples of `step`. */
function named(expression: string, zone: string, from: number, to: number, step: number): number[] {
  const task = createTask(expression, () => undefined, { timezone: zone });
  void task.destroy();
  const found: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    if (task.match(new Date(at))) found.push(at);
  }
  return found;
}

describe("cron expression", () => {
  const start = Date.UTC(2026, 0, 15, 12, 0, 5);

  test("ticks at the times of node-cron", async () => {
    const subject = ticking("*/20 * * * * *", start);
    await subject.clock.advance(MINUTE);
    expect(subject.ticks.map(({ at }) => new Date(at).getUTCSeconds())).toEqual([20, 40, 0]);
    expect(subject.timetable.msToNext()).toBe(15 * SECOND);
    expect(subject.timetable.msToThird()).toBe(55 * SECOND);
    expect(subject.timetable.period()).toBe(20 * SECOND);
    subject.timetable.stop();
    await subject.clock.advance(MINUTE);
    expect(subject.ticks).toHaveLength(3);
    expect(subject.clock.pending).toEqual([]);
    expect(subject.log).toEqual([]);
    expect(getTasks().size).toBe(0);
  });

  test("reports the time to the third tick of an uneven schedule", () => {
    // Thursday noon. Next: Friday, Monday and Tuesday at nine.
    const subject = ticking("0 0 9 * * 1-5", start);
    expect(subject.timetable.msToThird()).toBe(5 * DAY - 3 * HOUR - 5 * SECOND);
    subject.timetable.stop();
  });

  test("can name days that are years away", () => {
    const subject = ticking("0 0 0 29 2 *", start);
    expect(subject.timetable.msToNext()).toBe(Date.UTC(2028, 1, 29) - start);
    subject.timetable.stop();
  });

  test("restarts after a stop", async () => {
    const subject = ticking("0 * * * * *", start);
    subject.timetable.stop();
    await subject.clock.advance(5 * MINUTE);
    const again: number[] = [];
    subject.timetable.start(() => again.push(subject.clock.monotonic()));
    await subject.clock.advance(MINUTE);
    expect(again).toEqual([6 * MINUTE - 5 * SECOND]);
    expect(subject.ticks).toEqual([]);
    subject.timetable.stop();
  });
});

/** Start and end of summer time in 2026. */
const CHANGES = [
  ["Europe/Berlin", Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)],
  ["Europe/London", Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)],
  ["America/New_York", Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 10, 1, 6)],
  // Half an hour, southern hemisphere.
  ["Australia/Lord_Howe", Date.UTC(2026, 9, 3, 15, 30), Date.UTC(2026, 3, 4, 15)],
] as const;

describe.each(CHANGES)("change to and from summer time in %s", (zone, begins, ends) => {
  test.each(["*/20 * * * * *", "0 */5 * * * *", "30 7,37 * * * *", "0 0 * * * *"])(
    "%s misses no tick",
    async (expression) => {
      for (const change of [begins, ends]) {
        const subject = ticking(expression, change - 1.5 * HOUR + 500, zone);
        await subject.clock.advance(3 * HOUR);
        subject.timetable.stop();
        const step = expression.startsWith("*/") ? 20 * SECOND : 30 * SECOND;
        const expected = named(expression, zone, change - 1.5 * HOUR + 500, change + 1.5 * HOUR + 500, step);
        // Skipped times are made up when summer time begins.
        const made = subject.ticks.map(({ at }) => at).filter((at) => at !== begins || expected.includes(at));
        expect(made).toEqual(expected);
        expect(subject.log).toEqual([]);
      }
    },
  );

  test("moves a daily tick in the skipped hour to the change, and the next one a day later", async () => {
    // The first skipped wall-clock minute.
    process.env.TZ = zone;
    const before = new Date(begins - MINUTE);
    const hour = before.getHours() + (before.getMinutes() === 59 ? 1 : 0);
    const minute = before.getMinutes() === 59 ? 0 : before.getMinutes() + 1;
    const subject = ticking(`0 ${minute + 15} ${hour} * * *`, begins - 2 * DAY, zone);
    expect(subject.timetable.msToThird()).toBe(2 * DAY);
    await subject.clock.advance(3.5 * DAY);
    subject.timetable.stop();
    expect(subject.ticks).toHaveLength(4);
    expect(subject.ticks[2]?.at).toBe(begins);
    const local = subject.ticks.map(({ at }) => new Date(at)).map((at) => [at.getHours(), at.getMinutes()]);
    expect([local[0], local[1], local[3]]).toEqual(Array(3).fill([hour, minute + 15]));
  });

  test("gives correct next runs before the change", () => {
    for (const change of [begins, ends]) {
      const subject = ticking("0 0 9 * * *", change - 8 * HOUR, zone);
      const [next] = named("0 0 9 * * *", zone, change, change + DAY, MINUTE);
      expect(subject.clock.now() + subject.timetable.msToNext()).toBe(next);
      subject.timetable.stop();
    }
  });
});

describe("change of the wall clock", () => {
  const start = Date.UTC(2026, 5, 10, 12, 0, 1);

  test.each([HOUR, 2 * HOUR, DAY])("back by %i ms continues at the new times", async (by) => {
    for (const [expression, period] of [
      ["*/3 * * * * *", 3 * SECOND],
      ["0 */5 * * * *", 5 * MINUTE],
    ] as const) {
      const subject = ticking(expression, start);
      await subject.clock.advance(11 * MINUTE);
      const before = subject.ticks.length;
      subject.clock.setWallClock(subject.clock.now() - by);
      expect(subject.timetable.msToNext()).toBeLessThanOrEqual(period);
      await subject.clock.advance(20 * MINUTE);
      subject.clock.setWallClock(subject.clock.now() + by);
      await subject.clock.advance(20 * MINUTE);
      subject.timetable.stop();
      expect(subject.ticks.length).toBeGreaterThan(before);
      const gaps = subject.ticks.slice(1).map(({ after }, index) => after - (subject.ticks[index]?.after ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * period);
      expect(subject.log).toHaveLength(1);
    }
  });

  test("ahead by an hour gives one tick and one log line for all missed ticks", async () => {
    const subject = ticking("*/3 * * * * *", start);
    await subject.clock.advance(MINUTE);
    const before = subject.ticks.length;
    subject.clock.setWallClock(subject.clock.now() + HOUR);
    await subject.clock.advance(2 * SECOND);
    expect(subject.ticks).toHaveLength(before + 1);
    await subject.clock.advance(MINUTE);
    subject.timetable.stop();
    expect(subject.ticks).toHaveLength(before + 21);
    expect(subject.log).toMatchObject([{ level: 40, schedule: "*/3 * * * * *", missed: 1_200 }]);
    expect(subject.log[0]?.msg).toBe("skipped 1200 runs of a cron schedule: the clock jumped ahead by 3600 s");
  });

  test("ahead into the scheduled hour starts ticks immediately", async () => {
    const subject = ticking("*/3 * 20 * * *", start);
    subject.clock.setWallClock(Date.UTC(2026, 5, 10, 20, 0, 1));
    await subject.clock.advance(5 * SECOND);
    subject.timetable.stop();
    expect(subject.ticks.length).toBeGreaterThan(0);
  });

  test("ahead by a century counts missed ticks of one year", async () => {
    const subject = ticking("0 * * * * *", start);
    subject.clock.setWallClock(subject.clock.now() + 100 * 365 * DAY);
    await subject.clock.advance(MINUTE);
    subject.timetable.stop();
    expect(subject.log).toMatchObject([{ missed: expect.closeTo(366 * 24 * 60, -4) }]);
  });

  test("back by less than a second repeats nothing", async () => {
    const subject = ticking("*/3 * * * * *", start);
    await subject.clock.advance(2 * SECOND);
    subject.clock.setWallClock(subject.clock.now() - 20);
    await subject.clock.advance(2 * SECOND);
    subject.timetable.stop();
    expect(subject.times()).toEqual(["2026-06-10T12:00:03.000Z"]);
    expect(subject.log).toEqual([]);
  });

  test("differs from a hanging process, which gives one tick and one log line", async () => {
    const subject = ticking("*/3 * * * * *", start);
    const { clock } = subject;
    const [now, monotonic] = [clock.now.bind(clock), clock.monotonic.bind(clock)];
    // The timer fires a minute late.
    clock.now = () => now() + MINUTE;
    clock.monotonic = () => monotonic() + MINUTE;
    await clock.advance(2 * SECOND);
    subject.timetable.stop();
    expect(subject.ticks).toHaveLength(1);
    expect(subject.log.map(({ msg }) => msg)).toEqual(["skipped 20 runs of a cron schedule: the process was blocked"]);
  });
});

/** Expressions with frequent ticks, and some others. */
const expressions = fc
  .tuple(
    fc.constantFrom("0", "*/3", "*/7,1", "15,45", "30", "*/20"),
    fc.constantFrom("*", "*/5", "7,37", "0", "10-20"),
    fc.constantFrom("*", "*", "*/2", "1-3"),
    fc.constantFrom("*", "*", "L", "25", "1-31/2"),
    fc.constantFrom("*", "1-6", "10"),
    fc.constantFrom("*", "*", "0", "1-5", "0#4", "5L"),
  )
  .filter(([seconds]) => !seconds.includes("/7"))
  .map((fields) => fields.join(" "));

const jumps = fc.array(
  fc.record({
    pass: fc.integer({ min: 1, max: 20 * 60 }),
    by: fc.oneof(
      fc.constantFrom(-3_600, 3_600, -86_400, 86_400, -1_800, 7_200),
      fc.integer({ min: -5_000, max: 5_000 }).filter((by) => Math.abs(by) > 1),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

test("any schedule misses at most one tick at any change of clock or zone", async () => {
  const around = fc.constantFrom(
    ...CHANGES.flatMap(([zone, begins, ends]) => [begins, ends].map((change) => [zone, change] as const)),
  );
  await fc.assert(
    fc.asyncProperty(expressions, around, fc.integer({ min: 0, max: 3_600 }), jumps, async (text, at, early, moves) => {
      const [zone, change] = at;
      const step = text.startsWith("*/3") ? 3 * SECOND : 5 * SECOND;
      const subject = ticking(text, change - early * SECOND, zone);
      let missed = 0;
      for (const { pass, by } of moves) {
        const [from, ticked] = [subject.clock.now(), subject.ticks.length];
        await subject.clock.advance(pass * SECOND);
        const due = named(text, zone, from + 1, subject.clock.now(), step).length;
        // Does not count made-up ticks.
        missed += Math.max(0, due - (subject.ticks.length - ticked));
        subject.clock.setWallClock(subject.clock.now() + by * SECOND);
      }
      subject.timetable.stop();
      expect(missed).toBeLessThanOrEqual(moves.length);
      expect(subject.log.length).toBeLessThanOrEqual(moves.length);
    }),
    { numRuns: runs(80) },
  );
});
