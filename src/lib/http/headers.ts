import type { Dispatcher } from "undici";

export type ResponseHeaders = Dispatcher.ResponseData["headers"];

/** The value of a header, the first one where it is repeated. `name` in lower case. */
export function headerValue(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** `Content-Type` in lower case, without its parameters. */
export function mediaType(headers: ResponseHeaders): string | undefined {
  return headerValue(headers, "content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}

/**
 * Milliseconds since the epoch; NaN if unreadable. An HTTP date (RFC 9110, 5.6.7) begins with the name of a day. `Date.parse`
 * alone accepts almost any text.
 */
export function parseHttpDate(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
}

/** Longer pauses would look like an outage. */
const MAX_RETRY_AFTER_MS = 15 * 60_000;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or an HTTP date. Returns milliseconds from `nowMs`; `undefined` if the
 * header is absent or unreadable.
 */
export function parseRetryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const ms = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1000 : parseHttpDate(trimmed) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}
