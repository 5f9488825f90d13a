import { expect, test } from "vitest";
import { isBeyondLimit } from "../../../src/mapping/families/channel-families.ts";
import type { LimitName } from "../../../src/prtg/records.ts";

test.each<[LimitName, number, number, boolean]>([
  ["max_error", 90, 90.1, true],
  ["max_error", 90, 90, false],
  ["max_error", 90, 0, false],
  ["max_warning", 0, -1, false],
  ["max_warning", 0, 0.001, true],
  ["min_error", 10, 9.9, true],
  ["min_error", 10, 10, false],
  ["min_error", 10, 11, false],
  ["min_warning", -5, -6, true],
])("%s %d with value %d: %s", (name, limit, value, expected) => {
  expect(isBeyondLimit(name, limit, value)).toBe(expected);
});
