import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Server, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { PasswordChecker } from "../auth/basic-auth.ts";
import { BcryptThread } from "../auth/bcrypt-thread.ts";
import type { WebConfig } from "../web-config/load.ts";
import { PLAIN_HTTP } from "../web-config/plain-http.ts";
import type { WebConfigSource } from "../web-config/source.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import { createProtocolServer } from "./protocol-server.ts";
import { RejectionLog, type RejectionReason } from "./rejection-log.ts";
import { RequestHandler, type RequestHandlerOptions } from "./request-handler.ts";
import { isClosed, PipelinedResponses } from "./response-lifetime.ts";
import type { RouteHandler } from "./responses.ts";

/** Told what the operator of the web server wants to know. */
export interface WebObserver {
  rejected(reason: RejectionReason): void;
  /** At each request. */
  observed(state: { readonly connections: number; readonly webConfigInForce: boolean }): void;
}

export interface WebLimits {
  /** Open connections, over all addresses; 512 by default. */
  readonly maxConnections?: number | undefined;
  /** Scrapes and pages that are answered at one time; 40 by default, 0 for no limit. */
  readonly maxRequests?: number | undefined;
  /** A connection on which nothing moves for so long while a response is due is cut; milliseconds, 60 s by default. */
  readonly stalledMs?: number | undefined;
  /** Within which a new connection has sent the head of its first request, handshake included; 10 s by default. */
  readonly requestMs?: number | undefined;
  /** How long a connection may wait for its next request; 75 s by default. */
  readonly idleMs?: number | undefined;
  /** Within which an answer has been read; 5 minutes by default, more than any scrape takes. */
  readonly answerMs?: number | undefined;
  /** How often connections and the files of the web configuration are looked at; 1 s by default. */
  readonly watchMs?: number | undefined;
}

export interface ConnectionHandlerOptions extends WebLimits {
  /** By path. */
  readonly routes: Pick<ReadonlyMap<string, RouteHandler>, "get">;
  /** What POST does, by path. */
  readonly actions?: ReadonlyMap<string, RouteHandler> | undefined;
  /** All that a user may have, by path; undefined for those who may have everything. */
  readonly restricted?: RequestHandlerOptions["restricted"];
  /** `/metrics` by default. Its scrapes have reserved places. */
  readonly telemetryPath?: string | undefined;
  readonly log: Logger;
  /** Undefined: plain HTTP, without users. */
  readonly webConfig?: WebConfigSource | undefined;
  readonly observer?: WebObserver | undefined;
}

/**
 * What is behind the addresses: keeps the connections, has the protocol server of the web configuration in force speak
 * HTTP on them, and hands requests to the request handler.
 */
export class ConnectionHandler {
  readonly #connections: Connections;
  readonly #options: ConnectionHandlerOptions;
  readonly #handler: RequestHandler;
  readonly #bcrypt = new BcryptThread();
  readonly #rejections: RejectionLog;
  /** Responses that are not yet with the operating system, down to their last byte. */
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

  /** Takes in a new connection, if there is room for it. */
  accept(socket: Socket): void {
    if (!this.#connections.admit(socket)) return;
    // Nothing in TLS would end the other direction of a client that is gone in the middle of a handshake.
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
   * Waits until the responses under way are over, also those that begin meanwhile, but no longer than `graceMs`. From now on each
   * tells its client that the connection ends with it.
   */
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

  /** `isCurrent`: false on a connection from before the certificates or what is asked of clients changed. */
  #answer(request: IncomingMessage, response: ServerResponse, isCurrent: boolean): void {
    const connections = this.#connections;
    // Seen through the response it would be gone when it is needed.
    const { socket } = request;
    const peer = { remoteAddress: socket.remoteAddress, remotePort: socket.remotePort, localPort: socket.localPort };
    // Until the request is complete: a refusal on the way there leaves the connection waiting for the next one.
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

/** Lets this be the last request of its connection. */
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
