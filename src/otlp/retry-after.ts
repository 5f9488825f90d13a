/** A receiver may ask for a pause, not for silence until the next restart. */
const MAX_PAUSE_MS = 15 * 60_000;

/** Reads `Retry-After`: seconds, or an HTTP date. Milliseconds from `nowMs` (wall clock); undefined when unreadable. */
export function parseRetryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  const trimmed = text?.trim() ?? "";
  const ms = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1_000 : httpDate(trimmed) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_PAUSE_MS);
}

/** `Date.parse` alone takes almost anything for a date; an HTTP date begins with the name of a day. */
function httpDate(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
}
