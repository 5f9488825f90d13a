import type { Dispatcher } from "undici";

export type ResponseHeaders = Dispatcher.ResponseData["headers"];

/** The value of a header, the first one where it is repeated. `name` in lower case. */
export function headerValue(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** `Content-Type` without its parameters, lower case; undefined when absent. */
export function mediaType(headers: ResponseHeaders): string | undefined {
  return headerValue(headers, "content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}

/**
 * Milliseconds since the epoch; NaN when unreadable. `Date.parse` alone takes almost anything for a date; an HTTP date
 * (RFC 9110, 5.6.7) begins with the name of a day.
 */
export function parseHttpDate(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
}

/** A server may ask for a pause, not for silence until the next restart. */
const MAX_RETRY_AFTER_MS = 15 * 60_000;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or an HTTP date. Milliseconds from `nowMs`, the clock that a date counts
 * from; undefined when absent or unreadable.
 */
export function parseRetryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const ms = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1000 : parseHttpDate(trimmed) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}
