import type { Random } from "./random.ts";

/** Summer time ends there on the last Sunday of October at 01:00 UTC. */
export const TIME_ZONE = "Europe/Berlin";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The clock arrives so long before the hour that comes twice. */
const BEFORE_THE_HOUR_MS = 8_000;

export interface ClockJump {
  /** For reports. */
  readonly kind: string;
  /** How far the exporter's wall clock is then ahead of the machine's, milliseconds. */
  readonly aheadMs: number;
}

/** One jump of the exporter's wall clock. `now`: the machine's, milliseconds since the epoch. */
export function clockJump(random: Random, now: number): ClockJump {
  const end = nextEndOfSummerTime(now);
  return random.pick([
    { kind: "wall clock an hour ahead", aheadMs: HOUR_MS },
    { kind: "wall clock an hour back", aheadMs: -HOUR_MS },
    { kind: "wall clock two days ahead", aheadMs: 2 * DAY_MS },
    { kind: "wall clock a day back", aheadMs: -DAY_MS },
    { kind: "end of summer time", aheadMs: end - BEFORE_THE_HOUR_MS - now },
    { kind: "beginning of the hour that comes twice", aheadMs: end - HOUR_MS - BEFORE_THE_HOUR_MS - now },
  ]);
}

/** In Europe; milliseconds since the epoch. */
export function nextEndOfSummerTime(now: number): number {
  for (let year = new Date(now).getUTCFullYear(); ; year++) {
    const last = new Date(Date.UTC(year, 9, 31, 1));
    const end = last.getTime() - last.getUTCDay() * DAY_MS;
    if (end > now) return end;
  }
}
