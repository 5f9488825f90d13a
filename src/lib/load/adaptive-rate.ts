import type { Pressure } from "./pressure.ts";

/** Requests a second: so much goes on whatever the pressure, so that nothing waits for ever. */
export const MIN_RATE = 4;
export const MAX_RATE = 10_000;
/** At the start: ten times what the default budget of one server gives to time series. Where it is too much, it is cut within seconds. */
export const FIRST_RATE = 100;
/** Each second under pressure leaves so much of it. */
const CUT = 0.7;
/** And each second without it adds so much. */
const GROWTH = 0.1;
const STEP = 2;
/** In between it adds so much: a rate that was cut must not stay there where polls alone keep the process half busy. */
const STEADY_STEP = 0.1;
/**
 * Units under way at the same time. More do not make the one processor any faster; a scrape waits for the answers to all of them, and
 * what is half read outlives the young generation of the heap: 600 answers at a time made garbage collection half of the work.
 */
export const MIN_AT_ONCE = 8;
export const MAX_AT_ONCE = 1_024;
/** Each second without pressure allows so many times as many. */
const AT_ONCE_GROWTH = 2;

export interface Demand {
  readonly pressure: Pressure;
  /** Requests that began in the last second. */
  readonly used: number;
  /** Others had to wait. */
  readonly isWanted: boolean;
}

/** The requests of the next second: fewer under pressure, more where more are wanted and there is time to spare. */
export function adaptRate(rate: number, { pressure, used, isWanted }: Demand): number {
  // Cut from what was used: of what was allowed beyond that, nothing caused the pressure, and to take it away would not lower it.
  if (pressure === "high" && used > 0) return Math.max(MIN_RATE, CUT * Math.min(rate, used));
  if (pressure === "calm" && isWanted) return Math.min(MAX_RATE, rate * (1 + GROWTH) + STEP);
  if (pressure === "steady" && isWanted) return Math.min(MAX_RATE, rate + STEADY_STEP);
  return rate;
}

/**
 * The same for units under way at the same time. Without pressure those that have been under way for long wait for slow
 * servers, and must not keep their places from the others.
 */
export function adaptAtOnce(atOnce: number, { pressure, isWanted }: Omit<Demand, "used">): number {
  if (pressure === "high") return MIN_AT_ONCE;
  return pressure === "calm" && isWanted ? Math.min(MAX_AT_ONCE, AT_ONCE_GROWTH * atOnce) : atOnce;
}
