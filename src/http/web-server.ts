import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { ExporterError } from "../errors/exporter-error.ts";
import type { ListenAddress } from "./listen-address.ts";

/** Answers GET and HEAD of one path; everything about the body is its own. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface WebServerOptions {
  readonly addresses: readonly ListenAddress[];
  /** By exact path. */
  readonly routes: Pick<ReadonlyMap<string, RouteHandler>, "get">;
  /** What POST does, by path. */
  readonly actions?: ReadonlyMap<string, RouteHandler> | undefined;
  readonly log: Logger;
  /** A connection on which nothing moves for so long while a response is due is cut; milliseconds, 60 s by default. */
  readonly stalledMs?: number;
}

const STALLED_MS = 60_000;

export interface WebServer {
  /** One for each address, for people: `http://localhost:9705`. */
  readonly urls: readonly string[];
  /** Lets the responses that are under way end within `graceMs`, then stops listening and cuts what is left. */
  close(graceMs: number): Promise<void>;
}

interface Listener {
  readonly server: Server;
  /** Responses that are not yet with the operating system, down to their last byte. */
  readonly underWay: ReadonlySet<ServerResponse>;
}

/** @throws ExporterError LISTEN_FAILED */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const listeners: Listener[] = [];
  try {
    for (const address of options.addresses) listeners.push(await listen(address, options));
  } catch (error) {
    for (const { server } of listeners) server.close();
    throw error;
  }
  return {
    urls: listeners.map(({ server }, index) => urlOf(server, options.addresses[index]?.host)),
    close: async (graceMs) => {
      await Promise.all(listeners.map((listener) => closeGracefully(listener, graceMs)));
    },
  };
}

async function listen(address: ListenAddress, options: WebServerOptions): Promise<Listener> {
  const underWay = new Set<ServerResponse>();
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    (request, response) => {
      underWay.add(response);
      response.once("close", () => underWay.delete(response));
      void answer(request, response, options);
    },
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
  return { server, underWay };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: WebServerOptions): Promise<void> {
  response.setHeader("X-Content-Type-Options", "nosniff");
  const path = request.url?.split("?", 1)[0] ?? "/";
  const action = options.actions?.get(path);
  const handler = action ?? options.routes.get(path);
  if (handler === undefined) return respondText(response, 404, `There is nothing at this path. Try /\n`);
  const allowed = action === undefined ? ["GET", "HEAD"] : ["POST"];
  if (!allowed.includes(request.method ?? "")) {
    response.setHeader("Allow", allowed.join(", "));
    return respondText(response, 405, `Only ${allowed.join(" and ")} ${action ? "is" : "are"} allowed here.\n`);
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

/** Node's own `close` takes a response for over once its end is written, though the reader may have read nothing yet. */
async function closeGracefully({ server, underWay }: Listener, graceMs: number): Promise<void> {
  const ended = [...underWay].map((response) => new Promise((resolve) => response.once("close", resolve)));
  const graceOver = new AbortController();
  await Promise.race([Promise.all(ended), delay(graceMs, undefined, { signal: graceOver.signal })]);
  graceOver.abort();
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function urlOf(server: Server, host: string | undefined): string {
  const { port } = server.address() as AddressInfo;
  if (host === undefined || host === "0.0.0.0" || host === "::") return `http://localhost:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
