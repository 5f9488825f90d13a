import { describe, expect, test } from "vitest";
import { parseSchedule } from "../../src/config/schedule.ts";

describe("parseSchedule", () => {
  test.each([
    ["30s", { kind: "interval", everyMs: 30_000 }],
    ["1s", { kind: "interval", everyMs: 1_000 }],
    ["24d", { kind: "interval", everyMs: 24 * 86_400_000 }],
    ["0 */5 * * * *", { kind: "cron", expression: "0 */5 * * * *" }],
    ["  */15  * * * *\t* ", { kind: "cron", expression: "*/15 * * * * *" }],
    ["0,30 * * * * *", { kind: "cron", expression: "0,30 * * * * *" }],
    ["10-50/20 * * * * *", { kind: "cron", expression: "10-50/20 * * * * *" }],
    ["0 */45 * * * *", { kind: "cron", expression: "0 */45 * * * *" }],
    ["0 0 0 29 2 *", { kind: "cron", expression: "0 0 0 29 2 *" }],
    // Once in 28 years.
    ["0 0 0 29 2 1#5", { kind: "cron", expression: "0 0 0 29 2 1#5" }],
    ["0 30 6 * * mon-fri", { kind: "cron", expression: "0 30 6 * * mon-fri" }],
  ])("reads %s", (text, schedule) => {
    expect(parseSchedule(text)).toEqual(schedule);
  });

  test.each([
    ["", ""],
    ["soon", ""],
    ["30", ""],
    ["999ms", "the shortest is 1s"],
    ["0s", "the shortest is 1s"],
    ["25d", "the longest is 24d"],
    ["*/5 * * * *", "five fields: add the seconds first"],
    ["*", "it needs six fields"],
    ["* * * * * * *", "it needs six fields"],
    ["61 * * * * *", "the field for the second is wrong"],
    ["0 60 * * * *", "the field for the minute is wrong"],
    ["0 0 25 * * *", "the field for the hour is wrong"],
    ["0 0 0 32 * *", "the field for the day of month is wrong"],
    ["0 0 0 31 2 *", "the field for the day of month is wrong"],
    ["0 0 0 1 13 *", "the field for the month is wrong"],
    ["0 0 0 * * monday8", "the field for the day of week is wrong"],
    ["*/0 * * * * *", "the field for the second is wrong"],
    ["0 0 0 30 2 *", "the field for the day of month is wrong"],
    ["0 0 0 30,31 2 *", "the field for the day of month is wrong"],
    ["0 0 0 1 1 1#5", "no date matches"],
    ["0 0 0 1-7 * 2#2", "no date matches"],
    ["0 0 0 1 * 5L", "no date matches"],
    // Expanded first, these took seconds and all memory.
    ["0-99999999 * * * * *", "the field for the second is wrong"],
    ["0 0 0 1-99999999999999999999 * *", "the field for the day of month is wrong"],
    ["*/45 * * * * *", "must divide 60"],
    ["0-59/7 * * * * *", "must divide 60"],
    ["*/61 * * * * *", "must divide 60"],
    ["0,*/45 * * * * *", "must divide 60"],
  ])("rejects %j", (text, fault) => {
    expect(parseSchedule(text)).toEqual({ fault: fault === "" ? "" : expect.stringContaining(fault) });
  });
});
