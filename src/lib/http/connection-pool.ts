import type { LookupFunction } from "node:net";
import type { buildConnector, Dispatcher, Pool } from "undici";
import type { Clock } from "../clock.ts";
import { errorCode } from "../error-code.ts";
import { createStaleLookup } from "./dns-lookup.ts";
import { type ProxyOptions, proxyConnector } from "./proxy.ts";
import { type ConnectSettings, type TlsClientOptions, tlsConnector } from "./tls.ts";

export interface ConnectionPoolOptions {
  readonly origin: string;
  /** Upper bound of connections. More requests than that wait. */
  readonly connections: number;
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
 * Connections to one host: an undici Pool, replaced every five minutes to follow DNS. HTTP/1.1 only, because with
 * HTTP/2 connections would not bound concurrency.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** Shared by all pools, because it caches parsed certificates. */
  readonly #connect: ConnectSettings | buildConnector.connector;
  readonly #retired = new Set<Pool>();
  #pool: Pool | undefined;
  #renewedAt: number;
  #connections: number;

  constructor(options: ConnectionPoolOptions) {
    const { origin, connections, timeoutMs, clock, lookup: resolve, onStale, proxy, tls = {} } = options;
    const timeout = Math.min(timeoutMs, MAX_CONNECT_MS);
    this.#options = options;
    this.#connections = connections;
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
    const pool = await this.#open();
    const mayReuse = pool.stats.connected > 0;
    try {
      return await this.#send(pool, request);
    } catch (error) {
      if (!isIdempotent || !mayReuse || request.signal.aborted || !isClosed(error)) throw error;
      if (pool === this.#pool) this.renew();
      return await this.#send(await this.#open(), request);
    }
  }

  async #send(pool: Pool, request: PoolRequest): Promise<Dispatcher.ResponseData> {
    request.signal.throwIfAborted();
    this.#options.permit?.();
    try {
      return await pool.request(request);
    } catch (error) {
      // undici asserts that a status is possible. Its text says nothing to users.
      throw errorCode(error) === "ERR_ASSERTION" ? new ImpossibleStatus() : error;
    }
  }

  /** Requests under way end on old connections. */
  renew(): void {
    const old = this.#pool;
    this.#pool = undefined;
    this.#renewedAt = this.#options.clock.monotonic();
    if (old === undefined) return;
    this.#retired.add(old);
    const forget = (): boolean => this.#retired.delete(old);
    old.close().then(forget, forget);
  }

  widen(connections: number): void {
    if (connections <= this.#connections) return;
    this.#connections = connections;
    this.renew();
  }

  async destroy(): Promise<void> {
    const pools = [await this.#open(), ...this.#retired];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  async #open(): Promise<Pool> {
    // undici takes longer to load than the exporter to listen.
    const { Pool } = await import("undici");
    this.#pool ??= new Pool(this.#options.origin, {
      connections: this.#connections,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The caller's signal bounds the request. undici's timers restart with each chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: this.#connect,
    });
    return this.#pool;
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
