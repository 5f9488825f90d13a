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
import { createProtocolServer } from "./protocol-server.ts";
import { RejectionLog, type RejectionReason } from "./rejection-log.ts";
import { RequestHandler, type RequestHandlerOptions } from "./request-handler.ts";
import { isClosed, PipelinedResponses } from "./response-lifetime.ts";
import type { RouteHandler } from "./responses.ts";

export interface WebObserver {
  rejected(reason: RejectionReason): void;
  /** At each request. */
  observed(state: { readonly connections: number; readonly webConfigInForce: boolean }): void;
}

export interface WebLimits {
  /** Over all addresses; 512 by default. */
  readonly maxConnections?: number | undefined;
  /** Scrapes and pages at a time; 40 by default, 0 for no limit. */
  readonly maxRequests?: number | undefined;
  /** Cuts a connection without progress while an answer is due; milliseconds, 60 s by default. */
  readonly stalledMs?: number | undefined;
  /** For the head of a first request, handshake included; 10 s by default. */
  readonly requestMs?: number | undefined;
  /** For the next request; 75 s by default. */
  readonly idleMs?: number | undefined;
  /** For reading an answer; 5 minutes by default, more than any scrape takes. */
  readonly answerMs?: number | undefined;
  /** For connections and the files of the web configuration; 1 s by default. */
  readonly watchMs?: number | undefined;
}

export interface ConnectionHandlerOptions extends WebLimits {
  readonly routes: Pick<ReadonlyMap<string, RouteHandler>, "get">;
  /** POST, by path. */
  readonly actions?: ReadonlyMap<string, RouteHandler> | undefined;
  /** The paths of a user who may not have everything; else undefined. */
  readonly restricted?: RequestHandlerOptions["restricted"];
  /** `/metrics` by default. Its scrapes have reserved places. */
  readonly telemetryPath?: string | undefined;
  readonly log: Logger;
  /** Undefined: plain HTTP without users. */
  readonly webConfig?: WebConfigSource | undefined;
  readonly observer?: WebObserver | undefined;
}

/**
 * Keeps the connections, has the protocol server in force speak HTTP on them, and hands requests to the request
 * handler.
 */
export class ConnectionHandler {
  readonly #connections: Connections;
  readonly #options: ConnectionHandlerOptions;
  readonly #handler: RequestHandler;
  readonly #bcrypt = new BcryptThread();
  readonly #rejections: RejectionLog;
  /** Not yet with the operating system, down to the last byte. */
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
    this.#rejections = new RejectionLog(log, now, (reason) => observer?.rejected(reason));
    const rejected = (reason: RejectionReason, address: string | undefined, detail?: string) =>
      this.#rejections.note(reason, address, detail);
    this.#connections = new Connections(connectionLimits(options), now, (reason, socket) =>
      rejected(reason, socket.remoteAddress),
    );
    const passwords = new PasswordChecker((question) => this.#bcrypt.compare(question));
    const maxRequests = options.maxRequests ?? 40;
    const answers = { routes, actions, restricted, log, passwords, maxRequests, telemetryPath, now, rejected };
    this.#handler = new RequestHandler(answers, this.#config);
    this.#protocol = this.#createProtocol();
  }

  /** If there is room. */
  accept(socket: Socket): void {
    if (!this.#connections.admit(socket)) return;
    // TLS would not end the other direction of a client that leaves within the handshake.
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

  /** Waits for responses under way, new ones too, at most `graceMs`. From now on each ends its connection. */
  async finish(graceMs: number): Promise<void> {
    this.#isEnding = true;
    for (const response of this.#underWay) if (!response.headersSent) endAfter(response.req, response);
    const finished = new AbortController();
    const grace = delay(graceMs, "over" as const, { signal: finished.signal });
    while (this.#underWay.size > 0) {
      const ended = [...this.#underWay].map(
        (response) => new Promise<void>((resolve) => response.once("close", resolve)),
      );
      if ((await Promise.race([Promise.all(ended), grace])) === "over") return;
    }
    grace.catch(() => undefined);
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
        rejected: (reason, address, detail) => this.#rejections.note(reason, address, detail),
        stalled: (socket) => {
          if (this.#connections.isAnswering(socket)) this.#rejections.note("slow_reader", socket.remoteAddress);
          socket.destroy();
        },
      },
      this.#options.stalledMs ?? 60_000,
    );
    return protocol;
  }

  /** `isCurrent`: false on a connection from before new certificates or client rules. */
  #answer(request: IncomingMessage, response: ServerResponse, isCurrent: boolean): void {
    const connections = this.#connections;
    // The response would lose it when it is needed.
    const { socket } = request;
    const peer = { remoteAddress: socket.remoteAddress, remotePort: socket.remotePort, localPort: socket.localPort };
    // Until the request is complete: a refusal before leaves the connection waiting for the next one.
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

/** The last request of its connection. */
function endAfter(request: IncomingMessage, response: ServerResponse): void {
  const either: IncomingMessage | Http2ServerRequest = request;
  if (isHttp2(either)) either.stream.session?.close();
  else response.setHeader("Connection", "close");
}

function isHttp2(request: IncomingMessage | Http2ServerRequest): request is Http2ServerRequest {
  return request.httpVersionMajor === 2;
}

/** What a new connection depends on. */
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

/** Without `--web.config.file`. */
export const PLAIN_HTTP: WebConfig = {
  tls: undefined,
  http2: false,
  headers: [],
  users: new Map(),
  rateLimit: undefined,
};
