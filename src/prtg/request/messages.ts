import { headerValue, mediaType, parseHttpDate, type ResponseHeaders } from "../../lib/http/headers.ts";
import { shortLine } from "../../lib/printable-text.ts";
import type { Members } from "../decode/values.ts";

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  /** Template without ids or query. */
  readonly endpoint: string;
  readonly path: string;
  readonly body?: string;
  /**
   * Requires a JSON array. Called for each attempt. Its result gets the records while they arrive. Records of a failed
   * attempt are worthless.
   */
  readonly startRecords?: () => (record: unknown) => void;
  /** What the caller reads of a record, which can lack the rest. Default: everything. */
  readonly members?: Members | undefined;
  /** Default: true. False if the caller sends smaller requests instead. */
  readonly retriesTimeout?: boolean;
}

export interface ApiAnswer {
  readonly json: unknown;
  readonly response: HttpResponse;
}

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** Lower case, without parameters. */
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly location: string | undefined;
  /** `Retry-After`, or the specification's `Wait-For`. */
  readonly retryAfter: string | undefined;
  readonly requestId: string | undefined;
  /** `X-Total-Count`. */
  readonly totalCount: number | undefined;
  /** Whether `Link` names a next page. */
  readonly hasNext: boolean | undefined;
  /** `Date`, milliseconds since the epoch. `undefined` if `Age` shows a cached answer. */
  readonly dateMs: number | undefined;
}

export interface HttpResponse extends ResponseHead {
  readonly body: string;
  readonly bytes: number;
}

const MAX_HEADER_LENGTH = 128;

export function readHead(status: number, statusText: string, headers: ResponseHeaders): ResponseHead {
  const link = headerValue(headers, "link");
  const total = headerValue(headers, "x-total-count");
  const date = parseHttpDate(headerValue(headers, "date") ?? "");
  const isCached = Number(headerValue(headers, "age") ?? 0) > 0;
  return {
    status,
    statusText,
    contentType: short(mediaType(headers)),
    contentEncoding: short(headerValue(headers, "content-encoding")?.trim().toLowerCase()),
    location: headerValue(headers, "location"),
    retryAfter: headerValue(headers, "retry-after") ?? headerValue(headers, "wait-for"),
    requestId: short(headerValue(headers, "x-request-id")),
    totalCount: total !== undefined && /^\s*\d{1,15}\s*$/.test(total) ? Number(total) : undefined,
    hasNext: link === undefined ? undefined : /;\s*rel\s*=\s*"?next\b/i.test(link),
    dateMs: Number.isNaN(date) || isCached ? undefined : date,
  };
}

/** For messages and logs: headers may have 16 KiB and control characters. */
function short(value: string | undefined): string | undefined {
  return value === undefined ? undefined : shortLine(value, MAX_HEADER_LENGTH);
}
