import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { StreamedPage } from "../../exposition/representation.ts";
import { isClosed } from "./response-lifetime.ts";

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

/** What is asked for takes work, and others wait for theirs. `text` says which work. */
export function respondBusy(
  response: ServerResponse,
  text = "Too many pages are being made; try again.\n",
  seconds = BUSY_SECONDS,
): void {
  response.setHeader("Retry-After", seconds);
  respondText(response, 503, text);
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

/** Written at one go where each byte written is memory of its own: what is made as it is read, and what is encrypted. */
const BATCH_BYTES = 1_024 * 1_024;

/**
 * Writes the body of a response as fast as the reader takes it, and ends it. Ends early when the reader has gone. Of
 * what is made while it is sent, no more is made than was taken, and no more is encrypted; what is ready and goes as it
 * is, is handed over at once, which is quickest.
 */
export async function streamPage(response: ServerResponse, { beginning, end }: StreamedPage): Promise<void> {
  if (Symbol.iterator in beginning && !isEncrypted(response)) write(response, beginning);
  else if (!(await writeInBatches(response, beginning))) return;
  const rest = await end();
  if (!isClosed(response)) write(response, rest, true);
}

/** By the request: a response that waits behind another one on its connection has no socket yet. */
function isEncrypted({ req }: ServerResponse): boolean {
  const socket: unknown = req.socket;
  return typeof socket === "object" && socket !== null && "encrypted" in socket && socket.encrypted === true;
}

/** False when the reader has gone. */
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

/**
 * Together, so that the operating system is asked once: a response's own cork would flush each buffer by itself.
 * False where more has to wait.
 */
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
