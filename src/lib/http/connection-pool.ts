import type { LookupFunction } from "node:net";
import type { buildConnector, Client, Dispatcher } from "undici";
import type { Clock } from "../clock.ts";
import { errorCode } from "../error-code.ts";
import { createStaleLookup } from "./dns-lookup.ts";
import { type ProxyOptions, proxyConnector } from "./proxy.ts";
import { type ConnectSettings, type TlsClientOptions, tlsConnector } from "./tls.ts";

export interface ConnectionPoolOptions {
  readonly origin: string;
  /** For a whole request, milliseconds. Opening a connection may take at most ten seconds of it. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly tls?: TlsClientOptions | undefined;
  /** Opens all connections and resolves the host. The environment does not set it. */
  readonly proxy?: ProxyOptions | undefined;
  readonly lookup?: LookupFunction | undefined;
  readonly onStale?: ((error: Error) => void) | undefined;
  /** Called before each request. An error of it fails the request. */
  readonly permit?: (() => void) | undefined;
}

export type PoolRequest = Dispatcher.RequestOptions & { readonly signal: AbortSignal };

const MAX_CONNECT_MS = 10_000;
/** Longer than the usual time between polls and pushes. */
const KEEP_ALIVE_MS = 90_000;
/** Follows a name that moves while the old address still answers. */
const MAX_AGE_MS = 5 * 60_000;
/** Per address. Node's default of 500 ms can pass while the event loop is busy. */
const MAX_ATTEMPT_MS = 2_500;

/**
 * Connections to one host: as many as callers have requests at once, replaced every five minutes to follow DNS.
 * HTTP/1.1 only, so that each request has its own.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** Shared by all connections, because it caches parsed certificates. */
  readonly #connect: ConnectSettings | buildConnector.connector;
  /** A request takes the first free one, so that others can time out. */
  readonly #clients: Client[] = [];
  readonly #retired = new Set<Client>();
  #renewedAt: number;
  #isDestroyed = false;

  constructor(options: ConnectionPoolOptions) {
    const { origin, timeoutMs, clock, lookup: resolve, onStale, proxy, tls = {} } = options;
    const timeout = Math.min(timeoutMs, MAX_CONNECT_MS);
    this.#options = options;
    const settings = {
      timeout,
      autoSelectFamilyAttemptTimeout: Math.min(MAX_ATTEMPT_MS, Math.ceil(timeout / 3)),
      lookup: createStaleLookup({ clock, resolve, onStale }),
    };
    const secure = origin.startsWith("https:") ? tlsConnector(tls, settings) : undefined;
    this.#connect = proxy === undefined ? (secure ?? settings) : proxyConnector(proxy, settings, secure);
    this.#renewedAt = clock.monotonic();
  }

  /**
   * Rejects as undici does. A server may close an idle connection during a request. Retries idempotent requests once on
   * a new connection. Other requests (POST, unless marked `idempotent`) always use a new connection.
   */
  async request(request: PoolRequest): Promise<Dispatcher.ResponseData> {
    const isIdempotent = request.idempotent ?? request.method === "GET";
    if (!isIdempotent || this.#options.clock.monotonic() - this.#renewedAt > MAX_AGE_MS) this.renew();
    // undici takes longer to load than the exporter to listen.
    const { Client } = await import("undici");
    const client = this.#freeClient(Client);
    const mayReuse = client.stats.connected;
    try {
      return await this.#send(client, request);
    } catch (error) {
      if (!isIdempotent || !mayReuse || request.signal.aborted || !isClosed(error)) throw error;
      if (this.#clients.includes(client)) this.renew();
      return await this.#send(this.#freeClient(Client), request);
    }
  }

  async #send(client: Client, request: PoolRequest): Promise<Dispatcher.ResponseData> {
    request.signal.throwIfAborted();
    this.#options.permit?.();
    try {
      return await client.request(request);
    } catch (error) {
      // undici asserts that a status is possible. Its text says nothing to users.
      throw errorCode(error) === "ERR_ASSERTION" ? new ImpossibleStatus() : error;
    }
  }

  /** Requests under way end on old connections. */
  renew(): void {
    for (const old of this.#clients.splice(0)) {
      this.#retired.add(old);
      const forget = (): boolean => this.#retired.delete(old);
      old.close().then(forget, forget);
    }
    this.#renewedAt = this.#options.clock.monotonic();
  }

  /** Later requests fail too. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all([...this.#clients, ...this.#retired].map((client) => client.destroy()));
  }

  /** Send the request at once, before others ask. */
  #freeClient(Connection: typeof Client): Client {
    const free = this.#clients.find(({ stats }) => stats.size === 0);
    if (free !== undefined) return free;
    const client = new Connection(this.#options.origin, {
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The caller's signal bounds the request. undici's timers restart with each chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: this.#connect,
    });
    this.#clients.push(client);
    if (this.#isDestroyed) void client.destroy();
    return client;
  }
}

const CLOSED: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** The connection ended before an answer began, or carried the rest of the previous one. */
function isClosed(error: unknown): boolean {
  return isNotHttp(error) || CLOSED.has(errorCode(error));
}

/** Such as 000, or 101 although the request asks for no other protocol. */
class ImpossibleStatus extends Error {
  override readonly name = "HTTPParserError";

  constructor() {
    super("the status of the answer is not one of HTTP");
  }
}

/** Checks the name, because callers may not have loaded undici. */
export function isNotHttp(error: unknown): boolean {
  return error instanceof Error && error.name === "HTTPParserError";
}
