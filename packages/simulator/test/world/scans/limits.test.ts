import { describe, expect, test } from "vitest";
import type { SimSensor, World } from "../../../src/world/model.ts";
import { type LimitZone, limitOfZone, statusOfZone, zoneOf } from "../../../src/world/scans/limits.ts";
import { createWorld } from "../../../src/world/world.ts";
import { moments, STARTED_AT } from "../fixtures.ts";

describe("zoneOf", () => {
  const limits = { maxError: 90, maxWarning: 80, minWarning: 20, minError: 10 };

  test.each<[number, LimitZone]>([
    [90.1, 2],
    [90, 1],
    [80.1, 1],
    [80, 0],
    [20, 0],
    [19.9, -1],
    [10, -1],
    [9.9, -2],
  ])("%d lies in zone %d", (value, zone) => {
    expect(zoneOf(limits, value)).toBe(zone);
    const limit = limitOfZone(zone);
    expect(limit === undefined).toBe(statusOfZone(zone) === "up");
    if (limit !== undefined) expect(Math.sign(value - limits[limit])).toBe(Math.sign(zone));
  });

  test("values never exceed an unset limit", () => {
    expect(zoneOf({}, 1e300)).toBe(0);
    expect(zoneOf({ maxWarning: 5 }, 6)).toBe(1);
    expect(zoneOf({ minError: 5 }, 4)).toBe(-2);
  });
});

/** Undefined: nothing measured. */
function worstZone(world: World, sensor: SimSensor, at: number): number | undefined {
  let worst: number | undefined;
  for (const channel of sensor.channels) {
    if (channel.number === -4) continue;
    const value = world.lastMeasurement(channel, at)?.displayValue;
    if (typeof value !== "number") continue;
    worst = Math.max(worst ?? 0, Math.abs(zoneOf(channel.limits, value)));
  }
  return worst;
}

describe("limits of sensors", () => {
  const world = createWorld({ seed: 7, startedAt: STARTED_AT });
  const seen = new Map<string, number>();

  test("follow from values at any time", () => {
    for (const at of moments(4, 180, 7)) {
      for (const sensor of world.list("sensor")) {
        const { status } = world.state(sensor, at);
        const zone = worstZone(world, sensor, at);
        const label = `${sensor.id} at ${at} is ${status} in zone ${zone}`;
        switch (status) {
          case "up":
          case "unusual":
            expect(zone, label).toBe(0);
            break;
          case "warning":
            // Without a limit, the sensor itself reports it.
            expect([0, 1], label).toContain(zone);
            break;
          case "down":
          case "acknowledged":
            // No answer, or beyond an error limit.
            expect([undefined, 2], label).toContain(zone);
            break;
          default:
            // Not scanned: the last values remain.
            continue;
        }
        seen.set(`${status} ${zone}`, (seen.get(`${status} ${zone}`) ?? 0) + 1);
      }
    }
    expect(seen.get("warning 1")).toBeGreaterThan(100);
    expect(seen.get("down 2")).toBeGreaterThan(0);
    expect(seen.get("down undefined")).toBeGreaterThan(30);
  });
});
