import type { LimitName } from "../prtg/records.ts";

/** True when the value lies beyond the limit: above a maximum, below a minimum; a value on the limit is within it. */
export function isBeyondLimit(name: LimitName, limit: number, value: number): boolean {
  return name.startsWith("max_") ? value > limit : value < limit;
}
