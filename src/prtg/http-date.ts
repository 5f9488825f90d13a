/**
 * Milliseconds since the epoch; NaN when unreadable. `Date.parse` alone takes almost anything for a date; an HTTP date
 * (RFC 9110, 5.6.7) begins with the name of a day.
 */
export function httpDate(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
}
