import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { ExporterError } from "../errors/exporter-error.ts";
import type { ListenAddress } from "./listen-address.ts";

/** Answers GET and HEAD of one path; everything about the body is its own. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface WebServerOptions {
  readonly addresses: readonly ListenAddress[];
  /** By exact path. */
  readonly routes: ReadonlyMap<string, RouteHandler>;
  readonly log: Logger;
  /** A connection on which nothing moves for so long while a response is due is cut; milliseconds, 60 s by default. */
  readonly stalledMs?: number;
}

const STALLED_MS = 60_000;
/** How often connections are looked for that have become idle while the server closes. */
const CLOSING_INTERVAL_MS = 50;

export interface WebServer {
  /** One for each address, for people: `http://localhost:9705`. */
  readonly urls: readonly string[];
  /** Stops listening, lets running responses end within `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
}

/** @throws ExporterError LISTEN_FAILED */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const servers: Server[] = [];
  try {
    for (const address of options.addresses) servers.push(await listen(address, options));
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  return {
    urls: servers.map((server, index) => urlOf(server, options.addresses[index]?.host)),
    close: async (graceMs) => {
      await Promise.all(servers.map((server) => closeGracefully(server, graceMs)));
    },
  };
}

async function listen(address: ListenAddress, options: WebServerOptions): Promise<Server> {
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    (request, response) => void answer(request, response, options),
  );
  // A reader that stops reading keeps a whole page in memory.
  server.setTimeout(options.stalledMs ?? STALLED_MS);
  server.listen(address.port, address.host);
  try {
    await once(server, "listening");
  } catch (error) {
    const where = `${address.host ?? ""}:${address.port}`;
    throw new ExporterError("LISTEN_FAILED", `cannot listen on ${where}`, { cause: error });
  }
  // Such as too many open files: the next scrape may find some free.
  server.on("error", (error) => options.log.error({ err: error }, "a connection to the exporter failed"));
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, options: WebServerOptions): Promise<void> {
  response.setHeader("X-Content-Type-Options", "nosniff");
  const path = request.url?.split("?", 1)[0] ?? "/";
  const handler = options.routes.get(path);
  if (handler === undefined) return respondText(response, 404, `There is nothing at this path. Try /\n`);
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return respondText(response, 405, "Only GET and HEAD are allowed here.\n");
  }
  try {
    await handler(request, response);
  } catch (error) {
    options.log.error({ err: error, path }, "request to the exporter failed");
    if (response.headersSent) response.destroy();
    else respondText(response, 500, "The exporter failed to answer; its log says why.\n");
  }
}

/** A short plain answer. For HEAD node leaves the body out by itself. */
export function respondText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

async function closeGracefully(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  // Those kept alive after a response that is under way now would stay until their own end.
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSING_INTERVAL_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cut);
}

function urlOf(server: Server, host: string | undefined): string {
  const { port } = server.address() as AddressInfo;
  if (host === undefined || host === "0.0.0.0" || host === "::") return `http://localhost:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
