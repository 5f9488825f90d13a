import type { LookupFunction } from "node:net";
import type { buildConnector, Dispatcher } from "undici";
import type { Clock } from "../clock.ts";
import type { Connections } from "./connections.ts";
import { createStaleLookup } from "./dns-lookup.ts";
import type { AnswerTaker } from "./exchange.ts";
import { type ProxyOptions, proxyConnector } from "./proxy.ts";
import { type ConnectSettings, type TlsClientOptions, tlsConnector } from "./tls.ts";

export interface ConnectionPoolOptions {
  /** `https://prtg.example.com:1616` */
  readonly origin: string;
  /** Connections, as many as requests may be under way; see `widen`. */
  readonly connections: number;
  /** Of a request as a whole, milliseconds; a connection gets no more of it than ten seconds to come about. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** For an origin with `https:`. */
  readonly tls?: TlsClientOptions | undefined;
  /** By which the connections go; left out: by none, whatever the environment says. The proxy resolves the host then. */
  readonly proxy?: ProxyOptions | undefined;
  /** How the name of the host is resolved; by the system by default. */
  readonly lookup?: LookupFunction | undefined;
  /** See `StaleLookupOptions`. */
  readonly onStale?: ((error: Error) => void) | undefined;
  /** Throws where no request may go out at this moment: the request then fails with that. */
  readonly permit?: (() => void) | undefined;
}

export type PoolRequest = Dispatcher.RequestOptions & { readonly signal: AbortSignal };

const MAX_CONNECT_MS = 10_000;
/** Longer than the usual time between polls and pushes, so that connections are kept from one to the next. */
const KEEP_ALIVE_MS = 90_000;
/** A name may come to stand for another address while the old one still answers: the name is asked for again. */
const MAX_AGE_MS = 5 * 60_000;
/**
 * For one of several addresses of a host. Node's default, 500 ms, is over while this program is busy or the way is long, and
 * then the one address that works is given up.
 */
const MAX_ATTEMPT_MS = 2_500;

/**
 * Connections to one host, HTTP/1.1 only: over HTTP/2 few connections carry many requests at once, and the concurrency
 * would no longer be ours to limit. They are kept between requests, and opened anew after five minutes.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** Kept when the pool is renewed: it holds what it made of certificates. */
  readonly #connect: ConnectSettings | buildConnector.connector;
  readonly #retired = new Set<Promise<Connections>>();
  /** Made for the first request: undici takes longer to load than all that the exporter needs to listen. */
  #open: Promise<Connections> | undefined;
  #since: number;
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
    this.#since = clock.monotonic();
  }

  /**
   * Sends a request; rejects as undici does. A server may close a kept connection just when a request is on its way: where
   * no answer began, an idempotent one goes out once more, at once, on a new connection. Others (POST, unless marked
   * `idempotent`) take a new connection from the beginning.
   */
  request(request: PoolRequest): Promise<Dispatcher.ResponseData> {
    return this.#send(request, (connections, onReuse) => connections.request(request, onReuse));
  }

  /** The same, with the answer handed on as it arrives. Resolves when it is complete, or enough. */
  exchange(request: PoolRequest, taker: AnswerTaker): Promise<void> {
    const send = (connections: Connections, onReuse: () => void) => connections.exchange(request, taker, onReuse);
    return this.#send(request, send, () => taker.hasBegun);
  }

  /** `hasBegun`: the answer has, though `send` rejected. */
  async #send<Result>(
    request: PoolRequest,
    send: (connections: Connections, onReuse: () => void) => Promise<Result>,
    hasBegun: () => boolean = () => false,
  ): Promise<Result> {
    const isIdempotent = request.idempotent ?? request.method === "GET";
    if (!isIdempotent || this.#options.clock.monotonic() - this.#since > MAX_AGE_MS) this.renew();
    let isReused = false;
    try {
      const connections = await this.#opened();
      this.#options.permit?.();
      return await send(connections, () => {
        isReused = true;
      });
    } catch (error) {
      if (!isIdempotent || request.signal.aborted || !isReused || hasBegun() || !isStale(error)) throw error;
      this.renew();
      const connections = await this.#opened();
      this.#options.permit?.();
      return await send(connections, () => undefined);
    }
  }

  /** Lets the connections carry no further request. What is under way ends as it may. */
  renew(): void {
    const old = this.#open;
    this.#open = undefined;
    this.#since = this.#options.clock.monotonic();
    if (old === undefined) return;
    this.#retired.add(old);
    const gone = (): boolean => this.#retired.delete(old);
    old.then((connections) => connections.close()).then(gone, gone);
  }

  /** At least so many connections from now on; fewer requests leave some unused. */
  widen(connections: number): void {
    if (connections <= this.#connections) return;
    this.#connections = connections;
    this.renew();
  }

  /** Ends all connections, also busy ones, and lets no request begin any more. */
  async destroy(): Promise<void> {
    await Promise.all([this.#opened(), ...this.#retired].map(async (connections) => (await connections).destroy()));
  }

  #opened(): Promise<Connections> {
    if (this.#open !== undefined) return this.#open;
    const open = this.#create();
    this.#open = open;
    // What cannot be loaded now, with too many files open, can be for the next request.
    open.catch(() => {
      if (this.#open === open) this.#open = undefined;
    });
    return open;
  }

  async #create(): Promise<Connections> {
    const connections = this.#connections;
    const { createConnections } = await import("./connections.ts");
    return createConnections(this.#options.origin, connections, {
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The caller's signal bounds the whole request; undici's own timers start again with each chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: this.#connect,
    });
  }
}

const CLOSED: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** The connection ended before an answer began, or what came is left over from the answer before. */
function isStale(error: unknown): boolean {
  if (isNotHttp(error)) return true;
  return error instanceof Error && "code" in error && CLOSED.has(error.code);
}

/** Whether undici could not read an answer as HTTP. By its name, since most who ask have no undici loaded yet. */
export function isNotHttp(error: unknown): boolean {
  return error instanceof Error && error.name === "HTTPParserError";
}
