import { describe, expect, test } from "vitest";
import { type Curve, decimals, held, pages, range, type Scan } from "../../../src/world/sensors/curves.ts";
import { DAY, HOUR } from "../fixtures.ts";

const MIDNIGHT = Date.UTC(2026, 2, 12);
const LOAD: Curve = range({ low: [100, 200], high: [900, 1000] });

function valuesOf(curve: Curve, from: number, to: number, zone = 0): number[] {
  const scan: Scan = { at: from, salt: 77, zone, intervalSeconds: 60, ordinal: 0 };
  const values: number[] = [];
  for (scan.at = from; scan.at < to; scan.at += 60_000) values.push(curve(scan));
  return values;
}

describe("constant value", () => {
  test.each([0, 5.5, -8])("is the same from 18:00 to 06:00 local time, %d h from UTC", (hours) => {
    const zone = hours * HOUR;
    const evening = MIDNIGHT + 18 * HOUR - zone;
    expect(new Set(valuesOf(held(LOAD), evening, evening + 12 * HOUR, zone)).size).toBe(1);
    expect(new Set(valuesOf(held(LOAD), evening + 12 * HOUR, evening + DAY, zone)).size).toBe(24);
  });
});

test("memory comes in whole pages of 4096 bytes", () => {
  const values = valuesOf(pages(LOAD, 1_048_576), MIDNIGHT, MIDNIGHT + HOUR);
  expect(values.filter((value) => !Number.isInteger((value * 1_048_576) / 4096))).toEqual([]);
  expect(new Set(values).size).toBeGreaterThan(50);
});

test("values with four decimals can differ from the nearest number, as 4.1149000000000004 does", () => {
  const values = valuesOf(decimals(LOAD), MIDNIGHT, MIDNIGHT + DAY);
  expect(decimals(() => 4.1149)({ at: 0, salt: 0, zone: 0, intervalSeconds: 60, ordinal: 0 })).toBe(4.1149000000000004);
  expect(values.filter((value) => value !== Number(value.toFixed(4))).length).toBeGreaterThan(100);
});
