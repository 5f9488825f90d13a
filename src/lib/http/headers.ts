import type { Dispatcher } from "undici";

export type ResponseHeaders = Dispatcher.ResponseData["headers"];

export function headerValue(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function mediaType(headers: ResponseHeaders): string | undefined {
  return headerValue(headers, "content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}

/** NaN if unreadable. An HTTP date (RFC 9110, 5.6.7) begins with a day. `Date.parse` alone accepts almost any text. */
export function parseHttpDate(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
}

/** Longer pauses would look like an outage. */
const MAX_RETRY_AFTER_MS = 15 * 60_000;

/** Reads seconds or an HTTP date (RFC 9110, 10.2.3). Returns milliseconds from `nowMs`. */
export function parseRetryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const ms = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1000 : parseHttpDate(trimmed) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}
