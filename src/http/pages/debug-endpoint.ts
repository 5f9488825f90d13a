import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";

export interface DebugReport {
  readonly status: 200 | 400 | 404;
  readonly text: string;
  readonly json: unknown;
}

/** Answers from memory. `signal` may abort it. */
export type DebugPage = (query: URLSearchParams, signal?: AbortSignal) => Promise<DebugReport>;

export interface DebugPages {
  /** `?object=ID`: how the exporter derives an object's series. */
  readonly explain: DebugPage;
  readonly cardinality: DebugPage;
}

const TEXT = "text/plain";
const JSON_TYPE = "application/json";

export function debugEndpoint(page: DebugPage) {
  return async (request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> => {
    const { searchParams } = new URL(request.url ?? "/", "http://exporter");
    const report = await page(searchParams, signal);
    // As on the metrics page, a client that accepts neither gets text.
    const type = new Negotiator(request).mediaType([TEXT, JSON_TYPE]) ?? TEXT;
    const body = type === JSON_TYPE ? `${JSON.stringify(report.json, undefined, 2)}\n` : report.text;
    response.writeHead(report.status, {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Length": Buffer.byteLength(body),
      "Cache-Control": "no-store",
      Vary: "Accept",
    });
    response.end(body);
  };
}
