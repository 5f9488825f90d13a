import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { StreamedPage } from "../../exposition/representation.ts";
import { isClosed } from "./response-lifetime.ts";

/** Answers GET and HEAD of a path, or POST of an action, with the whole body. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Answers POST with the body of the request. Authentication comes before the body is read. */
export interface PostRoute {
  /** A longer body is refused. */
  readonly maxBytes: number;
  readonly post: (request: IncomingMessage, response: ServerResponse, body: Buffer) => Promise<void>;
}

export type Route = RouteHandler | PostRoute;

export function isPostRoute(route: Route | undefined): route is PostRoute {
  return typeof route === "object";
}

/** Node omits the body for HEAD. */
export function respondText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

const BUSY_SECONDS = 1;

/** @param text The work that requests wait for. */
export function respondBusy(
  response: ServerResponse,
  text = "The exporter is already creating too many pages. Retry later.\n",
  seconds = BUSY_SECONDS,
): void {
  response.setHeader("Retry-After", seconds);
  respondText(response, 503, text);
}

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "X-Frame-Options": "deny",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

/** Headers of the web configuration take precedence. */
export function setPageHeaders(response: ServerResponse, contentSecurityPolicy: string): void {
  const headers = { "Content-Security-Policy": contentSecurityPolicy, ...PAGE_HEADERS };
  for (const [name, value] of Object.entries(headers)) {
    if (!response.hasHeader(name)) response.setHeader(name, value);
  }
}

/** Bounds the memory of a page that is rendered or encrypted while it is sent. */
const BATCH_BYTES = 1_024 * 1_024;

/**
 * Sends generated or encrypted pages in batches with back-pressure, and plain ones in one write, which is faster. Stops if the reader
 * disconnects.
 */
export async function streamPage(response: ServerResponse, { beginning, end }: StreamedPage): Promise<void> {
  if (Symbol.iterator in beginning && !isEncrypted(response)) write(response, beginning);
  else if (!(await writeInBatches(response, beginning))) return;
  const rest = await end();
  if (!isClosed(response)) write(response, rest, true);
}

/** A pipelined response has no socket yet. */
function isEncrypted({ req }: ServerResponse): boolean {
  const socket: unknown = req.socket;
  return typeof socket === "object" && socket !== null && "encrypted" in socket && socket.encrypted === true;
}

/** Returns false if the reader disconnected. */
async function writeInBatches(response: ServerResponse, buffers: StreamedPage["beginning"]): Promise<boolean> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for await (const buffer of buffers) {
    batch.push(buffer);
    bytes += buffer.length;
    if (bytes < BATCH_BYTES) continue;
    if (!write(response, batch)) await drained(response);
    if (isClosed(response)) return false;
    batch = [];
    bytes = 0;
  }
  write(response, batch);
  return true;
}

/** One system call: the response's own `cork` would flush each buffer. Returns false if the buffer is full. */
function write(response: ServerResponse, buffers: Iterable<Buffer>, isEnd = false): boolean {
  const { socket } = response;
  let hasRoom = true;
  socket?.cork();
  for (const buffer of buffers) hasRoom = response.write(buffer);
  if (isEnd) response.end();
  socket?.uncork();
  return hasRoom;
}

async function drained(response: ServerResponse): Promise<void> {
  if (isClosed(response)) return;
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]).catch(() => undefined);
  over.abort();
}
