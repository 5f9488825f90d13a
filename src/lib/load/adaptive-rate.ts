import type { Pressure } from "./pressure.ts";

/** Requests a second: so much goes on whatever the pressure, so that nothing waits for ever. */
export const MIN_RATE = 4;
export const MAX_RATE = 10_000;
/** What a start begins with: more than one server is asked for with its default budget, and what 100 servers do not notice. */
export const FIRST_RATE = 100;
/** Each second under pressure leaves so much of it. */
const CUT = 0.7;
/** And each second without it adds so much. */
const GROWTH = 0.1;
const STEP = 2;

export interface Demand {
  readonly pressure: Pressure;
  /** Requests that began in the last second. */
  readonly used: number;
  /** Others had to wait. */
  readonly isWanted: boolean;
}

/** The requests of the next second: fewer under pressure, more where more are wanted and there is time to spare. */
export function adaptRate(rate: number, { pressure, used, isWanted }: Demand): number {
  // What is allowed but not used cannot be the reason, and what is not used does not help when it is taken away.
  if (pressure === "high" && used > 0) return Math.max(MIN_RATE, CUT * Math.min(rate, used));
  if (pressure === "calm" && isWanted) return Math.min(MAX_RATE, rate * (1 + GROWTH) + STEP);
  return rate;
}
