import type { Coverage } from "../../../src/sync/measurement.ts";

/** Ends in a single measurement. */
export function upTo(until: number): Coverage {
  return { until, isAverage: false };
}
