export const DAY_MS = 86_400_000;

const UNITS: readonly (readonly [string, number])[] = [
  ["d", DAY_MS],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
];
const DURATION = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** Milliseconds of `90s`, `1h30m`, `2d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const ms = UNITS.reduce((sum, [, size], index) => sum + Number(match[index + 1] ?? 0) * size, 0);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** When a step happens: so long after the beginning of a run, or at a time of the day. */
export type StepTime = { readonly after: number } | { readonly timeOfDay: number };

/** Reads `+90s`, and `10:05` or `10:05:30` (UTC); undefined for anything else. */
export function parseStepTime(text: string): StepTime | undefined {
  if (text.startsWith("+")) {
    const after = parseDuration(text.slice(1));
    return after === undefined ? undefined : { after };
  }
  const match = CLOCK.exec(text);
  if (match === null) return undefined;
  const [hours, minutes, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return { timeOfDay: ((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + seconds) * 1000 };
}

/** The first such time at or after the beginning of a run; milliseconds since the epoch. */
export function timeOf(time: StepTime, begin: number): number {
  if ("after" in time) return begin + time.after;
  const today = Math.floor(begin / DAY_MS) * DAY_MS + time.timeOfDay;
  return today >= begin ? today : today + DAY_MS;
}
