import { between, uniform } from "../noise.ts";

/** What falls in a straight line until someone acts: free space, toner, days of a certificate. */
export interface Trend {
  /** Length of a cycle in days, drawn once per sensor. */
  readonly days: readonly [number, number];
  /** Level at the start of a cycle; undefined when the level falls by one a day (certificates). */
  readonly full?: readonly [number, number] | undefined;
  /** Where cycles end: weights and ranges; the weights add up to 1. */
  readonly ends: readonly { readonly weight: number; readonly range: readonly [number, number] }[];
}

export const DAY_MS = 86_400_000;

export interface TrendCycle {
  readonly start: number;
  readonly end: number;
  /** Level at the start and just before the end. */
  readonly high: number;
  readonly low: number;
}

function lowOf(trend: Trend, salt: number, cycle: number): number {
  let draw = uniform(salt ^ 0x10aded, cycle);
  for (const { weight, range } of trend.ends) {
    if (draw < weight) return between(salt ^ 0xf1005, cycle, range[0], range[1]);
    draw -= weight;
  }
  return trend.ends[0]?.range[1] ?? 0;
}

/** The cycle that a time falls into. */
export function trendCycle(trend: Trend, salt: number, at: number): TrendCycle {
  const length = Math.round(between(salt, 1, trend.days[0], trend.days[1]) * DAY_MS);
  const phase = Math.floor(uniform(salt, 2) * length);
  const cycle = Math.floor((at - phase) / length);
  const start = phase + cycle * length;
  const low = lowOf(trend, salt, cycle);
  const high = trend.full === undefined ? low + length / DAY_MS : between(salt, 3, trend.full[0], trend.full[1]);
  return { start, end: start + length, high, low };
}

/** Level at a given time. */
export function trendLevel(trend: Trend, salt: number, at: number): number {
  const { start, end, high, low } = trendCycle(trend, salt, at);
  return high - ((high - low) * (at - start)) / (end - start);
}

/** When the level of a cycle falls below `limit`; the end of the cycle when it never does. */
export function crossing(cycle: TrendCycle, limit: number | undefined): number {
  if (limit === undefined || cycle.low >= limit) return cycle.end;
  if (cycle.high <= limit) return cycle.start;
  return Math.ceil(cycle.start + ((cycle.high - limit) / (cycle.high - cycle.low)) * (cycle.end - cycle.start));
}
