import type { Coverage } from "../../../src/measurements/measurement.ts";

/** Ends in a single measurement. */
export function upTo(until: number): Coverage {
  return { until, kind: "scan" };
}
