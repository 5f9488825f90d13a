import { withDeadline } from "../../lib/deadline.ts";
import type { TlsMaterial } from "../../lib/http/tls.ts";
import { type Pause, Pauses } from "../../lib/pauses.ts";
import { shareTurn } from "../../lib/yielding.ts";
import { ApiError } from "../api-error.ts";
import { ApiKeyAuth, type Authenticator } from "../auth/authenticator.ts";
import { type LoginSender, SessionAuth } from "../auth/session-auth.ts";
import type { ApiAuth, ApiClientOptions } from "../options.ts";
import { ServerClock } from "../server-clock.ts";
import { AttemptRecord } from "./attempt-record.ts";
import { CircuitBreakers } from "./circuit-breaker.ts";
import type { ApiAnswer, ApiRequest, HttpResponse, ResponseHead } from "./messages.ts";
import { RequestBudget } from "./request-budget.ts";
import { ResponseReader } from "./response-reader.ts";
import { RetryPolicy } from "./retry.ts";
import { Transport } from "./transport.ts";

/**
 * What all clients of one monitoring server with the same credentials share: session, connections, budget, breakers, and what is
 * known of its clock. A request is told to the client that sends it; a login to the one that is here longest.
 */
export class ServerAccess implements LoginSender {
  readonly serverClock: ServerClock;
  readonly breakers: CircuitBreakers;
  readonly authenticator: Authenticator;
  readonly budget: RequestBudget;
  readonly retries: RetryPolicy;
  readonly #transport: Transport;
  readonly #clients = new Set<ApiClientOptions>();
  /** Requests of the session, which are told to a client that may leave. */
  readonly #logins = new Set<Promise<unknown>>();
  #probe: Promise<void> | undefined;

  /**
   * @param first Of the client that opens it, which is to join.
   * @param pause Of the host.
   */
  constructor(first: ApiClientOptions, pause: Pause) {
    const { auth, redactor, clock, limits, log, tls, proxy } = first;
    const longest = () => this.#clients.values().next().value ?? first;
    // The files of a client that has left may be gone, or hold what is another's now.
    const secret = () => secretOf(longest().auth);
    const material = tls?.read && (() => (longest().tls?.read ?? readNothing)());
    const authorize = proxy?.authorization;
    const shared: ApiClientOptions = {
      ...first,
      tls: { ...tls, read: material },
      proxy: proxy && {
        ...proxy,
        ...(authorize !== undefined && { authorization: () => (longest().proxy?.authorization ?? authorize)() }),
      },
      get log() {
        return longest().log;
      },
      get observer() {
        return longest().observer;
      },
    };
    this.serverClock = new ServerClock(clock, log);
    this.breakers = new CircuitBreakers(shared, (open) => {
      for (const { observer } of this.#clients) observer.breakerChanged(open);
    });
    this.authenticator =
      auth.kind === "api_key" ? new ApiKeyAuth(secret, redactor) : new SessionAuth(auth.username, secret, this, shared);
    this.budget = new RequestBudget(clock, limits, pause);
    this.#transport = new Transport(shared);
    this.retries = new RetryPolicy(first);
  }

  join(client: ApiClientOptions): void {
    this.#clients.add(client);
    this.#limit();
    if (this.breakers.needsProbe) client.observer.breakerChanged(true);
  }

  /** Whether nothing but clients of this entry of the configuration have joined. */
  isOnlyOf(name: string): boolean {
    return this.#clients.values().every((client) => client.name === name);
  }

  isLast(client: ApiClientOptions): boolean {
    return this.#clients.size === 1 && this.#clients.has(client);
  }

  /** Others stay. Nothing is told to the client from when this resolves on. */
  async leave(client: ApiClientOptions): Promise<void> {
    if (!this.#clients.delete(client)) return;
    this.#limit();
    await Promise.allSettled(this.#logins);
  }

  /** What one client asks to find out whether the server is there again, it asks for all; `send`: where none does yet. */
  probe(send: () => Promise<void>): Promise<void> {
    this.#probe ??= send().finally(() => {
      this.#probe = undefined;
    });
    return this.#probe;
  }

  /** Ends the session and closes the connections. */
  async close(): Promise<void> {
    await this.authenticator.close();
    await this.#transport.close();
  }

  heldForMs(): number {
    return this.budget.heldForMs();
  }

  send(request: ApiRequest, token: string | undefined, signal: AbortSignal): Promise<ApiAnswer> {
    const [longest] = this.#clients;
    if (longest === undefined) throw new TypeError("no client has joined");
    const sent = this.sendFor(longest, request, token, signal).finally(() => this.#logins.delete(sent));
    this.#logins.add(sent);
    return sent;
  }

  /**
   * One attempt at a request of a client, without breaker and retry. `token` goes into the Authorization header.
   * Rejects with an ApiError, or with the signal's reason.
   */
  async sendFor(
    client: ApiClientOptions,
    request: ApiRequest,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<ApiAnswer> {
    const release = await this.budget.acquire(signal);
    try {
      const answer = await this.#exchange(client, request, token, signal);
      this.breakers.succeeded(request.endpoint);
      return answer;
    } catch (error) {
      if (error instanceof ApiError) {
        this.breakers.failed(error);
        // The server asks us as a client, not for one endpoint or one user.
        if (isAboutAll(error)) this.budget.hold(error.retryAfterMs ?? 0);
      }
      throw error;
    } finally {
      release();
    }
  }

  async #exchange(
    client: ApiClientOptions,
    request: ApiRequest,
    token: string | undefined,
    parent: AbortSignal,
  ): Promise<ApiAnswer> {
    const { clock, limits, redactor } = client;
    const { endpoint } = request;
    const ms = limits.timeoutMs;
    const record = new AttemptRecord(client, request);
    const reader = new ResponseReader(request, this.serverClock, redactor);
    const expired = (): ApiError => {
      const what = `no complete answer within ${ms / 1000} s (${record.bytes} bytes arrived)`;
      return new ApiError("API_TIMEOUT", `${endpoint}: ${what}`, { endpoint });
    };
    const hooks = {
      maxBytes: limits.maxResponseBytes,
      onHead: (head: ResponseHead) => {
        record.head = head;
        return reader.begin(head);
      },
      onBytes: (count: number) => {
        record.bytes += count;
      },
    };
    let response: HttpResponse | undefined;
    let failure: unknown;
    try {
      response = await withDeadline({ clock, ms, parents: [parent], expired }, (signal) =>
        this.#transport.send(request, token, signal, hooks),
      );
      const turn = shareTurn(clock);
      if (turn !== undefined) await turn;
      return reader.end(response);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      record.finish(response, failure);
    }
  }

  /** What the strictest client allows. */
  #limit(): void {
    const limits = [...this.#clients].map((client) => client.limits);
    const concurrency = Math.min(...limits.map((each) => each.concurrency));
    // First: what the budget lets pass must find a connection, as its time runs.
    this.#transport.widen(concurrency);
    this.budget.limit({
      concurrency,
      requestsPerSecond: Math.min(...limits.map(({ requestsPerSecond }) => requestsPerSecond)),
    });
  }
}

const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

function isAboutAll({ httpStatus }: ApiError): boolean {
  return httpStatus === TOO_MANY_REQUESTS || httpStatus === SERVICE_UNAVAILABLE;
}

function secretOf(auth: ApiAuth): Promise<string> {
  return auth.kind === "api_key" ? auth.key() : auth.password();
}

function readNothing(): Promise<TlsMaterial> {
  return Promise.resolve({ ca: undefined, cert: undefined, key: undefined });
}

/** The accesses that are open, by what makes them the same, and the pauses that hosts asked for. */
export class ServerAccesses {
  readonly #open = new Map<string, ServerAccess>();
  #pauses: Pauses | undefined;

  /** The access of clients with the same key, or another one. The client leaves it by `leave`. */
  join(client: ApiClientOptions): ServerAccess {
    const { accessKey, name } = client;
    const known = accessKey === undefined ? undefined : this.#open.get(accessKey);
    // An entry that is reached in another way, with other limits say, begins anew where no other one is concerned.
    const access = known === undefined || known.isOnlyOf(name) ? this.#access(client) : known;
    if (accessKey !== undefined) this.#open.set(accessKey, access);
    access.join(client);
    return access;
  }

  /** With the pause that all accesses of one host share, whatever their credentials are. */
  #access(client: ApiClientOptions): ServerAccess {
    this.#pauses ??= new Pauses(client.clock);
    return new ServerAccess(client, this.#pauses.of(new URL(client.url).host));
  }

  /** The last client that leaves ends the session and closes the connections. */
  async leave(client: ApiClientOptions, access: ServerAccess): Promise<void> {
    if (!access.isLast(client)) return access.leave(client);
    // Clients that come from now on open another one.
    const { accessKey } = client;
    if (accessKey !== undefined && this.#open.get(accessKey) === access) this.#open.delete(accessKey);
    await access.close();
  }
}
