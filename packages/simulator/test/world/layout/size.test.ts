import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { apportion, completeSize, DEFAULT_WORLD_SIZE, type WorldSize } from "../../../src/world/layout/size.ts";
import type { World } from "../../../src/world/model.ts";
import { createWorld } from "../../../src/world/world.ts";
import { STARTED_AT } from "../fixtures.ts";

function sizeOf(world: World): WorldSize {
  return {
    probes: world.list("probe").length,
    groups: world.list("group").length,
    devices: world.list("device").length,
    sensors: world.list("sensor").length,
    channels: world.channels().length,
  };
}

test("the default world has exactly the default counts", () => {
  expect(sizeOf(createWorld({ seed: 1, startedAt: STARTED_AT }))).toEqual(DEFAULT_WORLD_SIZE);
});

test.each([
  { probes: 1, groups: 1, devices: 1, sensors: 1, channels: 2 },
  { probes: 1, groups: 0, devices: 1, sensors: 1, channels: 51 },
  { probes: 1, groups: 0, devices: 0, sensors: 0, channels: 0 },
  { probes: 5, groups: 2, devices: 3, sensors: 1, channels: 4 },
  { probes: 2, groups: 500, devices: 7, sensors: 90, channels: 180 },
  { probes: 40, groups: 45, devices: 41, sensors: 400, channels: 20_400 },
  { probes: 24, groups: 100, devices: 300, sensors: 2000, channels: 20_000 },
])("a world of $probes, $groups, $devices, $sensors and $channels has exactly these counts", (size) => {
  expect(sizeOf(createWorld({ seed: 7, size, startedAt: STARTED_AT }))).toEqual(size);
});

const possibleSizes = fc
  .record({
    probes: fc.integer({ min: 1, max: 12 }),
    groups: fc.integer({ min: 0, max: 80 }),
    devices: fc.integer({ min: 1, max: 60 }),
    sensors: fc.integer({ min: 0, max: 300 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...size }) => ({ ...size, channels: size.sensors * 2 + Math.floor(size.sensors * 49 * share) }));

test("any possible size is exact, and every sensor has Downtime and one primary channel", () => {
  fc.assert(
    fc.property(possibleSizes, fc.nat(), (size, seed) => {
      const world = createWorld({ seed, size, startedAt: STARTED_AT });
      expect(sizeOf(world)).toEqual(size);
      for (const { channels } of world.list("sensor")) {
        expect(channels.length).toBeGreaterThanOrEqual(2);
        expect(channels.filter(({ primary }) => primary)).toHaveLength(1);
        expect(
          channels.filter(({ number }) => number === -4).map(({ name, displayUnit }) => [name, displayUnit]),
        ).toEqual([["Downtime", "%"]]);
        expect(new Set(channels.map(({ number }) => number)).size).toBe(channels.length);
      }
    }),
    { numRuns: runs(100) },
  );
});

test.each<[Partial<WorldSize>, Partial<WorldSize>]>([
  [{}, DEFAULT_WORLD_SIZE],
  [{ sensors: 20_000 }, { probes: 23, groups: 308, devices: 1846, channels: 92_308 }],
  [
    { sensors: 20_000, channels: 200_000 },
    { probes: 23, groups: 308, devices: 1846 },
  ],
  [{ channels: 60 }, { probes: 1, groups: 1, devices: 1, sensors: 13 }],
  [
    { devices: 1, sensors: 1 },
    { probes: 1, groups: 1, channels: 5 },
  ],
  [{ sensors: 0 }, { probes: 1, groups: 0, devices: 0, channels: 0 }],
])("%o takes the missing counts from the default world", (given, expected) => {
  expect(completeSize(given)).toMatchObject({ ...given, ...expected });
});

test.each<[Partial<WorldSize>, string]>([
  [{ probes: 0 }, "probes must be at least 1"],
  [{ sensors: 10, devices: 0 }, "devices must be at least 1 for 10 sensors"],
  [{ sensors: 10, channels: 19 }, "channels must be between 20 and 510 for 10 sensors"],
  [{ sensors: 10, channels: 511 }, "channels must be between 20 and 510 for 10 sensors"],
  [{ groups: 1.5 }, "groups must be a whole number of at least 0, not 1.5"],
  [{ devices: -1 }, "devices must be a whole number of at least 0, not -1"],
])("%o fails and lists the possible sizes", (size, message) => {
  expect(() => createWorld({ seed: 1, size, startedAt: STARTED_AT })).toThrow(RangeError);
  expect(() => createWorld({ seed: 1, size, startedAt: STARTED_AT })).toThrow(message);
});

test("parts add up to the total, and no part exceeds its weight if the total fits", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 50 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (weights, share) => {
        const room = weights.reduce((sum, weight) => sum + weight, 0);
        const total = Math.floor(room * share);
        const parts = apportion(total, weights);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
        for (const [index, part] of parts.entries()) {
          expect(part).toBeGreaterThanOrEqual(0);
          expect(part).toBeLessThanOrEqual(weights[index] ?? 0);
        }
      },
    ),
  );
});
