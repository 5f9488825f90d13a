import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { locationOf } from "../../../src/prtg/decode/location.ts";
import { Premise } from "../../support/premise.ts";
import { runs } from "../../support/runs.ts";

describe("location", () => {
  test.each([
    ["geo:50.11,8.68", 50.11, 8.68],
    ["geo:50.11_8.68", 50.11, 8.68],
    ["geo:50.11;8.68", 50.11, 8.68],
    ["geo:50.11/8.68", 50.11, 8.68],
    ["GEO:-33.9_+151.2", -33.9, 151.2],
    ["geo:90_-180", 90, -180],
    ["geo:0_-0", 0, 0],
    ["geo:.5_1e1", 0.5, 10],
    ["geo:1.23456789_-0.00000001", 1.234568, 0],
  ])("is read from %s", (tag, latitude, longitude) => {
    expect(locationOf(["site", tag, "geo:1_2"])).toEqual({ latitude, longitude });
  });

  test("is read from a tag that a comma split in two", () => {
    expect(locationOf(["geo:50.11", "8.68"])).toEqual({ latitude: 50.11, longitude: 8.68 });
    expect(locationOf(["geo:50.11", "geo:1_2"])).toBe("invalid");
    expect(locationOf(["geo:50.11"])).toBe("invalid");
  });

  test.each(["geo:90.1_0", "geo:0_180.1", "geo:1_2_3", "geo:1_", "geo:50.11_east", "geo:50,11_8,68", "geo:1e400_1"])(
    "is invalid in %s",
    (tag) => {
      expect(locationOf([tag])).toBe("invalid");
    },
  );

  test.each(["geo:", "geo:berlin", "geo:_8.68", "ageo:1_2", "geo 1_2", "geography:1_2", "", "ge"])(
    "is not expected in %s",
    (tag) => {
      expect(locationOf([tag])).toBeUndefined();
      expect(locationOf([tag, "geo:1_2"])).toEqual({ latitude: 1, longitude: 2 });
    },
  );

  test("is not read from a long text", () => {
    expect(locationOf([`geo:1_${"0".repeat(100_000)}`])).toBe("invalid");
  });
});

describe("any coordinates", () => {
  const separators = fc.constantFrom(",", ";", "_", "/");
  const degrees = (max: number) =>
    fc.oneof(fc.integer({ min: -2 * max, max: 2 * max }), fc.double({ min: -2 * max, max: 2 * max, noNaN: true }));

  test("are read to 11 cm, and rejected outside of the world", () => {
    const premise = new Premise();
    fc.assert(
      fc.property(degrees(90), degrees(180), separators, (latitude, longitude, separator) => {
        const [a, b] = [latitude.toFixed(9), longitude.toFixed(9)];
        const found = locationOf([`geo:${a}${separator}${b}`]);
        const isOnEarth = Math.abs(Number(a)) <= 90 && Math.abs(Number(b)) <= 180;
        if (!premise.holds(isOnEarth)) {
          expect(found).toBe("invalid");
          return;
        }
        if (typeof found !== "object") throw new Error(`no location: ${found}`);
        expect(Math.abs(found.latitude - latitude)).toBeLessThanOrEqual(0.000_000_6);
        expect(Math.abs(found.longitude - longitude)).toBeLessThanOrEqual(0.000_000_6);
        // Labels of the page, which Grafana reads as numbers.
        for (const each of [found.latitude, found.longitude]) expect(String(each)).toMatch(/^-?\d{1,3}(\.\d{1,6})?$/);
      }),
      { numRuns: runs(1_000) },
    );
    premise.expectOften();
  });

  test("come only from a tag with the prefix, whatever the tags", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (tags) => {
        if (!tags.some((tag) => /^geo:/i.test(tag))) expect(locationOf(tags)).toBeUndefined();
      }),
      { numRuns: runs(500) },
    );
  });
});
