import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duration } from "../../src/config/fields.ts";
import { formatDuration, parseDuration } from "../../src/config/quantities.ts";

const DAY = 86_400_000;

describe("parseDuration", () => {
  test.each([
    ["0s", 0],
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["5m30s", 330_000],
    ["1h30m", 5_400_000],
    ["2d", 2 * DAY],
    ["1d1h1m1s1ms", DAY + 3_661_001],
    ["90m", 5_400_000],
    ["007s", 7_000],
  ])("reads %s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    "",
    "30",
    "s",
    "-5s",
    "1.5h",
    "5 m",
    " 5m",
    "5m ",
    "5M",
    "30m1h",
    "5s5s",
    "5min",
    "1w",
    "1e3s",
    "٣s",
    "99999999999d",
  ])("rejects %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("reads the output of formatDuration", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });

  test("formatDuration gives the shortest spelling", () => {
    const parts = fc.tuple(...[30, 23, 59, 59, 999].map((max) => fc.nat(max)));
    fc.assert(
      fc.property(parts, (counts) => {
        const text = counts.flatMap((count, index) =>
          count === 0 ? [] : [count + (["d", "h", "m", "s", "ms"][index] ?? "")],
        );
        const ms = parseDuration(text.join("") || "0s");
        expect(ms).toBeDefined();
        expect(formatDuration(ms ?? -1)).toBe(text.join("") || "0s");
      }),
    );
  });
});

test.each([
  ["1s", "24d"],
  ["1ms", "2s"],
  ["2h", "3h"],
  ["100ms", "1m"],
])("the message about a duration from %s to %s has only examples that are valid", (least, most) => {
  const schema = duration(least, most);
  const { error } = schema.safeParse("wrong");
  const text = error?.issues[0]?.message ?? "";
  expect(text).toContain(`from ${least} to ${most}`);
  for (const [example] of text.replace(/^.* to \w+/, "").matchAll(/\d\w+/g)) {
    expect([example, schema.safeParse(example).success]).toEqual([example, true]);
  }
});
