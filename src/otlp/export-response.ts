import { STATUS_CODES } from "node:http";
import { parseHttpDate, parseRetryAfterMs } from "../lib/http/headers.ts";
import type { Encodings, PartialSuccess } from "./encoding.ts";
import { CONTENT_TYPES, OTLP_PROTOCOLS, type OtlpProtocol } from "./environment.ts";

/** The answer to one request, as it came over the wire. */
export interface HttpAnswer {
  readonly status: number;
  /** Without parameters, lower case. */
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  /** The time of the answer by the receiver's clock. */
  readonly date?: string | undefined;
  readonly body: Uint8Array;
}

/** What became of data points or log records that were sent. */
export type ExportOutcome =
  /** The receiver has them; `rejected` of them it refused for good, and says why. */
  | { readonly kind: "accepted"; readonly rejected: number; readonly message: string }
  /** The receiver refuses the request for good (400, 413 ...): sending it again is of no use. */
  | { readonly kind: "refused"; readonly message: string }
  /** It could not be delivered now. */
  | FailedExport;

export interface FailedExport {
  readonly kind: "failed";
  readonly retryAfterMs: number | undefined;
  readonly message: string;
  /** No request was sent: the receiver asked for a pause, which is not over. */
  readonly isHeld?: boolean;
}

/** What became of one request. */
export type RequestOutcome = ExportOutcome | { readonly kind: "too large"; readonly message: string };

/** What an answer is to. */
export interface SentRequest {
  readonly protocol: OtlpProtocol;
  /** Of its signal. */
  readonly encodings: Encodings<never>;
  /** Data points or log records in it. */
  readonly count: number;
}

/** The statuses for which OTLP/HTTP wants another attempt. */
const TRY_AGAIN = new Set([429, 502, 503, 504]);

/**
 * These say nothing against the data: a token has run out, a path is wrong, a proxy lost patience. It will be as
 * welcome as ever once that is mended, so it is kept. (The protocol forbids to repeat such a request as it is; the
 * caller comes back later, with the credentials of then.)
 */
const NOT_ABOUT_THE_DATA = new Set([401, 403, 404, 405, 407, 408]);

const MAX_MESSAGE = 300;

/**
 * Reads the answer to a request.
 * @param nowMs wall clock, from which a date in `Retry-After` counts if the answer has no date itself
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
 */
export function parseExportResponse(answer: HttpAnswer, sent: SentRequest, nowMs: number): RequestOutcome {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    if (answer.contentType !== "text/html") return { kind: "accepted", ...readPartialSuccess(answer, sent) };
    const message = `HTTP ${status} with a page for people: this is no OTLP receiver`;
    return { kind: "failed", retryAfterMs: undefined, message };
  }
  const message = describeStatus(answer, sent);
  if (TRY_AGAIN.has(status)) {
    return { kind: "failed", retryAfterMs: parseRetryAfterMs(answer.retryAfter, dateOf(answer) ?? nowMs), message };
  }
  if (status < 400) {
    return { kind: "failed", retryAfterMs: undefined, message: `${message}: redirects are not followed` };
  }
  if (NOT_ABOUT_THE_DATA.has(status)) return { kind: "failed", retryAfterMs: undefined, message };
  return status === 413 ? { kind: "too large", message } : { kind: "refused", message };
}

/** The receiver's clock may differ from ours. */
function dateOf({ date }: HttpAnswer): number | undefined {
  const at = date === undefined ? Number.NaN : parseHttpDate(date);
  return Number.isNaN(at) ? undefined : at;
}

/** The SDK's own exporters only log a partial success; who keeps a watermark must know of it. */
function readPartialSuccess(answer: HttpAnswer, sent: SentRequest): { rejected: number; message: string } {
  const success = decode(answer, sent);
  const rejected = Number(success?.rejected ?? 0);
  return {
    rejected: rejected > 0 ? Math.min(Math.trunc(rejected), sent.count) : 0,
    message: presentable(String(success?.errorMessage ?? "")),
  };
}

/** The body of a success; undefined where it is none of the protocol's, which a receiver is forgiven. */
function decode(answer: HttpAnswer, { protocol, encodings }: SentRequest): PartialSuccess | undefined {
  try {
    return encodings[protocolOf(answer, protocol)].decode(answer.body);
  } catch {
    return undefined;
  }
}

/** `HTTP 400 Bad Request: the reason that the receiver gave` */
function describeStatus(answer: HttpAnswer, sent: SentRequest): string {
  const status = `HTTP ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`.trim();
  const reason = presentable(readReason(answer, sent));
  return reason === "" ? status : `${status}: ${reason}`;
}

/** Failures carry a `google.rpc.Status`; proxies, and some receivers, plain text. */
function readReason(answer: HttpAnswer, sent: SentRequest): string {
  const { body, contentType } = answer;
  if (contentType?.startsWith("text/")) return contentType === "text/plain" ? new TextDecoder().decode(body) : "";
  // Loki answers requests in JSON with a Status in protobuf, of no content type that says so.
  if (contentType === "application/octet-stream" || protocolOf(answer, sent.protocol) === "http/protobuf") {
    // A Status is laid out as a partial success is (1: number, 2: text), so it can be read as one.
    const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
    if (body.length >= 1 << 14) return "";
    const wrapped = {
      ...answer,
      contentType: CONTENT_TYPES["http/protobuf"],
      body: Uint8Array.from([0x0a, ...length, ...body]),
    };
    return String(decode(wrapped, sent)?.errorMessage ?? "");
  }
  try {
    const status: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof status === "object" && status !== null && "message" in status ? String(status.message) : "";
  } catch {
    return "";
  }
}

function protocolOf({ contentType }: HttpAnswer, asked: OtlpProtocol): OtlpProtocol {
  return OTLP_PROTOCOLS.find((protocol) => CONTENT_TYPES[protocol] === contentType) ?? asked;
}

/** One short line for a log. */
function presentable(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE).toWellFormed()}...` : line;
}
