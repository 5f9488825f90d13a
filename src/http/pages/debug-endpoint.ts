import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";
import { type DebugReport, debugPage, debugText } from "./status/debug-view.ts";
import { type Layout, renderPage } from "./status/layout.ts";
import { respond } from "./status/respond.ts";

/** Answers from memory. `signal` may abort it. */
export type DebugPage = (query: URLSearchParams, signal?: AbortSignal) => Promise<DebugReport>;

export interface DebugPages {
  /** `?object=ID`: how the exporter derives an object's series. */
  readonly explain: DebugPage;
  readonly cardinality: DebugPage;
  /** `?server=NAME`: the last run of each collector, step by step. */
  readonly runs: DebugPage;
}

const TEXT = "text/plain";
const JSON_TYPE = "application/json";
const HTML_TYPE = "text/html";

/** @param layout Frame of pages for people. `undefined`: text and JSON only. */
export function debugEndpoint(page: DebugPage, title: string, layout: Layout | undefined) {
  const types = layout === undefined ? [TEXT, JSON_TYPE] : [TEXT, JSON_TYPE, HTML_TYPE];
  return async (request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> => {
    const { searchParams } = new URL(request.url ?? "/", "http://exporter");
    const report = await page(searchParams, signal);
    // As on the metrics page, a client that accepts none of them gets text. So does one that accepts all, such as curl.
    const type = new Negotiator(request).mediaType(types) ?? TEXT;
    if (type === HTML_TYPE && layout !== undefined) {
      const body = renderPage(debugPage(title, report), layout);
      const contentType = `${HTML_TYPE}; charset=utf-8`;
      return respond(request, response, { status: report.status, contentType, body, vary: "Accept, Accept-Encoding" });
    }
    const body = type === JSON_TYPE ? `${JSON.stringify(report.json, undefined, 2)}\n` : debugText(report);
    response.writeHead(report.status, {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Length": Buffer.byteLength(body),
      "Cache-Control": "no-store",
      Vary: "Accept",
    });
    response.end(body);
  };
}
