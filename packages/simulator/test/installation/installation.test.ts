import { expect, test } from "vitest";
import { licenseFor } from "../../src/installation/installation.ts";

test.each([
  [0, "PRTG 500", 500],
  [500, "PRTG 500", 500],
  [501, "PRTG 1000", 1000],
  [2600, "PRTG 5000", 5000],
  [10_000, "PRTG 10000", 10_000],
  [10_001, "PRTG Enterprise Monitor", undefined],
])("a world of %i sensors gets the license %s", (sensors, edition, allowed) => {
  expect(licenseFor(sensors, Date.UTC(2026, 2, 12, 17, 55))).toEqual({
    edition,
    sensors: allowed,
    validUntil: Date.UTC(2027, 2, 12),
  });
});
