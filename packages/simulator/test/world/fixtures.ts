import type { SimSensor, SimStatus, World } from "../../src/world/model.ts";
import { mix } from "../../src/world/noise.ts";

/** Office hours in most simulated cities. */
export const STARTED_AT = Date.UTC(2026, 2, 12, 14, 5, 10);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Reproducible, spread over `days` before and after `STARTED_AT`. */
export function moments(count: number, days: number, salt = 1): number[] {
  return Array.from({ length: count }, (_, index) => {
    return STARTED_AT + Math.floor((mix(salt, index) / 2 ** 32 - 0.5) * 2 * days * DAY);
  });
}

export function countStatuses(world: World, at: number): Map<SimStatus, number> {
  const counts = new Map<SimStatus, number>();
  for (const sensor of world.list("sensor")) {
    const { status } = world.state(sensor, at);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

/** Channels of the sensor kind, without Downtime. */
export function ownChannels(sensor: SimSensor): SimSensor["channels"] {
  return sensor.channels.filter(({ number }) => number !== -4);
}

/** @throws without such a sensor */
export function findSensor(world: World, status: SimStatus, at: number): SimSensor {
  const found = world.list("sensor").find((sensor) => world.state(sensor, at).status === status);
  if (found === undefined) throw new Error(`no sensor is ${status}`);
  return found;
}
