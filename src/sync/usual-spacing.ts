import type { TimeSeriesRow } from "../prtg/records.ts";

const LAST_SPACINGS = 9;
const FEWEST_SPACINGS = 3;

/** Median distance between the last rows, in milliseconds: gaps and extra scans do not sway it. Undefined for too few. */
export function medianSpacing(rows: readonly TimeSeriesRow[]): number | undefined {
  const times = rows.slice(-LAST_SPACINGS - 1).map(({ at }) => at);
  if (times.length <= FEWEST_SPACINGS) return undefined;
  const spacings = times.slice(1).map((at, index) => at - (times[index] ?? at));
  return spacings.sort((a, b) => a - b)[Math.floor(spacings.length / 2)];
}
