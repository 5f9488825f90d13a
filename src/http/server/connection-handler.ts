import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Server, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { PasswordChecker } from "../auth/basic-auth.ts";
import { BcryptThread } from "../auth/bcrypt-thread.ts";
import type { WebConfig } from "../web-config/load.ts";
import type { WebConfigSource } from "../web-config/source.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import { type ListenAddress, listen, urlOf } from "./listener.ts";
import { createProtocolServer } from "./protocol-server.ts";
import { createRejectionLog, type NoteRejection, type RejectionReason } from "./rejection-log.ts";
import { RequestHandler, type RequestHandlerOptions } from "./request-handler.ts";
import { isClosed, PipelinedResponses } from "./response-lifetime.ts";
import type { RouteHandler } from "./responses.ts";

export interface WebObserver {
  rejected(reason: RejectionReason): void;
  observed(state: { readonly connections: number; readonly webConfigInForce: boolean }): void;
}

export interface WebLimits {
  /** Open connections on all addresses. Default: 512. */
  readonly maxConnections?: number | undefined;
  /** Concurrent scrapes and pages. Default: 40. 0: no limit. */
  readonly maxRequests?: number | undefined;
  /** Cuts a connection that makes no progress while it has a request. Milliseconds, default 60 s. */
  readonly stalledMs?: number | undefined;
  /** Time until the end of the first head, TLS handshake included. Default: 10 s. */
  readonly requestMs?: number | undefined;
  /** Time until the next request. Default: 75 s. */
  readonly idleMs?: number | undefined;
  /** Time to send a response. Default: 5 minutes, longer than any scrape. */
  readonly answerMs?: number | undefined;
  /** Time at the end for requests that are on their way on idle connections. Default: 1 s. */
  readonly lastRequestsMs?: number | undefined;
  /** Interval of the checks of connections and of the web configuration's files. Default: 1 s. */
  readonly watchMs?: number | undefined;
}

export interface ConnectionHandlerOptions extends WebLimits {
  readonly routes: RequestHandlerOptions["routes"];
  readonly actions?: ReadonlyMap<string, RouteHandler> | undefined;
  /** Routes of a user with limited access. `undefined`: full access. */
  readonly restricted?: RequestHandlerOptions["restricted"];
  readonly telemetryPath?: string | undefined;
  readonly log: Logger;
  /** `undefined`: plain HTTP without users. */
  readonly webConfig?: WebConfigSource | undefined;
  readonly observer?: WebObserver | undefined;
}

const LAST_REQUESTS_MS = 1_000;

/** Accepts connections, lets the current protocol server speak HTTP on them, and passes requests to the request handler. */
export class ConnectionHandler {
  readonly #connections: Connections;
  readonly #options: ConnectionHandlerOptions;
  readonly #handler: RequestHandler;
  readonly #bcrypt = new BcryptThread();
  readonly #reject: NoteRejection;
  readonly #underWay = new Set<ServerResponse>();
  readonly #queued = new PipelinedResponses();
  #config: WebConfig;
  #protocol: Server;
  #isEnding = false;

  constructor(options: ConnectionHandlerOptions) {
    const { log, observer, webConfig, routes, actions, restricted, telemetryPath = "/metrics" } = options;
    const now = () => performance.now();
    this.#options = options;
    this.#config = webConfig?.current ?? PLAIN_HTTP;
    const rejected = createRejectionLog(log, now, (reason) => observer?.rejected(reason));
    this.#reject = rejected;
    this.#connections = new Connections(connectionLimits(options), now, (reason, socket) =>
      rejected(reason, socket.remoteAddress),
    );
    const passwords = new PasswordChecker((question) => this.#bcrypt.compare(question));
    const maxRequests = options.maxRequests ?? 40;
    const answers = { routes, actions, restricted, log, passwords, maxRequests, telemetryPath, now, rejected };
    this.#handler = new RequestHandler(answers, this.#config);
    this.#protocol = this.#createProtocol();
  }

  accept(socket: Socket): void {
    if (!this.#connections.admit(socket)) return;
    // TLS would not close the other direction of a client that leaves during the handshake.
    if (this.#config.tls !== undefined) socket.allowHalfOpen = false;
    this.#protocol.emit("connection", socket);
  }

  async watch(): Promise<void> {
    this.#connections.sweep();
    const { webConfig } = this.#options;
    if (webConfig === undefined || !(await webConfig.refresh())) return;
    const before = this.#config;
    this.#config = webConfig.current;
    this.#handler.use(this.#config);
    if (handshakeOf(before) !== handshakeOf(this.#config)) this.#protocol = this.#createProtocol();
  }

  /**
   * Waits up to `graceMs` for responses. Each of them ends its connection. A client may send a request just before it sees the end of an
   * idle connection, so these stay open a little longer.
   */
  async finish(graceMs: number): Promise<void> {
    this.#isEnding = true;
    for (const response of this.#underWay) if (!response.headersSent) endAfter(response.req, response);
    const finished = new AbortController();
    const { signal } = finished;
    const wait = (ms: number) => delay(ms, "over" as const, { signal }).catch(() => "over" as const);
    const grace = wait(graceMs);
    await Promise.race([this.#connections.empty(), wait(this.#options.lastRequestsMs ?? LAST_REQUESTS_MS), grace]);
    while (this.#underWay.size > 0) {
      const ended = [...this.#underWay].map(
        (response) => new Promise<void>((resolve) => response.once("close", resolve)),
      );
      if ((await Promise.race([Promise.all(ended), grace])) === "over") break;
    }
    finished.abort();
  }

  async close(): Promise<void> {
    this.#connections.cutAll();
    await this.#bcrypt.close();
  }

  #createProtocol(): Server {
    const protocol: Server = createProtocolServer(
      this.#config,
      {
        request: (request, response) => this.#answer(request, response, protocol === this.#protocol),
        rejected: this.#reject,
        stalled: (socket) => {
          if (this.#connections.isAnswering(socket)) this.#reject("slow_reader", socket.remoteAddress);
          socket.destroy();
        },
      },
      this.#options.stalledMs ?? 60_000,
    );
    return protocol;
  }

  /** `isCurrent`: false if certificates or client rules changed after the connection opened. */
  #answer(request: IncomingMessage, response: ServerResponse, isCurrent: boolean): void {
    const connections = this.#connections;
    // The response loses its socket before the end.
    const { socket } = request;
    const peer = { remoteAddress: socket.remoteAddress, remotePort: socket.remotePort, localPort: socket.localPort };
    // Set when the request is complete: after an earlier refusal, the connection waits for the next request.
    let over: () => void = () => connections.answerBegins(peer)();
    this.#underWay.add(response);
    this.#queued.track(request, response);
    response.once("close", () => {
      this.#underWay.delete(response);
      over();
    });
    connections.requestBegins(peer);
    const { observer, webConfig } = this.#options;
    observer?.observed({ connections: connections.size, webConfigInForce: webConfig?.isInForce ?? true });
    if (!isCurrent || this.#isEnding) endAfter(request, response);
    void this.#handler.answer(request, response, () => {
      over = connections.answerBegins(peer);
      if (isClosed(response)) over();
    });
  }
}

function endAfter(request: IncomingMessage, response: ServerResponse): void {
  const either: IncomingMessage | Http2ServerRequest = request;
  if (isHttp2(either)) either.stream.session?.close();
  else response.setHeader("Connection", "close");
}

function isHttp2(request: IncomingMessage | Http2ServerRequest): request is Http2ServerRequest {
  return request.httpVersionMajor === 2;
}

function handshakeOf({ tls, http2 }: WebConfig): string {
  return JSON.stringify([tls, http2]);
}

function connectionLimits({ maxConnections, requestMs, idleMs, answerMs }: WebLimits): ConnectionLimits {
  return {
    maxOpen: maxConnections ?? 512,
    requestMs: requestMs ?? 10_000,
    idleMs: idleMs ?? 75_000,
    answerMs: answerMs ?? 300_000,
  };
}

export const PLAIN_HTTP: WebConfig = {
  tls: undefined,
  http2: false,
  headers: [],
  users: new Map(),
  rateLimit: undefined,
};

export interface WebServerOptions extends ConnectionHandlerOptions {
  readonly addresses: readonly ListenAddress[];
}

export interface WebServer {
  /** One per address, such as `http://localhost:9705`. */
  readonly urls: readonly string[];
  /** Waits up to `graceMs` for responses, then cuts connections. */
  close(graceMs: number): Promise<void>;
}

/**
 * A request passes `listener.ts`, `connection-handler.ts`, `protocol-server.ts`, `request-handler.ts` and `pages/`. @throws ExporterError
 * LISTEN_FAILED
 */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const handler = new ConnectionHandler(options);
  const listeners: Server[] = [];
  try {
    for (const address of options.addresses)
      listeners.push(await listen(address, (socket) => handler.accept(socket), options.log));
  } catch (error) {
    for (const listener of listeners) listener.close();
    throw error;
  }
  const watch = setInterval(() => void handler.watch(), options.watchMs ?? 1_000).unref();
  const scheme = options.webConfig?.current.tls === undefined ? "http" : "https";
  return {
    urls: listeners.map((listener, index) => urlOf(scheme, listener, options.addresses[index]?.host)),
    close: async (graceMs) => {
      await handler.finish(graceMs);
      clearInterval(watch);
      const closed = listeners.map((listener) => once(listener, "close"));
      for (const listener of listeners) listener.close();
      await handler.close();
      await Promise.all(closed);
    },
  };
}
