import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Http2ServerRequest } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { ExporterError } from "../../errors/exporter-error.ts";
import { BcryptThread } from "../auth/bcrypt-thread.ts";
import { PasswordChecker } from "../auth/password-checker.ts";
import { PLAIN_HTTP, type WebConfig } from "../web-config/load.ts";
import type { WebConfigSource } from "../web-config/source.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import { isOver } from "./is-over.ts";
import type { ListenAddress } from "./listen-address.ts";
import { createProtocolServer } from "./protocol-server.ts";
import { QueuedResponses } from "./queued-responses.ts";
import { type Rejection, Rejections } from "./rejections.ts";
import { RequestGate } from "./request-gate.ts";
import type { RouteHandler } from "./responses.ts";

export { type RouteHandler, respondText, setPageHeaders } from "./responses.ts";

/** Told what the operator of the web server wants to know. */
export interface WebObserver {
  rejected(reason: Rejection): void;
  /** At each request. */
  observed(state: { readonly connections: number; readonly webConfigInForce: boolean }): void;
}

export interface WebLimits {
  /** Open connections, over all addresses; 512 by default. */
  readonly maxConnections?: number | undefined;
  /** Requests that are answered at one time; 40 by default, 0 for no limit. */
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

export interface WebServerOptions extends WebLimits {
  readonly addresses: readonly ListenAddress[];
  /** By exact path. */
  readonly routes: Pick<ReadonlyMap<string, RouteHandler>, "get">;
  /** What POST does, by path. */
  readonly actions?: ReadonlyMap<string, RouteHandler> | undefined;
  readonly log: Logger;
  /** Undefined: plain HTTP for everybody. */
  readonly webConfig?: WebConfigSource | undefined;
  readonly observer?: WebObserver | undefined;
}

export interface WebServer {
  /** One for each address, for people: `http://localhost:9705`. */
  readonly urls: readonly string[];
  /** Lets the responses that are under way end within `graceMs`, then stops listening and cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** @throws ExporterError LISTEN_FAILED */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const speaker = new Speaker(options);
  const listeners: Server[] = [];
  try {
    for (const address of options.addresses) listeners.push(await listen(address, speaker, options.log));
  } catch (error) {
    for (const listener of listeners) listener.close();
    throw error;
  }
  const watch = setInterval(() => void speaker.watch(), options.watchMs ?? 1_000).unref();
  const scheme = options.webConfig?.current.tls === undefined ? "http" : "https";
  return {
    urls: listeners.map((listener, index) => urlOf(scheme, listener, options.addresses[index]?.host)),
    close: async (graceMs) => {
      await speaker.finish(graceMs);
      clearInterval(watch);
      const closed = listeners.map((listener) => once(listener, "close"));
      for (const listener of listeners) listener.close();
      await speaker.close();
      await Promise.all(closed);
    },
  };
}

/** What stands behind the addresses: the connections, and who speaks HTTP on them. */
class Speaker {
  readonly connections: Connections;
  readonly #options: WebServerOptions;
  readonly #gate: RequestGate;
  readonly #bcrypt = new BcryptThread();
  readonly #rejections: Rejections;
  /** Responses that are not yet with the operating system, down to their last byte. */
  readonly #underWay = new Set<ServerResponse>();
  readonly #queued = new QueuedResponses();
  #config: WebConfig;
  #protocol: Server;

  constructor(options: WebServerOptions) {
    const { log, observer, webConfig, routes, actions } = options;
    const now = () => performance.now();
    this.#options = options;
    this.#config = webConfig?.current ?? PLAIN_HTTP;
    this.#rejections = new Rejections(log, now, (reason) => observer?.rejected(reason));
    const rejected = (reason: Rejection, address: string | undefined, detail?: string) =>
      this.#rejections.note(reason, address, detail);
    this.connections = new Connections(connectionLimits(options), now, (reason, socket) =>
      rejected(reason, socket.remoteAddress),
    );
    const passwords = new PasswordChecker((question) => this.#bcrypt.compare(question));
    const maxRequests = options.maxRequests ?? 40;
    this.#gate = new RequestGate({ routes, actions, log, passwords, maxRequests, now, rejected }, this.#config);
    this.#protocol = this.#createProtocol();
  }

  /** Lets a new connection be spoken on. */
  speak(socket: Socket): void {
    // Nothing in TLS would end the other direction of a client that is gone in the middle of a handshake.
    if (this.#config.tls !== undefined) socket.allowHalfOpen = false;
    this.#protocol.emit("connection", socket);
  }

  async watch(): Promise<void> {
    this.connections.sweep();
    const { webConfig } = this.#options;
    if (webConfig === undefined || !(await webConfig.refresh())) return;
    const before = this.#config;
    this.#config = webConfig.current;
    this.#gate.use(this.#config);
    if (handshakeOf(before) !== handshakeOf(this.#config)) this.#protocol = this.#createProtocol();
  }

  /** Waits until the responses under way are over, but no longer than `graceMs`. */
  async finish(graceMs: number): Promise<void> {
    const ended = [...this.#underWay].map((response) => new Promise((resolve) => response.once("close", resolve)));
    const graceOver = new AbortController();
    await Promise.race([Promise.all(ended), delay(graceMs, undefined, { signal: graceOver.signal })]);
    graceOver.abort();
  }

  async close(): Promise<void> {
    this.connections.cutAll();
    await this.#bcrypt.close();
  }

  #createProtocol(): Server {
    const protocol: Server = createProtocolServer(
      this.#config,
      {
        request: (request, response) => this.#answer(request, response, protocol === this.#protocol),
        rejected: (reason, address, detail) => this.#rejections.note(reason, address, detail),
        stalled: (socket) => {
          if (this.connections.isAnswering(socket)) this.#rejections.note("slow_reader", socket.remoteAddress);
          socket.destroy();
        },
      },
      this.#options.stalledMs ?? 60_000,
    );
    return protocol;
  }

  /** `isCurrent`: false on a connection from before the certificates or what is asked of clients changed. */
  #answer(request: IncomingMessage, response: ServerResponse, isCurrent: boolean): void {
    const { connections } = this;
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
    if (!isCurrent) endAfter(request, response);
    void this.#gate.answer(request, response, () => {
      over = connections.answerBegins(peer);
      if (isOver(response)) over();
    });
  }
}

/** Lets this be the last request of its connection. */
function endAfter(request: IncomingMessage, response: ServerResponse): void {
  const http2: unknown = request;
  if (http2 instanceof Http2ServerRequest) http2.stream.session?.close();
  else response.setHeader("Connection", "close");
}

/** What a new connection depends on. */
function handshakeOf({ tls, http2 }: WebConfig): string {
  return JSON.stringify([tls, http2]);
}

function connectionLimits({ maxConnections, requestMs, idleMs, answerMs }: WebLimits): ConnectionLimits {
  return {
    most: maxConnections ?? 512,
    requestMs: requestMs ?? 10_000,
    idleMs: idleMs ?? 75_000,
    answerMs: answerMs ?? 300_000,
  };
}

async function listen(address: ListenAddress, speaker: Speaker, log: Logger): Promise<Server> {
  // Half-open as Node's own server does it: HTTP decides when the other direction ends.
  const listener = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    // Whoever speaks on it has a listener of its own; nobody has between its end and theirs.
    socket.on("error", () => undefined);
    if (speaker.connections.admit(socket)) speaker.speak(socket);
  });
  listener.listen(address.port, address.host);
  try {
    await once(listener, "listening");
  } catch (error) {
    const where = `${address.host ?? ""}:${address.port}`;
    throw new ExporterError("LISTEN_FAILED", `cannot listen on ${where}`, { cause: error });
  }
  // Such as too many open files: the next scrape may find some free.
  listener.on("error", (error) => log.error({ err: error }, "a connection to the exporter failed"));
  return listener;
}

function urlOf(scheme: string, listener: Server, host: string | undefined): string {
  const { port } = listener.address() as AddressInfo;
  if (host === undefined || host === "0.0.0.0" || host === "::") return `${scheme}://localhost:${port}`;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
