import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { negotiateEncoding } from "../../../exposition/negotiate.ts";
import { setPageHeaders } from "../../server/responses.ts";

/** Allows only our own style and script files. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface Answer {
  readonly status: 200 | 400 | 404;
  readonly contentType: string;
  readonly body: string;
  /** Request headers that change the answer. Default: `Accept-Encoding`. */
  readonly vary?: string;
  /** The path contains a hash of the content. */
  readonly isImmutable?: boolean;
}

const compress = promisify(gzip);
/** Compression saves no packet below this size. */
const WORTH_COMPRESSING = 1_000;

export async function respond(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const { status, contentType, body, vary = "Accept-Encoding", isImmutable = false } = answer;
  const plain = Buffer.from(body);
  const zipped = plain.length > WORTH_COMPRESSING && negotiateEncoding(request.headers) === "gzip";
  const bytes = zipped ? await compress(plain) : plain;
  setPageHeaders(response, CONTENT_SECURITY_POLICY);
  response.writeHead(status, {
    "Content-Type": contentType,
    "Content-Length": bytes.length,
    ...(zipped && { "Content-Encoding": "gzip" }),
    Vary: vary,
    "Cache-Control": isImmutable ? "public, max-age=31536000, immutable" : "no-store",
  });
  response.end(bytes);
}

/** The path changes with the content, so browsers may cache it forever. */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

export const STYLE = asset("status.css", "text/css; charset=utf-8", ["charts.css"]);
export const SCRIPT = asset("status.js", "text/javascript; charset=utf-8", [
  "clock.js",
  "charts.js",
  "copy.js",
  "keys.js",
  "titles.js",
]);

/** @param others Files that follow in the same answer, which saves requests. */
function asset(file: string, contentType: string, others: readonly string[]): Asset {
  // `npm run build` copies the files next to the code.
  const read = (each: string) => readFileSync(new URL(`./assets/${each}`, import.meta.url), "utf8");
  const body = [file, ...others].map(read).join("\n");
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 10);
  return { path: `/assets/${hash}-${file}`, contentType, body };
}
