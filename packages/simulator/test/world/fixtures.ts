import type { SimSensor, SimStatus, World } from "../../src/world/model.ts";
import { mix } from "../../src/world/noise.ts";

/** A Thursday, some minutes into office hours in most of the simulated cities. */
export const STARTED_AT = Date.UTC(2026, 2, 12, 14, 5, 10);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The same `count` moments in every run, spread over the `days` before `STARTED_AT` and as many after it. */
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

/** Channels that the kind of sensor brings, without Downtime. */
export function ownChannels(sensor: SimSensor): SimSensor["channels"] {
  return sensor.channels.filter(({ number }) => number !== -4);
}

/** The first sensor that shows a status at a moment. Throws when there is none. */
export function findSensor(world: World, status: SimStatus, at: number): SimSensor {
  const found = world.list("sensor").find((sensor) => world.state(sensor, at).status === status);
  if (found === undefined) throw new Error(`no sensor is ${status}`);
  return found;
}
