import { parseDuration } from "../config/duration.ts";
import { parseTimestamp } from "../prtg/decode/timestamp.ts";

const SECOND_MS = 1000;

/** A point in time as a user gives it. */
export type Moment =
  | { readonly text: string; readonly kind: "fixed" /** Milliseconds since the epoch. */; readonly at: number }
  | { readonly text: string; readonly kind: "ago"; readonly ms: number };

/** Reads `2026-03-01T00:00:00Z` or `30d`, meaning 30 days ago. Throws a RangeError for what is neither. */
export function parseMoment(text: string): Moment {
  const ms = parseDuration(text);
  if (ms !== undefined) return { text, kind: "ago", ms };
  const at = isCalendarDay(text) ? parseTimestamp(text) : undefined;
  if (at !== undefined) return { text, kind: "fixed", at };
  throw new RangeError("Give a time as in 2026-03-01T00:00:00Z, or how long ago as in 30d or 12h.");
}

/** Milliseconds since the epoch, whole seconds: names of files carry no more. */
export function resolveMoment(moment: Moment, now: number): number {
  const at = moment.kind === "fixed" ? moment.at : now - moment.ms;
  return Math.floor(at / SECOND_MS) * SECOND_MS;
}

/** `Date.parse` takes a 31st of February. */
function isCalendarDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}
