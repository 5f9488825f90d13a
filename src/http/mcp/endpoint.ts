import type { IncomingMessage, ServerResponse } from "node:http";
import { parsedJson } from "../../lib/parsed-json.ts";
import { disconnectSignal } from "../server/response-lifetime.ts";
import { respondText } from "../server/responses.ts";
import type { McpSurroundings } from "./access.ts";
import { PageLinks } from "./page-links.ts";
import { answerMessage } from "./protocol.ts";

/** Headers that the protocol reads. */
const HEADERS = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"] as const;

/** JSON-RPC 2.0 */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Loaded with the first request, because the SDK takes longer to load than the web server. */
export async function answerMcp(
  { access, source, concurrency }: McpSurroundings,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  const message = parsedJson(body.toString("utf8"));
  if (message === undefined) return refuse(response, PARSE_ERROR, "The body is not valid JSON.");
  if (Array.isArray(message))
    return refuse(response, INVALID_REQUEST, "Send one message at a time: batches are not supported.");
  if (typeof message !== "object" || message === null)
    return refuse(response, INVALID_REQUEST, "The body is no JSON object.");
  const signal = disconnectSignal(response);
  const answer = await answerMessage({
    headers: headersOf(request),
    message,
    version: access.version,
    call: {
      source,
      links: new PageLinks(access.externalUrl()),
      signal,
      turn: (work) => concurrency.turn(work, signal),
      called: access.called,
      failed: access.failed,
    },
  });
  if (signal.aborted) return;
  send(response, answer.status, answer.headers.get("content-type"), await answer.text());
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

function refuse(response: ServerResponse, code: number, message: string): void {
  send(response, 400, "application/json", JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
}

function send(response: ServerResponse, status: number, contentType: string | null, body: string): void {
  response.setHeader("Cache-Control", "no-store");
  if (contentType === null) {
    respondText(response, status, body);
    return;
  }
  response.writeHead(status, { "Content-Type": contentType, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}
