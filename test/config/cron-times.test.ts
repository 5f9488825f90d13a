import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CronTimes } from "../../src/config/cron-times.ts";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const at = (text: string) => Date.parse(`${text}Z`);

const EXPRESSIONS = [
  "0 */5 * * * *",
  "*/20 * * * * *",
  "10-50/20 30 6,18 * * *",
  "0 0 0 1 * *",
  "30 59 23 * * mon-fri",
  "0 0 12 L * *",
  "15 0 0 29 2 *",
];

/** Every matching second, one after the other. */
function timesBetween(expression: string, from: number, to: number): number[] {
  const times = new CronTimes(expression);
  const found: number[] = [];
  for (let time = times.next(from); time !== undefined && time <= to; time = times.next(time)) found.push(time);
  return found;
}

describe("CronTimes", () => {
  test.each([
    ["0 */5 * * * *", "2026-01-15T12:00:00", "2026-01-15T12:05:00"],
    ["0 */5 * * * *", "2026-01-15T12:04:59.999", "2026-01-15T12:05:00"],
    ["10-50/20 30 6,18 * * *", "2026-01-15T06:30:50", "2026-01-15T18:30:10"],
    ["30 59 23 * * mon-fri", "2026-01-16T23:59:30", "2026-01-19T23:59:30"],
    ["0 0 12 L * *", "2026-02-01T00:00:00", "2026-02-28T12:00:00"],
    ["15 0 0 29 2 *", "2026-01-01T00:00:00", "2028-02-29T00:00:15"],
  ])("%s after %s is at %s", (expression, from, next) => {
    expect(new CronTimes(expression).next(at(from))).toBe(at(next));
  });

  test.each([
    ["0 */5 * * * *", "2026-01-15T12:00:00", "2026-01-15T12:00:00", 0],
    ["0 */5 * * * *", "2026-01-15T12:00:00", "2026-01-15T12:05:00", 1],
    ["0 */5 * * * *", "2026-01-15T11:59:59", "2026-01-15T12:04:59", 1],
    ["0 */5 * * * *", "2026-01-14T23:50:00", "2026-01-16T00:10:00", 2 + 288 + 2],
    ["*/20 * * * * *", "2026-01-15T12:00:00", "2026-01-15T13:00:00", 180],
    ["30 59 23 * * mon-fri", "2026-01-16T23:59:30", "2026-01-26T00:00:00", 5],
    ["0 0 0 1 * *", "2025-12-31T23:59:59", "2026-12-31T00:00:00", 12],
  ])("%s matches after %s until %s %i times", (expression, from, to, times) => {
    expect(new CronTimes(expression).count(at(from), at(to))).toBe(times);
  });

  test("counts one year at most, even if a clock jumps by centuries", () => {
    const daily = new CronTimes("0 0 12 * * *");
    expect(daily.count(at("2026-01-01T00:00:00"), at("2626-01-01T00:00:00"))).toBe(366);
  });

  test("counts as many times as follow each other", () => {
    const spans = fc.tuple(fc.constantFrom(...EXPRESSIONS), fc.nat(400 * DAY), fc.nat(DAY));
    fc.assert(
      fc.property(spans, ([expression, after, length]) => {
        const from = at("2026-01-01T00:00:00") + after;
        const to = from + (expression.includes("* * *") ? length : 100 * length);
        expect(new CronTimes(expression).count(from, to)).toBe(timesBetween(expression, from, to).length);
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ["0 * * * * *", 60],
    ["*/20 * * * * *", 20],
    ["0,5,50 * * * * *", 5],
    ["3,58 * * * * *", 5],
  ])("%s has no times closer than %i s", (expression, seconds) => {
    expect(new CronTimes(expression).closestMs).toBe(seconds * SECOND);
  });

  test("refuses what is no expression", () => {
    expect(() => new CronTimes("every minute")).toThrow();
  });
});
