import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { onTestFinished } from "vitest";
import { keyPair } from "../../support/certificates.ts";
import { listenOnLoopback } from "../../support/loopback.ts";

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Handler = (request: SeenRequest, response: ServerResponse) => unknown;

export interface ApiServer {
  /** Without a path. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  readonly connections: () => number;
  handle(handler: Handler): void;
  close(): Promise<void>;
}

/** `certificate`: HTTPS with a pair of test/support/certificates. `handler`: relative to `/api/v2`, replaceable. */
export async function startApiServer(handler: Handler, certificate?: string): Promise<ApiServer> {
  let handle = handler;
  const requests: SeenRequest[] = [];
  const listener = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const url = new URL(incoming.url ?? "", "http://server");
    const seen: SeenRequest = {
      method: incoming.method ?? "",
      url: url.pathname.replace(/^\/api\/v2/, "") + url.search,
      path: url.pathname.replace(/^\/api\/v2/, ""),
      query: url.searchParams,
      authorization: incoming.headers.authorization,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(seen);
    await handle(seen, response);
  };
  const onRequest = (incoming: IncomingMessage, response: ServerResponse): void => {
    listener(incoming, response).catch((error) => response.destroy(error));
  };
  const server =
    certificate === undefined ? createServer(onRequest) : createSecureServer(keyPair(certificate), onRequest);
  const { port, connections, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return {
    url: `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    requests,
    connections,
    handle: (next) => {
      handle = next;
    },
    close,
  };
}

/** Sends JSON, `X-Request-Id` and, for lists, `X-Total-Count`. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  const total = Array.isArray(body) ? { "x-total-count": String(body.length) } : {};
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "x-request-id": "request-1",
    ...total,
    ...headers,
  });
  response.end(JSON.stringify(body));
}

/** The specification's error object. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  message = "it did not work",
  headers: Record<string, string> = {},
): void {
  sendJson(response, { code, message, request_id: "request-1" }, { status, headers });
}
