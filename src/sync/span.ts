import { SERIES_STEP_MS } from "../prtg/series-types.ts";
import type { Resolution } from "./measurement.ts";

/**
 * The last millisecond that a row stands for. A measurement stands for its own moment; an average for the span that
 * begins at its time, which is our reading: the specification does not say which end it names.
 */
export function coveredUntil(row: { readonly at: number; readonly resolution: Resolution }): number {
  return row.at + Math.max(SERIES_STEP_MS[row.resolution] - 1, 0);
}

/** Servers give times in whole seconds: only the end of an average lies just before one. */
export function isEndOfAverage(covered: number): boolean {
  return covered % 1000 === 999;
}
