import { describe, expect, test } from "vitest";
import { LogOnChange } from "../../src/lib/log-on-change.ts";

const MINUTE_MS = 60_000;

describe("LogOnChange", () => {
  test("what goes on is said when it begins, then now and then", () => {
    let now = 5;
    const outage = new LogOnChange({ remindEveryMs: 10 * MINUTE_MS, now: () => now });
    expect(outage.record()).toEqual({ isNew: true, times: 1, sinceLine: 1 });
    now += 10 * MINUTE_MS - 1;
    expect(outage.record()).toBeUndefined();
    now += 1;
    expect(outage.record("", 3)).toEqual({ isNew: true, times: 5, sinceLine: 4 });
    now += 10 * MINUTE_MS;
    expect(outage.record("")).toEqual({ isNew: false, times: 6, sinceLine: 1 });
  });

  test("without reminders it is said once, until it is over", () => {
    const outage = new LogOnChange();
    expect(outage.over()).toBe(0);
    expect([1, 2, 3].map(() => outage.record() !== undefined)).toEqual([true, false, false]);
    expect(outage.over()).toBe(3);
    expect(outage.over()).toBe(0);
    expect(outage.record()).toEqual({ isNew: true, times: 1, sinceLine: 1 });
  });

  test.each([
    ["all", [true, true, false, false]],
    ["last", [true, true, true, false]],
  ] as const)("another kind is news where what is known is %s", (knows, expected) => {
    const outage = new LogOnChange({ knows });
    expect(["a", "b", "a", "a"].map((kind) => outage.record(kind)?.isNew === true)).toEqual(expected);
  });

  test("no kind is no news", () => {
    const outage = new LogOnChange({ knows: "last" });
    expect(["a", undefined, "a"].map((kind) => outage.record(kind)?.isNew === true)).toEqual([true, false, false]);
  });

  test("a kind that is over is news again", () => {
    const missing = new LogOnChange();
    missing.record("groups");
    missing.record("probes");
    missing.kindOver("groups");
    expect(["groups", "probes"].map((kind) => missing.record(kind)?.isNew === true)).toEqual([true, false]);
  });
});
