import { ExporterError } from "../../errors/exporter-error.ts";
import { waitFor, withDeadline } from "../../lib/deadline.ts";
import { RETRIES, retryDelayMs } from "../../lib/retry-delay.ts";
import { ApiError, closedError } from "../api-error.ts";
import { isObject, parseTimestamp, text } from "../decode/values.ts";
import type { ApiClientOptions } from "../options.ts";
import type { ApiAnswer, ApiRequest } from "../request/messages.ts";
import { WRONG_PORT_REMEDY } from "../request/response-error.ts";
import type { ServerClock } from "../server-clock.ts";

/** The source of the Authorization header. */
export interface Authenticator {
  /** Rejects with an ApiError, or with the signal's reason. */
  token(signal: AbortSignal): Promise<string>;
  /**
   * Call if the server refused a token. Resolves to true if there is another one to try once. Concurrent callers share
   * one renewal.
   */
  renew(token: string, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** A key never expires, but its file may change. */
export class ApiKeyAuth implements Authenticator {
  readonly #owner: () => SecretOwner;
  #key: Promise<string> | undefined;

  constructor(owner: () => SecretOwner) {
    this.#owner = owner;
  }

  token(signal: AbortSignal): Promise<string> {
    this.#key ??= this.#readKey();
    return waitFor(this.#key, signal);
  }

  async renew(token: string, signal: AbortSignal): Promise<boolean> {
    const current = await this.token(signal);
    if (current !== token) return true;
    this.#key = undefined;
    return (await this.token(signal)) !== token;
  }

  async close(): Promise<void> {}

  async #readKey(): Promise<string> {
    try {
      const key = await readSecret(this.#owner());
      if (!isHeaderSafe(key))
        throw new ApiError("SECRET_UNREADABLE", "the API key contains spaces or other invalid characters", {
          endpoint: "",
        });
      return key;
    } catch (error) {
      this.#key = undefined;
      throw error;
    }
  }
}

/** Whether it can follow `Bearer `. */
function isHeaderSafe(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

type SecretOwner = Pick<ApiClientOptions, "auth" | "redactor">;

async function readSecret({ auth, redactor }: SecretOwner): Promise<string> {
  try {
    const secret = await (auth.kind === "api_key" ? auth.key() : auth.password());
    redactor.addCredential(secret);
    return secret;
  } catch (error) {
    const known = error instanceof ExporterError ? error : undefined;
    throw new ApiError(known?.code ?? "SECRET_UNREADABLE", known?.message ?? "a secret cannot be read", {
      endpoint: "",
      cause: error,
      ...(known !== undefined && { remedy: known.remedy }),
    });
  }
}

const ENDPOINT = "/session";
/** Renews a session this long before its end ... */
const RENEW_BEFORE_END_MS = 5 * 60_000;
/** ... but not before this share of its lifetime. */
const RENEW_AFTER_SHARE = 2 / 3;
const LOGOUT_TIMEOUT_MS = 5_000;

interface Session {
  readonly token: string;
  /** Monotonic. Infinity if the server names no end. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

interface Refusal {
  readonly failure: ApiError;
  readonly password: string;
  readonly times: number;
  readonly retryAt: number;
}

export interface LoginSender {
  readonly serverClock: ServerClock;
  send(request: ApiRequest, token: string | undefined, signal: AbortSignal): Promise<ApiAnswer>;
  heldForMs(): number;
}

/**
 * Login with user name and password: `POST /session`, renewed with `GET /session`, or a new login if that fails, ended
 * with `DELETE /session`. The specification leaves lifetime and renewal open.
 */
export class SessionAuth implements Authenticator {
  readonly #username: string;
  readonly #owner: () => ApiClientOptions;
  readonly #sender: LoginSender;
  readonly #closing = new AbortController();
  #closed = false;
  #session: Session | undefined;
  #opening: Promise<string> | undefined;
  #refusal: Refusal | undefined;
  #currentToken: string | undefined;
  #retiredToken: string | undefined;

  constructor(username: string, owner: () => ApiClientOptions, sender: LoginSender) {
    this.#username = username;
    this.#owner = owner;
    this.#sender = sender;
  }

  get #now(): number {
    return this.#owner().clock.monotonic();
  }

  async token(signal: AbortSignal): Promise<string> {
    const session = this.#session;
    if (session !== undefined && this.#now < session.renewAt) return session.token;
    this.#opening ??= this.#open(session).finally(() => {
      this.#opening = undefined;
    });
    return waitFor(this.#opening, signal);
  }

  async renew(token: string, signal: AbortSignal): Promise<boolean> {
    if (this.#session?.token === token) this.#session = undefined;
    return (await this.token(signal)) !== token;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const expired = (): Error =>
      new ApiError("API_TIMEOUT", `${ENDPOINT}: no answer to the logout`, { endpoint: ENDPOINT });
    const deadline = { clock: this.#owner().clock, ms: LOGOUT_TIMEOUT_MS, parents: [], expired };
    // Sessions expire by themselves.
    await withDeadline(deadline, (signal) => this.#endSession(signal)).catch(() => undefined);
    this.#closing.abort(closedError());
  }

  async #endSession(signal: AbortSignal): Promise<void> {
    if (this.#sender.heldForMs() >= LOGOUT_TIMEOUT_MS) return;
    // The server may have opened a session whose token is still on its way.
    if (this.#opening !== undefined) await waitFor(this.#opening, signal);
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    await this.#sender.send({ method: "DELETE", endpoint: ENDPOINT, path: ENDPOINT }, session.token, signal);
  }

  async #open(expiring: Session | undefined): Promise<string> {
    const renewable = expiring !== undefined && this.#now < expiring.expiresAt;
    const session = (renewable ? await this.#renew(expiring) : undefined) ?? (await this.#login());
    this.#session = session;
    return session.token;
  }

  /** `undefined` if the renewal failed or is unusable. */
  async #renew(session: Session): Promise<Session | undefined> {
    try {
      const answer = await this.#send({ method: "GET", endpoint: ENDPOINT, path: ENDPOINT }, session.token);
      return this.#readSession(answer, session.token);
    } catch (error) {
      if (this.#closed) throw error;
      this.#owner().log.info({ err: error, request_id: requestIdOf(error) }, "session not renewed: logging in again");
      return undefined;
    }
  }

  async #login(): Promise<Session> {
    const password = await readSecret(this.#owner());
    if (this.#closed) throw closedError();
    const refusal = this.#refusal?.password === password ? this.#refusal : undefined;
    if (refusal !== undefined && this.#now < refusal.retryAt) throw refusal.failure;
    const body = JSON.stringify({ username: this.#username, password });
    try {
      const answer = await this.#send({ method: "POST", endpoint: ENDPOINT, path: ENDPOINT, body }, undefined);
      const session = this.#readSession(answer, undefined);
      if (session === undefined) throw loginFailed(undefined, `${ENDPOINT}: the answer has no token`);
      this.#refusal = undefined;
      return session;
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefusal(error)) throw error;
      const failure = loginFailed(error, error.message);
      const times = (refusal?.times ?? 0) + 1;
      const retryAt = this.#now + retryDelayMs(RETRIES.login, times);
      this.#refusal = { failure, password, times, retryAt };
      throw failure;
    }
  }

  /** Shared by all waiting requests: the signal of one does not end it. */
  async #send(request: ApiRequest, token: string | undefined): Promise<unknown> {
    const { clock, limits } = this.#owner();
    const expired = (): Error => new ApiError("API_TIMEOUT", `${ENDPOINT}: no answer in time`, { endpoint: ENDPOINT });
    const deadline = { clock, ms: limits.totalTimeoutMs, parents: [this.#closing.signal], expired };
    const { json } = await withDeadline(deadline, (signal) => this.#sender.send(request, token, signal));
    return json;
  }

  /** `{"token": ..., "expires_at": ...}`. A renewal may omit the token. */
  #readSession(answer: unknown, renewedToken: string | undefined): Session | undefined {
    if (!isObject(answer)) return undefined;
    const now = this.#now;
    const serverNow = this.#sender.serverClock.now();
    const end = typeof answer.expires_at === "string" ? parseTimestamp(answer.expires_at) : undefined;
    // An end in the past means a wrong clock: then only a 401 shows the end.
    const lifetime = end !== undefined && end > serverNow ? end - serverNow : Number.POSITIVE_INFINITY;
    const fresh = text(answer.token);
    const token = fresh ?? (Number.isFinite(lifetime) ? renewedToken : undefined);
    if (token === undefined || !isHeaderSafe(token)) return undefined;
    this.#keepSecret(token);
    const renewAt = now + Math.max(lifetime * RENEW_AFTER_SHARE, lifetime - RENEW_BEFORE_END_MS);
    return { token, renewAt, expiresAt: now + lifetime };
  }

  /** Keeps the previous token, too: answers may still echo it. */
  #keepSecret(token: string): void {
    if (token === this.#currentToken) return;
    const { redactor } = this.#owner();
    if (this.#retiredToken !== undefined) redactor.remove(this.#retiredToken);
    this.#retiredToken = this.#currentToken;
    this.#currentToken = token;
    redactor.addCredential(token);
  }
}

function isRefusal({ code }: ApiError): boolean {
  return (
    code === "API_UNAUTHORIZED" || code === "API_FORBIDDEN" || code === "API_BAD_REQUEST" || code === "API_LOGIN_FAILED"
  );
}

function loginFailed(cause: ApiError | undefined, message: string): ApiError {
  const { httpStatus, serverCode, requestId, remedy } = cause ?? {};
  return new ApiError("API_LOGIN_FAILED", message, {
    endpoint: ENDPOINT,
    httpStatus,
    serverCode,
    requestId,
    // Such an answer says nothing about the credentials.
    ...(remedy === WRONG_PORT_REMEDY && { remedy }),
  });
}

function requestIdOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.requestId : undefined;
}
