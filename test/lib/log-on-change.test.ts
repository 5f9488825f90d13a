import { describe, expect, test } from "vitest";
import { LogOnChange } from "../../src/lib/log-on-change.ts";

const MINUTE_MS = 60_000;

describe("LogOnChange", () => {
  test("logs the start and then reminders", () => {
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

  test("logs once until the end without reminders", () => {
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
  ] as const)("logs another kind if it remembers %s", (knows, expected) => {
    const outage = new LogOnChange({ knows });
    expect(["a", "b", "a", "a"].map((kind) => outage.record(kind)?.isNew === true)).toEqual(expected);
  });

  test("does not log a missing kind", () => {
    const outage = new LogOnChange({ knows: "last" });
    expect(["a", undefined, "a"].map((kind) => outage.record(kind)?.isNew === true)).toEqual([true, false, false]);
  });

  test("logs a kind again after its end", () => {
    const missing = new LogOnChange();
    missing.record("groups");
    missing.record("probes");
    missing.kindOver("groups");
    expect(["groups", "probes"].map((kind) => missing.record(kind)?.isNew === true)).toEqual([true, false]);
  });
});
