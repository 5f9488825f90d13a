import type { SimLimits, SimStatus } from "../model.ts";

export type LimitName = keyof SimLimits;

/** Where a value lies: 0 within the limits, 1 and -1 beyond a warning limit, 2 and -2 beyond an error limit. */
export type LimitZone = -2 | -1 | 0 | 1 | 2;

/** A value that equals a limit is within it. Of a value beyond two opposite limits the upper one counts. */
export function zoneOf({ maxError, maxWarning, minWarning, minError }: SimLimits, value: number): LimitZone {
  if (maxError !== undefined && value > maxError) return 2;
  if (minError !== undefined && value < minError) return -2;
  if (maxWarning !== undefined && value > maxWarning) return 1;
  return minWarning !== undefined && value < minWarning ? -1 : 0;
}

/** What a channel in the zone makes of its sensor. */
export function statusOfZone(zone: LimitZone): SimStatus {
  if (zone === 0) return "up";
  return zone === 1 || zone === -1 ? "warning" : "down";
}

/** The limit that a value in the zone is beyond. */
export function limitOfZone(zone: LimitZone): LimitName | undefined {
  switch (zone) {
    case 2:
      return "maxError";
    case 1:
      return "maxWarning";
    case 0:
      return undefined;
    case -1:
      return "minWarning";
    case -2:
      return "minError";
  }
}
