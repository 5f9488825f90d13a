import type { IncomingHttpHeaders } from "node:http";
import Negotiator from "negotiator";
import type { ExpositionFormat } from "./text-format.ts";

export type ContentEncoding = "identity" | "gzip";

/** How names that are not legal in the old data model would be written; ours all are, only `dots` changes them. */
export type NameEscaping = "none" | "dots";

export interface NegotiatedFormat {
  readonly body: ExpositionFormat;
  readonly escaping: NameEscaping;
  readonly contentType: string;
}

const TEXT_0_0_4: NegotiatedFormat = offer("text", "text/plain; version=0.0.4; charset=utf-8");

/** In our order of preference where the scraper has none: the oldest text format first, as every scraper reads it. */
const OFFERS: ReadonlyMap<string, NegotiatedFormat> = new Map([
  ["text/plain;version=0.0.4", TEXT_0_0_4],
  ...withEscapings("text", "text/plain", "1.0.0"),
  [
    "application/openmetrics-text;version=1.0.0",
    offer("openmetrics", "application/openmetrics-text; version=1.0.0; charset=utf-8"),
  ],
  ...withEscapings("openmetrics", "application/openmetrics-text", "1.0.0"),
  [
    "application/openmetrics-text;version=0.0.1",
    offer("openmetrics", "application/openmetrics-text; version=0.0.1; charset=utf-8"),
  ],
]);
const OFFERED = [...OFFERS.keys()];

/**
 * Picks the format of a metrics page by the Accept header, with q-values and `escaping=`. What cannot be satisfied gets
 * text 0.0.4, never 406: a scraper that sends odd headers still wants its metrics.
 * @see https://prometheus.io/docs/instrumenting/content_negotiation/
 */
export function negotiateFormat(headers: IncomingHttpHeaders): NegotiatedFormat {
  const accept = headers.accept;
  if (accept === undefined) return TEXT_0_0_4;
  const chosen = new Negotiator({ headers: { accept: withoutCharset(accept) } }).mediaType(OFFERED);
  return (chosen === undefined ? undefined : OFFERS.get(chosen)) ?? TEXT_0_0_4;
}

/** gzip where the scraper takes it at least as gladly as plain text; `gzip;q=0` is a no. */
export function negotiateEncoding(headers: IncomingHttpHeaders): ContentEncoding {
  const acceptEncoding = headers["accept-encoding"];
  if (acceptEncoding === undefined) return "identity";
  const encodings = new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encodings(["gzip", "identity"]);
  return encodings[0] === "gzip" ? "gzip" : "identity";
}

function offer(body: ExpositionFormat, contentType: string, escaping: NameEscaping = "none"): NegotiatedFormat {
  return { body, contentType, escaping };
}

function withEscapings(body: ExpositionFormat, mediaType: string, version: string): [string, NegotiatedFormat][] {
  return ["allow-utf-8", "underscores", "dots", "values"].map((escaping) => [
    `${mediaType};version=${version};escaping=${escaping}`,
    offer(
      body,
      `${mediaType}; version=${version}; charset=utf-8; escaping=${escaping}`,
      escaping === "dots" ? "dots" : "none",
    ),
  ]);
}

/** Media types of all formats, without parameters. */
export const MEDIA_TYPES: ReadonlySet<string> = new Set(OFFERED.map(mediaTypeOf));

/** Without parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(";", 1)[0] ?? "";
}

/** We only write UTF-8, and a `charset` parameter would keep a media range from matching what we offer. */
function withoutCharset(accept: string): string {
  return accept.replace(/;\s*charset\s*=\s*("[^"]*"|[^;,\s]*)/gi, "");
}
