import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";

/** In both forms, without secrets. */
export interface DebugReport {
  readonly status: 200 | 400 | 404;
  /** For people; lines end with a line feed. */
  readonly text: string;
  /** For programs. */
  readonly json: unknown;
}

/** From memory; `gone` may end it early. */
export type DebugPage = (query: URLSearchParams, gone?: AbortSignal) => Promise<DebugReport>;

/** Below /debug. */
export interface DebugPages {
  /** `?object=ID`: how an object came to its series. */
  readonly explain: DebugPage;
  /** Where the series come from. */
  readonly cardinality: DebugPage;
}

const TEXT = "text/plain";
const JSON_TYPE = "application/json";

/** Text, or JSON for those who prefer it; GET and HEAD. */
export function debugEndpoint(page: DebugPage) {
  return async (request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> => {
    const { searchParams } = new URL(request.url ?? "/", "http://exporter");
    const report = await page(searchParams, gone);
    // A client that accepts neither gets text, as on the metrics page.
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
