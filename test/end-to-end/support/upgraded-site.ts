import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { replayIn } from "../../measurements/support/replayed-series.ts";

/*
 * One site on two releases, in simulated time. `test/fixtures/upgrades/0.1.0/make.ts` ran the old release there, and
 * tests continue with its files.
 */

export const MINUTE = 60_000;
/** The old release starts. */
export const OLD_BEGIN = Date.UTC(2026, 0, 15, 12);
export const FIRST_MEASUREMENT = OLD_BEGIN - 10 * MINUTE;
/** The receiver refuses everything from here on. */
export const OUTAGE_BEGIN = OLD_BEGIN + 20 * MINUTE;
/** The old release ends with a backlog. */
export const OLD_END = OLD_BEGIN + 30 * MINUTE;
/** The new release starts. */
export const NEW_BEGIN = OLD_BEGIN + 40 * MINUTE;
export const LAST_MEASUREMENT = NEW_BEGIN + 20 * MINUTE;

const SERIES = [60, 30, 120, 300].map((intervalSeconds) => ({ example: "regular", intervalSeconds }));

export function createUpgradedWorld(): World {
  const size = { probes: 1, groups: 1, devices: 3, sensors: 10, channels: 24 };
  const world = createWorld({ seed: 1, size, startedAt: OLD_BEGIN, plainNames: true });
  replayIn(world, SERIES, { seed: 7, from: FIRST_MEASUREMENT, to: LAST_MEASUREMENT });
  return world;
}

/** Points that the old release delivered. */
export interface DeliveredPoints {
  /** Names of attributes of the resource. */
  readonly resource: readonly string[];
  /** Names of attributes by `sensor.channel`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Since `OLD_BEGIN`, by `sensor.channel`. */
  readonly seconds: Readonly<Record<string, readonly number[]>>;
}
