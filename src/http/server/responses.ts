import type { IncomingMessage, ServerResponse } from "node:http";

/** Answers GET and HEAD of one path, or POST of an action; everything about the body is its own. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A short plain answer. For HEAD node leaves the body out by itself. */
export function respondText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** Seconds after which a client that was refused may try again. */
const BUSY_SECONDS = 1;

/** What is asked for takes work, and others wait for theirs. */
export function respondBusy(response: ServerResponse): void {
  response.setHeader("Retry-After", BUSY_SECONDS);
  respondText(response, 503, "Too many pages are being made; try again.\n");
}

/** What a browser may do with a page besides what its own policy says: nothing. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "X-Frame-Options": "deny",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

/** The headers of every page for people. Those that the web configuration has set already stay as they are. */
export function setPageHeaders(response: ServerResponse, contentSecurityPolicy: string): void {
  const headers = { "Content-Security-Policy": contentSecurityPolicy, ...PAGE_HEADERS };
  for (const [name, value] of Object.entries(headers)) {
    if (!response.hasHeader(name)) response.setHeader(name, value);
  }
}
