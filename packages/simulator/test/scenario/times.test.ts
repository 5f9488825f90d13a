import { expect, test } from "vitest";
import { DAY_MS, parseDuration, parseStepTime, timeOf } from "../../src/scenario/times.ts";

test.each([
  ["90s", 90_000],
  ["1h30m", 5_400_000],
  ["2d", 2 * DAY_MS],
  ["1d1h1m1s", DAY_MS + 3_661_000],
  ["", undefined],
  ["90", undefined],
  ["1m30", undefined],
  ["30m1h", undefined],
  ["1.5h", undefined],
  ["9999999999999999d", undefined],
])("the duration %j is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  ["+0s", { after: 0 }],
  ["+90s", { after: 90_000 }],
  ["10:05", { timeOfDay: 36_300_000 }],
  ["23:59:59", { timeOfDay: DAY_MS - 1000 }],
  ["24:00", undefined],
  ["9:05", undefined],
  ["10:60", undefined],
  ["+", undefined],
  ["-5m", undefined],
  ["soon", undefined],
])("the time %j is %j", (text, time) => {
  expect(parseStepTime(text)).toEqual(time);
});

test("the next time of a day is today if it is still to come, otherwise tomorrow", () => {
  const midnight = Date.UTC(2026, 2, 12);
  const at = { timeOfDay: 36_300_000 };
  expect(timeOf(at, midnight)).toBe(midnight + 36_300_000);
  expect(timeOf(at, midnight + 36_300_000)).toBe(midnight + 36_300_000);
  expect(timeOf(at, midnight + 36_300_001)).toBe(midnight + DAY_MS + 36_300_000);
  expect(timeOf({ after: 5 }, midnight)).toBe(midnight + 5);
});
