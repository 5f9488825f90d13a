import type { IncomingHttpHeaders } from "node:http";
import Negotiator from "negotiator";
import type { ExpositionFormat } from "./text-format.ts";

export type ContentEncoding = "identity" | "gzip";

/** All names are legal in the old data model. Only `dots` changes them. */
export type NameEscaping = "none" | "dots";

export interface NegotiatedFormat {
  readonly body: ExpositionFormat;
  readonly escaping: NameEscaping;
  readonly contentType: string;
}

const TEXT_0_0_4 = offer("text", "text/plain", "0.0.4");

/** In order of preference. Every scraper reads the oldest text format. */
const OFFERS: ReadonlyMap<string, NegotiatedFormat> = new Map([
  TEXT_0_0_4,
  ...withEscapings("text", "text/plain"),
  offer("openmetrics", "application/openmetrics-text", "1.0.0"),
  ...withEscapings("openmetrics", "application/openmetrics-text"),
  offer("openmetrics", "application/openmetrics-text", "0.0.1"),
]);
const OFFERED = [...OFFERS.keys()];

/**
 * Negotiates by the Accept header, with q-values and `escaping=`. Falls back to text 0.0.4 instead of 406. @see
 * https://prometheus.io/docs/instrumenting/content_negotiation/
 */
export function negotiateFormat(headers: IncomingHttpHeaders): NegotiatedFormat {
  const accept = headers.accept;
  if (accept === undefined) return TEXT_0_0_4[1];
  const chosen = new Negotiator({ headers: { accept: withoutCharset(accept) } }).mediaType(OFFERED);
  return (chosen === undefined ? undefined : OFFERS.get(chosen)) ?? TEXT_0_0_4[1];
}

/** gzip if its q-value is not below the one of identity. */
export function negotiateEncoding(headers: IncomingHttpHeaders): ContentEncoding {
  const acceptEncoding = headers["accept-encoding"];
  if (acceptEncoding === undefined) return "identity";
  const encodings = new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encodings(["gzip", "identity"]);
  return encodings[0] === "gzip" ? "gzip" : "identity";
}

/** @returns the media type in an Accept header, and the format */
function offer(
  body: ExpositionFormat,
  mediaType: string,
  version: string,
  escaping?: string,
): readonly [accepted: string, NegotiatedFormat] {
  const escapes = escaping === "dots" ? "dots" : "none";
  const contentType = `${mediaType}; version=${version}; charset=utf-8`;
  if (escaping === undefined) return [`${mediaType};version=${version}`, { body, escaping: escapes, contentType }];
  return [
    `${mediaType};version=${version};escaping=${escaping}`,
    { body, escaping: escapes, contentType: `${contentType}; escaping=${escaping}` },
  ];
}

function withEscapings(body: ExpositionFormat, mediaType: string) {
  return ["allow-utf-8", "underscores", "dots", "values"].map((scheme) => offer(body, mediaType, "1.0.0", scheme));
}

export const MEDIA_TYPES: ReadonlySet<string> = new Set(OFFERED.map(mediaTypeOf));

export function mediaTypeOf(contentType: string): string {
  return contentType.split(";", 1)[0] ?? "";
}

/** A `charset` parameter would prevent a match. All formats are UTF-8. */
function withoutCharset(accept: string): string {
  return accept.replace(/;\s*charset\s*=\s*("[^"]*"|[^;,\s]*)/gi, "");
}
