import type { Clock } from "../../clock.ts";
import type { World } from "../world/model.ts";
import { EVERYTHING, onlyBelow, someOf, type Visibility } from "./access.ts";
import { RequestRefused } from "./api-errors.ts";
import { type Random, randomHex } from "./randomness.ts";

/** Who may sign in. The further keys belong to users with fewer rights. */
export interface Credentials {
  readonly apiKey: string;
  readonly username: string;
  readonly password: string;
  /** Key of a user who sees only a part of the tree: other objects are missing, references to them `restricted`. */
  readonly restrictedApiKey?: string;
  /** Ids of the objects that the restricted user sees, with what is below them; by default one group and some devices. */
  readonly restrictedTo?: readonly string[];
  /** Key of a user who sees the whole tree, but is FORBIDDEN the endpoints of `forbiddenEndpoints`. */
  readonly limitedApiKey?: string;
  /** Path templates; by default those about the system as a whole. */
  readonly forbiddenEndpoints?: readonly string[];
}

const SYSTEM_ENDPOINTS = ["/version", "/objects/count", "/sensor-status-summary", "/sensor-status-summary/{id}"];

/** A user account. */
export interface Account {
  readonly name: string;
  readonly visibility: Visibility;
  /** Path templates that the account lacks the right for. */
  readonly forbidden: ReadonlySet<string>;
}

export interface Session {
  readonly token: string;
  readonly account: Account;
  /** By the monotonic clock. */
  expiresAt: number;
}

/** Who asks, and how they showed it. */
export interface Principal {
  readonly account: Account;
  /** Undefined for API keys. */
  readonly session: Session | undefined;
}

export interface AuthOptions {
  readonly world: World;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly sessionLifetimeMs: number;
  readonly random: Random;
}

/** A client that logs in again and again must not fill the memory. */
const MAX_SESSIONS = 1000;

/** API keys and sessions. */
export class Authentication {
  readonly #credentials: Credentials;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #lifetimeMs: number;
  readonly #main: Account;
  readonly #keys = new Map<string, Account>();
  readonly #sessions = new Map<string, Session>();

  constructor({ world, credentials, clock, sessionLifetimeMs, random }: AuthOptions) {
    const { apiKey, username, restrictedApiKey, restrictedTo, limitedApiKey, forbiddenEndpoints } = credentials;
    this.#credentials = credentials;
    this.#clock = clock;
    this.#random = random;
    this.#lifetimeMs = sessionLifetimeMs;
    this.#main = { name: username, visibility: EVERYTHING, forbidden: new Set() };
    this.#keys.set(apiKey, this.#main);
    if (restrictedApiKey !== undefined) {
      const visibility = restrictedTo === undefined ? someOf(world) : onlyBelow(new Set(restrictedTo));
      this.#keys.set(restrictedApiKey, { name: "restricted", visibility, forbidden: new Set() });
    }
    if (limitedApiKey !== undefined) {
      const forbidden = new Set(forbiddenEndpoints ?? SYSTEM_ENDPOINTS);
      this.#keys.set(limitedApiKey, { name: "limited", visibility: EVERYTHING, forbidden });
    }
  }

  /**
   * Whose bearer token this is.
   * @throws RequestRefused AUTH_FAILED
   */
  identify(authorization: string | undefined): Principal {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw unauthenticated("Authorization header with a bearer token is missing");
    const account = this.#keys.get(token);
    if (account !== undefined) return { account, session: undefined };
    const session = this.#sessions.get(token);
    if (session === undefined || session.expiresAt <= this.#clock.monotonic()) {
      this.#sessions.delete(token);
      throw unauthenticated("Authentication failed");
    }
    return { account: session.account, session };
  }

  /**
   * Opens a session.
   * @throws RequestRefused LOGIN_FAILED
   */
  login(username: string, password: string): Session {
    if (username !== this.#credentials.username || password !== this.#credentials.password) {
      throw new RequestRefused("LOGIN_FAILED", "Login failed");
    }
    const token = randomHex(this.#random, 64);
    const session = { token, account: this.#main, expiresAt: this.#clock.monotonic() + this.#lifetimeMs };
    this.#sessions.set(token, session);
    this.#forgetOld();
    return session;
  }

  /** The session lasts its whole lifetime from now on. */
  renew(session: Session): void {
    session.expiresAt = this.#clock.monotonic() + this.#lifetimeMs;
  }

  logout(session: Session): void {
    this.#sessions.delete(session.token);
  }

  /** Ends all sessions without telling, as a restart of the service does. */
  dropSessions(): void {
    this.#sessions.clear();
  }

  /** Milliseconds that the session still lasts. */
  remaining(session: Session): number {
    return session.expiresAt - this.#clock.monotonic();
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  #forgetOld(): void {
    const now = this.#clock.monotonic();
    for (const [token, session] of this.#sessions) {
      if (session.expiresAt > now && this.#sessions.size <= MAX_SESSIONS) continue;
      this.#sessions.delete(token);
    }
  }
}

function unauthenticated(message: string): RequestRefused {
  return new RequestRefused("AUTH_FAILED", message, { headers: { "WWW-Authenticate": "Bearer" } });
}
