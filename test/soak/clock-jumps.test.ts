import { describe, expect, test } from "vitest";
import { clockJump, nextEndOfSummerTime, TIME_ZONE } from "../../soak/clock-jumps.ts";
import { Random } from "../../soak/random.ts";

describe("nextEndOfSummerTime", () => {
  test.each([
    ["2026-06-01T00:00:00Z", "2026-10-25T01:00:00Z"],
    ["2026-10-25T00:59:59Z", "2026-10-25T01:00:00Z"],
    ["2026-10-25T01:00:00Z", "2027-10-31T01:00:00Z"],
    ["2026-12-31T23:59:59Z", "2027-10-31T01:00:00Z"],
  ])("after %s it is %s", (now, end) => {
    expect(new Date(nextEndOfSummerTime(Date.parse(now))).toISOString()).toBe(end.replace("Z", ".000Z"));
  });

  test("is when the hour of the zone's clocks repeats", () => {
    const hour = new Intl.DateTimeFormat("en", { timeZone: TIME_ZONE, hour: "numeric", hour12: false });
    const end = nextEndOfSummerTime(Date.parse("2026-06-01T00:00:00Z"));
    expect([hour.format(end - 1), hour.format(end)]).toEqual(["02", "02"]);
  });
});

describe("clockJump", () => {
  test("sets the clock back, ahead and before the end of summer time", () => {
    const now = Date.parse("2026-11-22T12:00:00Z");
    const jumps = Array.from({ length: 60 }, (_, seed) => clockJump(new Random(seed), now));
    expect(new Set(jumps.map(({ kind }) => kind)).size).toBe(6);
    for (const { kind, aheadMs } of jumps.filter(({ kind }) => kind === "end of summer time")) {
      expect(new Date(now + aheadMs).toISOString(), kind).toBe("2027-10-31T00:59:52.000Z");
    }
  });
});
