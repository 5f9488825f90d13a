import { STATUS_CODES } from "node:http";
import type { DeliveryFailure } from "../delivery/delivery-loop.ts";
import { parseHttpDate, parseRetryAfterMs } from "../lib/http/headers.ts";
import type { Encodings, PartialSuccess } from "./encoding.ts";
import { CONTENT_TYPES, OTLP_PROTOCOLS, type OtlpProtocol } from "./environment.ts";

/** An answer as it came over the wire. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  /** The time of the receiver's clock. */
  readonly date?: string | undefined;
  readonly body: Uint8Array;
}

export type ExportOutcome =
  /** Everything is settled. The receiver rejected `rejected` points permanently. */
  { readonly kind: "accepted"; readonly rejected: number; readonly message: string } | FailedExport;

export interface FailedExport extends DeliveryFailure {
  /** No request was sent, because the receiver asked for a pause, or because there is no time left. */
  readonly isHeld?: boolean;
}

export type RequestOutcome =
  | ExportOutcome
  /** The receiver rejected the request. It may do so because of the data, or because of its size. */
  | { readonly kind: "refused" | "too large"; readonly message: string };

/** The request that an answer belongs to. */
export interface SentRequest {
  readonly protocol: OtlpProtocol;
  readonly encodings: Encodings<never>;
  readonly count: number;
}

/**
 * Other codes of 400 and above may be about the data. These never are: rejected credentials, a wrong path, a proxy, a busy
 * or broken receiver.
 */
const NOT_ABOUT_THE_DATA = new Set([401, 403, 404, 405, 407, 408, 421, 423, 425, 429]);

/**
 * Collectors and VictoriaMetrics report the size of a request with 400.
 * @see https://pkg.go.dev/net/http#MaxBytesError
 */
const ABOUT_THE_SIZE =
  /\b(body|request|message|data size|payload)\b.*\b(too large|too big|larger than|exceed(s|ing|ed)?)\b|too big data size/i;

const MAX_MESSAGE = 300;

/**
 * @param nowMs Wall clock for a date in `Retry-After`, if the answer has no `Date`.
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
 */
export function parseExportResponse(answer: HttpAnswer, sent: SentRequest, nowMs: number): RequestOutcome {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    if (answer.contentType !== "text/html") return { kind: "accepted", ...readPartialSuccess(answer, sent) };
    const message = `HTTP ${status} with an HTML page: this is not an OTLP receiver`;
    return { kind: "failed", retryAfterMs: undefined, message };
  }
  const reason = presentable(readReason(answer, sent));
  const text = `HTTP ${status} ${STATUS_CODES[status] ?? ""}`.trim();
  const message = reason === "" ? text : `${text}: ${reason}`;
  if (status < 400) {
    return { kind: "failed", retryAfterMs: undefined, message: `${message}: the exporter does not follow redirects` };
  }
  if (status >= 500 || NOT_ABOUT_THE_DATA.has(status)) {
    return { kind: "failed", retryAfterMs: parseRetryAfterMs(answer.retryAfter, dateOf(answer) ?? nowMs), message };
  }
  const isSize = status === 413 || (status === 400 && ABOUT_THE_SIZE.test(reason));
  return { kind: isSize ? "too large" : "refused", message };
}

/** The receiver's clock may differ from ours. */
function dateOf({ date }: HttpAnswer): number | undefined {
  const at = date === undefined ? Number.NaN : parseHttpDate(date);
  return Number.isNaN(at) ? undefined : at;
}

/** The SDK's exporters only log a partial success, but watermarks depend on it. */
function readPartialSuccess(answer: HttpAnswer, sent: SentRequest): { rejected: number; message: string } {
  const success = decode(answer, sent);
  const rejected = Number(success?.rejected ?? 0);
  return {
    rejected: rejected > 0 ? Math.min(Math.trunc(rejected), sent.count) : 0,
    message: presentable(String(success?.errorMessage ?? "")),
  };
}

/** `undefined` if the body is not of the protocol, which we ignore. */
function decode(answer: HttpAnswer, { protocol, encodings }: SentRequest): PartialSuccess | undefined {
  try {
    return encodings[protocolOf(answer, protocol)].decode(answer.body);
  } catch {
    return undefined;
  }
}

/** Failures have a `google.rpc.Status`. Proxies and some receivers send plain text. */
function readReason(answer: HttpAnswer, sent: SentRequest): string {
  const { body, contentType } = answer;
  if (contentType?.startsWith("text/")) return contentType === "text/plain" ? new TextDecoder().decode(body) : "";
  // Loki answers JSON with a Status in protobuf, without its content type.
  if (contentType === "application/octet-stream" || protocolOf(answer, sent.protocol) === "http/protobuf") {
    // A Status has the layout of a partial success (1: number, 2: text).
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

function presentable(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE).toWellFormed()}...` : line;
}
