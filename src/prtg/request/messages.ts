import { headerValue, mediaType, parseHttpDate, type ResponseHeaders } from "../../lib/http/headers.ts";

/** One request to a monitoring server. */
export interface ApiRequest {
  /** GET by default. */
  readonly method?: "GET" | "POST" | "DELETE";
  /** Template without ids or query, for logs, errors and metrics. */
  readonly endpoint: string;
  /** Path and query below `/api/v2`. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /**
   * The answer has to be a JSON array. Called at each attempt; what it returns is given the records one by one, while
   * they arrive, so that those of an attempt that fails are worth nothing.
   */
  readonly startRecords?: () => (record: unknown) => void;
  /** False where the caller answers a timeout with a smaller request. True by default. */
  readonly retriesTimeout?: boolean;
}

/** A successful answer. */
export interface ApiAnswer {
  /** Undefined when the body was empty, or taken record by record. */
  readonly json: unknown;
  readonly response: HttpResponse;
}

/** Status and the headers that matter here. */
export interface ResponseHead {
  readonly status: number;
  /** As the server words it, often empty. */
  readonly statusText: string;
  /** Without parameters, lower case; undefined when absent. */
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly location: string | undefined;
  /** `Retry-After`, or the specification's `Wait-For`. */
  readonly retryAfter: string | undefined;
  readonly requestId: string | undefined;
  /** `X-Total-Count`; undefined when absent or no number. */
  readonly totalCount: number | undefined;
  /** Whether `Link` names a next page; undefined without such a header. */
  readonly hasNext: boolean | undefined;
  /**
   * `Date`, milliseconds since the epoch, whole seconds; undefined when absent or unreadable, and where `Age` says that the
   * answer comes out of a cache: then it is the time of its storing.
   */
  readonly dateMs: number | undefined;
}

/** An answer as it came over the wire. */
export interface HttpResponse extends ResponseHead {
  /** Empty where it was taken record by record. */
  readonly body: string;
  /** Size of the body on the wire. */
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

/** For what goes into messages and logs: headers together may have 16 KiB. */
function short(value: string | undefined): string | undefined {
  return value?.slice(0, MAX_HEADER_LENGTH);
}
