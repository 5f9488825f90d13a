import type { LookupFunction } from "node:net";
import { type buildConnector, Client, type Dispatcher, errors, Pool } from "undici";
import type { Clock } from "../clock.ts";
import { steadyLookup } from "./steady-lookup.ts";

/** How connections are opened: for `net.connect`, `tls.connect` and undici. */
export interface ConnectSettings {
  /** Until a connection is there, handshake included, milliseconds. */
  readonly timeout: number;
  readonly autoSelectFamilyAttemptTimeout: number;
  readonly lookup: LookupFunction;
}

export interface KeptConnectionsOptions {
  /** `https://prtg.example.com:1616` */
  readonly origin: string;
  /** Connections, as many as requests may be under way. */
  readonly connections: number;
  /** At most for a connection to come about, milliseconds. */
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  /** For connections over TLS. */
  readonly connector?: ((settings: ConnectSettings) => buildConnector.connector) | undefined;
  /** How the name of the host is resolved; `sharedLookup` by default. */
  readonly lookup?: LookupFunction | undefined;
  /** See `SteadyLookup`. */
  readonly inDoubt?: ((error: Error) => void) | undefined;
}

export type KeptRequest = Dispatcher.RequestOptions & { readonly signal: AbortSignal };

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
export class KeptConnections {
  readonly #options: KeptConnectionsOptions;
  /** One for all times: it keeps what it made of certificates. */
  readonly #connect: ConnectSettings | buildConnector.connector;
  /** Requests that went out on a connection that had carried others before. */
  readonly #late = new WeakSet<object>();
  readonly #retired = new Set<Pool>();
  #pool: Pool;
  #since: number;

  constructor(options: KeptConnectionsOptions) {
    const { connectTimeoutMs: timeout, clock, lookup: resolve, inDoubt, connector } = options;
    this.#options = options;
    const settings = {
      timeout,
      autoSelectFamilyAttemptTimeout: Math.min(MAX_ATTEMPT_MS, Math.ceil(timeout / 3)),
      lookup: steadyLookup({ clock, resolve, inDoubt }),
    };
    this.#connect = connector?.(settings) ?? settings;
    this.#pool = this.#createPool();
    this.#since = clock.monotonic();
  }

  /**
   * Sends a request; rejects as undici does. A server may close a kept connection just when a request is on its way: where
   * no answer began, an idempotent one goes out once more, at once, on a new connection. Others (POST, unless marked
   * `idempotent`) take a new connection from the beginning.
   */
  async request(request: KeptRequest): Promise<Dispatcher.ResponseData> {
    const isIdempotent = request.idempotent ?? request.method === "GET";
    if (!isIdempotent || this.#options.clock.monotonic() - this.#since > MAX_AGE_MS) this.renew();
    try {
      return await this.#pool.request(request);
    } catch (error) {
      if (!isIdempotent || request.signal.aborted || !this.#late.has(request) || !isStale(error)) throw error;
      this.renew();
      return await this.#pool.request(request);
    }
  }

  /** Lets the connections carry no further request. What is under way ends as it may. */
  renew(): void {
    const old = this.#pool;
    this.#pool = this.#createPool();
    this.#since = this.#options.clock.monotonic();
    this.#retired.add(old);
    const gone = (): boolean => this.#retired.delete(old);
    old.close().then(gone, gone);
  }

  /** Ends all connections, also busy ones. */
  async destroy(): Promise<void> {
    await Promise.all([this.#pool, ...this.#retired].map((pool) => pool.destroy()));
  }

  #createPool(): Pool {
    const { origin, connections } = this.#options;
    const late = this.#late;
    return new Pool(origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The caller's signal bounds the whole request; undici's own timers start again with each chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: this.#connect,
      factory: (address, options) => new NotingClient(address, options, (request) => late.add(request)),
    });
  }
}

/** One connection; tells of requests that find it open. */
class NotingClient extends Client {
  readonly #note: (request: object) => void;

  constructor(origin: URL, options: Client.Options, note: (request: object) => void) {
    super(origin, options);
    this.#note = note;
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.stats.connected) this.#note(request);
    return super.dispatch(request, handler);
  }
}

const CLOSED: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** The connection ended before an answer began, or what came is left over from the answer before. */
function isStale(error: unknown): boolean {
  if (error instanceof errors.HTTPParserError) return true;
  return error instanceof Error && "code" in error && CLOSED.has(error.code);
}
