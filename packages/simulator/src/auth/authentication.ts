import { ApiError, badRequest } from "../api-errors.ts";
import { type Random, randomHex } from "../random.ts";
import { type AccessLevel, type ApiKey, effectiveLevel, isAdministrator, levelOf, type User } from "./accounts.ts";
import { LIMITED_USER } from "./credentials.ts";
import type { Directory } from "./directory.ts";
import { type Visibility, visibilityOf } from "./visibility.ts";

const SYSTEM_ENDPOINTS = ["/version", "/objects/count", "/sensor-status-summary", "/sensor-status-summary/{id}"];

/** A user account, with what it may see and do. Always the same object for the same user. */
export interface Account {
  readonly user: User;
  readonly administrator: boolean;
  readonly visibility: Visibility;
  /** Path templates that the account lacks the right for. */
  readonly forbidden: ReadonlySet<string>;
}

export interface Session {
  readonly token: string;
  readonly account: Account;
  /** Simulated time, milliseconds since the epoch. */
  expiresAt: number;
}

/** The authenticated user of a request, by session or by API key. */
export interface Principal {
  readonly account: Account;
  /** Undefined for API keys. */
  readonly session: Session | undefined;
  /** Undefined for sessions. */
  readonly key: ApiKey | undefined;
  /** What both the user and the key permit. */
  readonly accessLevel: AccessLevel;
}

export interface AuthOptions {
  readonly directory: Directory;
  /** Path templates that the limited user is forbidden. */
  readonly forbiddenEndpoints?: readonly string[] | undefined;
  /** Simulated time, milliseconds since the epoch: sessions and keys expire by it. */
  readonly now: () => number;
  readonly sessionLifetimeMs: number;
  readonly random: Random;
  /** Refuse with 400 what can be neither a session token nor a key, as live servers do. */
  readonly rejectsMalformed?: boolean | undefined;
}

/** A client that logs in again and again must not fill the memory. */
const MAX_SESSIONS = 1000;

/** Session tokens are hexadecimal, keys base32; keys that a configuration gave are known whatever their form. */
const WELL_FORMED = /^([0-9a-f]{64}|[A-Z2-7]{8,}={0,6})$/;

/** Finds the user of a bearer token: of a session, or of a key of the directory. */
export class Authentication {
  readonly #directory: Directory;
  readonly #now: () => number;
  readonly #random: Random;
  readonly #lifetimeMs: number;
  readonly #forbidden: ReadonlySet<string>;
  readonly #rejectsMalformed: boolean;
  readonly #accounts = new Map<User, Account>();
  readonly #sessions = new Map<string, Session>();

  constructor({
    directory,
    forbiddenEndpoints = SYSTEM_ENDPOINTS,
    now,
    sessionLifetimeMs,
    random,
    rejectsMalformed = false,
  }: AuthOptions) {
    this.#directory = directory;
    this.#now = now;
    this.#random = random;
    this.#lifetimeMs = sessionLifetimeMs;
    this.#forbidden = new Set(forbiddenEndpoints);
    this.#rejectsMalformed = rejectsMalformed;
  }

  /**
   * The user of the bearer token.
   * @throws RequestRefused AUTH_FAILED, also for what has expired, was deleted, or belongs to a paused user; BAD_REQUEST
   * where malformed tokens are refused so
   */
  identify(authorization: string | undefined): Principal {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw unauthenticated("Authorization header with a bearer token is missing");
    const principal = this.#ofSession(token) ?? this.#ofKey(token);
    if (principal === undefined && this.#rejectsMalformed && !WELL_FORMED.test(token)) {
      throw badRequest("invalid session token or API token format");
    }
    if (principal === undefined || !principal.account.user.active) throw unauthenticated("Authentication failed");
    return principal;
  }

  #ofSession(token: string): Principal | undefined {
    const session = this.#sessions.get(token);
    if (session === undefined) return undefined;
    if (session.expiresAt <= this.#now()) {
      this.#sessions.delete(token);
      return undefined;
    }
    const { account } = session;
    return { account, session, key: undefined, accessLevel: levelOf(account.user) };
  }

  #ofKey(token: string): Principal | undefined {
    const key = this.#directory.keys.use(token, this.#now());
    if (key === undefined) return undefined;
    return { account: this.#accountOf(key.user), session: undefined, key, accessLevel: effectiveLevel(key) };
  }

  /**
   * Opens a session.
   * @throws RequestRefused LOGIN_FAILED for a wrong user name or password; AUTH_FAILED, when both are right, for a user who
   * is paused. Which code means what is not shown.
   */
  login(username: string, password: string): Session {
    const user = this.#directory.userByLogin(username);
    if (user?.password === undefined || user.password !== password) {
      throw new ApiError("LOGIN_FAILED", "Login failed");
    }
    if (!user.active) throw new ApiError("AUTH_FAILED", "Authentication failed: the user account is paused");
    const now = this.#now();
    user.lastLoginAt = now;
    const token = randomHex(this.#random, 64);
    const session = { token, account: this.#accountOf(user), expiresAt: now + this.#lifetimeMs };
    this.#sessions.set(token, session);
    this.#forgetOld();
    return session;
  }

  /** The session lasts its whole lifetime from now on. */
  renew(session: Session): void {
    session.expiresAt = this.#now() + this.#lifetimeMs;
  }

  logout(session: Session): void {
    this.#sessions.delete(session.token);
  }

  /** Ends all sessions of a user. */
  logoutEverywhere(user: User): void {
    for (const [token, session] of this.#sessions) if (session.account.user === user) this.#sessions.delete(token);
  }

  /** Ends all sessions without telling, as a restart of the service does. */
  dropSessions(): void {
    this.#sessions.clear();
  }

  /** Simulated milliseconds that the session still lasts. */
  remaining(session: Session): number {
    return session.expiresAt - this.#now();
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  #accountOf(user: User): Account {
    const known = this.#accounts.get(user);
    if (known !== undefined) return known;
    const limited = user.loginName === LIMITED_USER && !user.systemAdministrator;
    const forbidden = limited ? this.#forbidden : new Set<string>();
    const visibility = visibilityOf(user.groups);
    const account = { user, administrator: isAdministrator(user), visibility, forbidden };
    this.#accounts.set(user, account);
    return account;
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [token, session] of this.#sessions) {
      if (session.expiresAt > now && this.#sessions.size <= MAX_SESSIONS) continue;
      this.#sessions.delete(token);
    }
  }
}

function unauthenticated(message: string): ApiError {
  return new ApiError("AUTH_FAILED", message, { headers: { "WWW-Authenticate": "Bearer" } });
}
