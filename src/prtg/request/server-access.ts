import type { ErrorCode } from "../../errors/catalogue.ts";
import { withDeadline } from "../../lib/deadline.ts";
import type { TlsMaterial } from "../../lib/http/tls.ts";
import { RequestBudget } from "../../lib/request-budget.ts";
import { type Pause, Pauses } from "../../lib/retry-delay.ts";
import { shareTurn } from "../../lib/yielding.ts";
import { currentRun } from "../../telemetry/run-trace.ts";
import { ApiError } from "../api-error.ts";
import { ApiKeyAuth, type Authenticator, type LoginSender, SessionAuth } from "../auth/authenticator.ts";
import type { ApiClientOptions } from "../options.ts";
import { ServerClock } from "../server-clock.ts";
import { CircuitBreakers } from "./circuit-breaker.ts";
import type { ApiAnswer, ApiRequest, HttpResponse, ResponseHead } from "./messages.ts";
import { ResponseReader } from "./response-reader.ts";
import { RetryPolicy } from "./retry.ts";
import { Transport } from "./transport.ts";

/**
 * The state of all clients of one server with the same credentials: session, connections, budget, breakers and clock.
 */
export class ServerAccess implements LoginSender {
  readonly serverClock: ServerClock;
  readonly breakers: CircuitBreakers;
  readonly authenticator: Authenticator;
  readonly budget: RequestBudget;
  readonly retries: RetryPolicy;
  readonly #transport: Transport;
  readonly #clients = new Set<ApiClientOptions>();
  /**
   * The client whose secrets, files and log serve the work for all: the oldest one. It moves when the client leaves,
   * because its files may be gone then.
   */
  #owner: ApiClientOptions;
  /** Requests of the session, whose client may leave. */
  readonly #logins = new Set<Promise<unknown>>();
  #probe: Promise<void> | undefined;

  /**
   * @param first The client that opens it, and joins next.
   * @param pause Of the host.
   */
  constructor(first: ApiClientOptions, pause: Pause) {
    const { auth, clock, limits, log, tls, proxy } = first;
    const owner = (): ApiClientOptions => this.#owner;
    this.#owner = first;
    this.serverClock = new ServerClock(clock, log);
    this.breakers = new CircuitBreakers(owner, (open) => {
      for (const { observer } of this.#clients) observer.breakerChanged(open);
    });
    this.authenticator = auth.kind === "api_key" ? new ApiKeyAuth(owner) : new SessionAuth(auth.username, owner, this);
    this.budget = new RequestBudget(clock, limits, pause);
    const authorize = proxy?.authorization;
    this.#transport = new Transport({
      ...first,
      tls: { ...tls, read: tls?.read && (async () => (await this.#owner.tls?.read?.()) ?? NO_FILES) },
      proxy: proxy && {
        ...proxy,
        authorization: authorize && (() => (this.#owner.proxy?.authorization ?? authorize)()),
      },
    });
    this.retries = new RetryPolicy(first);
  }

  join(client: ApiClientOptions): void {
    this.#clients.add(client);
    this.#limit();
    if (this.breakers.needsProbe) client.observer.breakerChanged(true);
  }

  /** Whether all clients belong to this entry of the configuration. */
  isOnlyOf(name: string): boolean {
    return this.#clients.values().every((client) => client.name === name);
  }

  isLast(client: ApiClientOptions): boolean {
    return this.#clients.size === 1 && this.#clients.has(client);
  }

  /** Afterwards the client gets no more reports. */
  async leave(client: ApiClientOptions): Promise<void> {
    if (!this.#clients.delete(client)) return;
    if (client === this.#owner) [this.#owner = client] = this.#clients;
    this.#limit();
    await Promise.allSettled(this.#logins);
  }

  /** One client probes for all. */
  probe(send: () => Promise<void>): Promise<void> {
    this.#probe ??= send().finally(() => {
      this.#probe = undefined;
    });
    return this.#probe;
  }

  async close(): Promise<void> {
    await this.authenticator.close();
    await this.#transport.close();
  }

  heldForMs(): number {
    return this.budget.heldForMs();
  }

  send(request: ApiRequest, token: string | undefined, signal: AbortSignal): Promise<ApiAnswer> {
    const sent = this.sendFor(this.#owner, request, token, signal).finally(() => this.#logins.delete(sent));
    this.#logins.add(sent);
    return sent;
  }

  /** One attempt, without breaker and retry. Rejects with an ApiError, or with the signal's reason. */
  async sendFor(
    client: ApiClientOptions,
    request: ApiRequest,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<ApiAnswer> {
    const since = client.clock.monotonic();
    const release = await this.budget.acquire(signal);
    currentRun()?.addWork("waiting for the request budget", since);
    try {
      const answer = await this.#exchange(client, request, token, signal);
      this.breakers.recordSuccess(request.endpoint);
      return answer;
    } catch (error) {
      if (error instanceof ApiError) {
        this.breakers.recordFailure(error);
        // The pause concerns the client, not one endpoint.
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
    const attempt: Attempt = { request, startedAt: clock.monotonic(), head: undefined, bytes: 0 };
    client.observer.requestStarted(endpoint);
    const reader = new ResponseReader(request, this.serverClock, redactor);
    const expired = (): ApiError => {
      const what = `no complete answer within ${ms / 1000} s (${attempt.bytes} bytes arrived)`;
      return new ApiError("API_TIMEOUT", `${endpoint}: ${what}`, { endpoint });
    };
    const hooks = {
      maxBytes: limits.maxResponseBytes,
      onHead: (head: ResponseHead) => {
        attempt.head = head;
        return reader.begin(head);
      },
      onBytes: (count: number) => {
        attempt.bytes += count;
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
      recordAttempt(client, attempt, response, failure);
    }
  }

  /** Applies the strictest limits. */
  #limit(): void {
    const limits = [...this.#clients].map((client) => client.limits);
    this.budget.limit({
      concurrency: Math.min(...limits.map(({ concurrency }) => concurrency)),
      requestsPerSecond: Math.min(...limits.map(({ requestsPerSecond }) => requestsPerSecond)),
    });
  }
}

const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

function isAboutAll({ httpStatus }: ApiError): boolean {
  return httpStatus === TOO_MANY_REQUESTS || httpStatus === SERVICE_UNAVAILABLE;
}

const NO_FILES: TlsMaterial = { ca: undefined, cert: undefined, key: undefined };

interface Attempt {
  readonly request: ApiRequest;
  readonly startedAt: number;
  head: ResponseHead | undefined;
  /** Bytes of the body on the wire. */
  bytes: number;
}

/** @param response `undefined` without a complete one. */
function recordAttempt(
  client: ApiClientOptions,
  attempt: Attempt,
  response: HttpResponse | undefined,
  failure: unknown,
) {
  const { clock, observer, log } = client;
  const { request, startedAt, head, bytes } = attempt;
  const { endpoint, method = "GET" } = request;
  const durationMs = clock.monotonic() - startedAt;
  const code = response === undefined ? failureKind(failure) : String(response.status);
  observer.requestFinished({ endpoint, code, durationMs, bytes });
  const requestId = head?.requestId ?? (failure instanceof ApiError ? failure.requestId : undefined);
  const fields = { endpoint, method, status: code, duration_ms: Math.round(durationMs), bytes, request_id: requestId };
  if (failure === undefined) log.debug(fields, "request answered");
  else log.debug({ ...fields, err: failure }, "request failed");
}

/**
 * Values of the label `code` without a complete answer. Unreadable secrets are files for TLS here, because the exporter
 * reads credentials before.
 */
const FAILURE_KINDS: readonly (readonly [kind: string, codes: readonly ErrorCode[]])[] = [
  ["timeout", ["API_TIMEOUT"]],
  ["tls", ["API_TLS_UNTRUSTED", "API_TLS_FINGERPRINT", "API_TLS_CLIENT_REFUSED", "API_TLS_FAILED"]],
  ["tls", ["CA_UNREADABLE", "SECRET_UNREADABLE", "SECRET_EXPOSED"]],
  ["too_large", ["API_RESPONSE_TOO_LARGE", "API_LIST_TOO_LARGE", "API_MEMORY_FULL"]],
];

function failureKind(failure: unknown): string {
  if (!(failure instanceof ApiError)) return "aborted";
  return FAILURE_KINDS.find(([, codes]) => codes.includes(failure.code))?.[0] ?? "connection";
}

/** Open accesses by key, and pauses by host. */
export class ServerAccesses {
  readonly #open = new Map<string, ServerAccess>();
  #pauses: Pauses | undefined;

  /** Leave the access with `leave`. */
  join(client: ApiClientOptions): ServerAccess {
    const { accessKey, name } = client;
    const known = accessKey === undefined ? undefined : this.#open.get(accessKey);
    const access = known === undefined || known.isOnlyOf(name) ? this.#access(client) : known;
    if (accessKey !== undefined) this.#open.set(accessKey, access);
    access.join(client);
    return access;
  }

  /** All accesses of a host share its pause. */
  #access(client: ApiClientOptions): ServerAccess {
    this.#pauses ??= new Pauses(client.clock);
    return new ServerAccess(client, this.#pauses.of(new URL(client.url).host));
  }

  async leave(client: ApiClientOptions, access: ServerAccess): Promise<void> {
    if (!access.isLast(client)) return access.leave(client);
    // New clients open another access.
    const { accessKey } = client;
    if (accessKey !== undefined && this.#open.get(accessKey) === access) this.#open.delete(accessKey);
    await access.close();
  }
}
