import { expect, test } from "vitest";
import { shapeOf } from "../../../src/cli/report/shape.ts";

const CASES: readonly (readonly [field: string, value: unknown, type: string])[] = [
  ["priority", "3", "text of a number"],
  ["priority", 3, "integer"],
  ["value", 3.5, "number"],
  ["display_value", "42.5 %", "text of a number with a unit"],
  ["display_value", "1,234 msec", "text of a number with a unit"],
  ["display_value", "1,234.5 msec", "text of a number with a unit"],
  ["display_value", "42,5 %", "text of a number with a decimal comma and a unit"],
  ["display_value", "1,2345 %", "text of a number with a decimal comma and a unit"],
  ["display_value", "1.234,567 msec", "text of a number with a decimal comma and a unit"],
  ["display_value", "42,5", "text of a number with a decimal comma"],
  ["display_value", "42.5", "text of a number"],
  ["message", "42 %", "text"],
  ["message", "42 Main Street", "text"],
  ...(["value", "minimum", "maximum", "average", "display_volume", "interval"] as const).map(
    (field) => [field, "42 kB", "text of a number with a unit"] as const,
  ),
  ["name", "", "empty text"],
  ["name", "REFERENCED_SENSOR", "text"],
  ["type", "REFERENCED_SENSOR", "word in upper case"],
  ["type", "sensor", "word in lower case"],
  ["type", "Sensor 1", "text"],
  ["status", "up", "status in lower case"],
  ["status", "PAUSED_BY_USER", "status in upper case"],
  ["status", "SUMMED_INFO_UP", "status with a prefix"],
  ["status", "down at night", "text"],
  ["name", "up", "text"],
  ["id", "2490.-4", "text of an id"],
  ["id", "2490", "text of an id"],
  ["id", "core-1", "text"],
  ["calculated_status", "UP", "status in upper case"],
  ["unittype", "TIME_RESPONSE", "word in upper case"],
  ["lastup", "2026-03-12T08:00:00Z", "time"],
  ["lastup", "2026-03-12T08:00:00.000Z", "time with fractions"],
  ["lastup", "2026-03-12T08:00:00+01:00", "time with an offset"],
  ["last_measurement", null, "null"],
  ["favorite", false, "boolean"],
];

test.each(CASES)("%s: %j is %s", (field, value, type) => {
  expect(shapeOf({ [field]: value })).toEqual({ $: { object: 1 }, [`$.${field}`]: { [type]: 1 } });
});

test("unknown fields share one place", () => {
  const answer = [
    { "10.0.0.1": 1, "core-router": { name: "x" } },
    { "two words": "y", basic: { S3cret: [] } },
  ];
  expect(shapeOf(answer)).toEqual({
    $: { array: 1 },
    "$[]": { object: 2 },
    "$[].*": { integer: 1, object: 1, text: 1 },
    "$[].*.name": { text: 1 },
    "$[].basic": { object: 1 },
    "$[].basic.*": { array: 1 },
  });
});

test("deep nesting stops at a limit", () => {
  const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`);
  expect(Object.keys(shapeOf(deep))).toHaveLength(9);
});
