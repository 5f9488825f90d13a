import { buildConnector, Client, type Dispatcher, errors } from "undici";
import { type AnswerTaker, Exchange } from "./exchange.ts";
import type { ConnectSettings } from "./tls.ts";

export interface ConnectionsOptions extends Omit<Client.Options, "connect"> {
  readonly connect: ConnectSettings | buildConnector.connector;
}

/** Loaded with the first request; see `ConnectionPool`. */
export function createConnections(origin: string, max: number, options: ConnectionsOptions): Connections {
  return new Connections(origin, max, options);
}

/**
 * The connections to one host, one request at a time on each. As undici's own pool, but that what has ended is let go, and that
 * there is no queue, which takes 16 kB even where it is always empty: the caller has no more requests under way than there may
 * be connections. With hundreds of hosts these two were 40 kB a host.
 */
export class Connections {
  readonly #origin: string;
  readonly #max: number;
  readonly #options: Client.Options;
  /** The one that carries most comes first, so that others are over when they have not been needed for a while. */
  readonly #clients: Client[] = [];
  #refusal: Error | undefined;

  constructor(origin: string, max: number, { connect, ...options }: ConnectionsOptions) {
    this.#origin = origin;
    this.#max = max;
    this.#options = { ...options, connect: typeof connect === "function" ? connect : buildConnector(connect) };
  }

  /**
   * Rejects as undici does.
   * @param onReuse called when the request goes out on a connection that has carried others before
   */
  async request(request: Dispatcher.RequestOptions, onReuse: () => void): Promise<Dispatcher.ResponseData> {
    return this.#next(onReuse).request(request);
  }

  /** The same, with the answer handed on as it arrives. */
  async exchange(
    request: Dispatcher.DispatchOptions & { readonly signal: AbortSignal },
    taker: AnswerTaker,
    onReuse: () => void,
  ): Promise<void> {
    request.signal.throwIfAborted();
    const client = this.#next(onReuse);
    const exchange = new Exchange(taker, request.signal);
    client.dispatch(request, exchange);
    await exchange.ended;
  }

  /** Lets no request begin any more, and resolves when those under way have ended. */
  async close(): Promise<void> {
    this.#refusal ??= new errors.ClientClosedError();
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  /** The same at once: what is under way fails. */
  async destroy(): Promise<void> {
    this.#refusal ??= new errors.ClientDestroyedError();
    await Promise.all(this.#clients.map((client) => client.destroy()));
  }

  #next(onReuse: () => void): Client {
    if (this.#refusal !== undefined) throw this.#refusal;
    const client = this.#free();
    if (client.stats.connected) onReuse();
    return client;
  }

  #free(): Client {
    const idle = this.#clients.find(({ stats }) => stats.size === 0);
    if (idle !== undefined) return idle;
    if (this.#clients.length < this.#max) return this.#add();
    return this.#clients.reduce((least, each) => (each.stats.size < least.stats.size ? each : least));
  }

  #add(): Client {
    const client = new Client(this.#origin, this.#options);
    const ended = (): void => {
      if (client.stats.size > 0) return;
      const at = this.#clients.indexOf(client);
      if (at >= 0) this.#clients.splice(at, 1);
      client.close().catch(() => undefined);
    };
    client.on("disconnect", ended).on("connectionError", ended);
    this.#clients.push(client);
    return client;
  }
}
