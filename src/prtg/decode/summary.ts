import type { StatusSummary } from "../records.ts";
import type { StatusToken } from "../status.ts";
import { integerMembers, wholeNumber } from "./integer-members.ts";
import { isAbsent, isObject } from "./primitives.ts";
import type { DecodeProblems } from "./problems.ts";
import { statusToken } from "./status.ts";

/**
 * Counts of sensors per status, from `sensor_status_summary` of a node or from `/sensor-status-summary`. The
 * specification does not show the record: whole numbers under the name of a status count, in any spelling and depth.
 * Whether they add up to `total` is not judged here: servers may leave statuses out.
 */
export function readSummary(value: unknown, problems: DecodeProblems): StatusSummary {
  const counts = new Map<StatusToken, number>();
  let total: number | undefined;
  for (const [name, count] of integerMembers(value)) {
    const token = statusToken(name);
    if (token !== undefined) counts.set(token, count);
    else if (name.toLowerCase() === "total") total = count;
  }
  problems.summary += counts.size === 0 ? 1 : spoiltCounts(value);
  return { counts, total };
}

/** Members that are named after a status, but hold no count. */
function spoiltCounts(value: unknown): number {
  if (!isObject(value)) return 0;
  let spoilt = 0;
  for (const [name, member] of Object.entries(value)) {
    if (isAbsent(member) || isObject(member) || Array.isArray(member)) continue;
    if (statusToken(name) !== undefined && wholeNumber(member) === undefined) spoilt++;
  }
  return spoilt;
}
