import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { type PasswordChecker, parseBasicAuth } from "../auth/basic-auth.ts";
import type { RateLimit, WebConfig } from "../web-config/load.ts";
import type { NoteRejection, RejectionReason } from "./rejection-log.ts";
import { isClosed } from "./response-lifetime.ts";
import { isPostRoute, type PostRoute, type Route, type RouteHandler, respondBusy, respondText } from "./responses.ts";

export interface RequestHandlerOptions {
  readonly routes: Pick<ReadonlyMap<string, Route>, "get">;
  readonly actions?: ReadonlyMap<string, RouteHandler> | undefined;
  /** Routes of a user with limited access. `undefined`: full access. The user is `undefined` without passwords. */
  readonly restricted?: ((user: string | undefined) => RequestHandlerOptions["routes"] | undefined) | undefined;
  readonly log: Logger;
  readonly passwords: PasswordChecker;
  /** Concurrent requests. 0: no limit. See `createRequestPlaces`. */
  readonly maxRequests: number;
  /** Scrapes of this path and of paths below it have reserved places. */
  readonly telemetryPath: string;
  readonly now: () => number;
  readonly rejected: NoteRejection;
}

/** Served under any load. */
const PROBES: ReadonlySet<string> = new Set(["/-/healthy", "/-/ready"]);
/** Some clients send a body with POST. The exporter ignores it. */
const MAX_BODY_BYTES = 1024 * 1024;

const NO_USERS =
  "The configuration binds users to servers, but --web.config.file has no basic_auth_users. No request is allowed.\n";
const FORBIDDEN = "This user has access only to the pages and metrics of some servers.\n";

interface User {
  readonly name: string | undefined;
}

const ANYBODY: User = { name: undefined };

/** Applies limits and authentication, then calls the route's handler. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #takePlace: TakePlace;
  #config: WebConfig;
  #limiter: RateLimiter | undefined;

  constructor(options: RequestHandlerOptions, config: WebConfig) {
    this.#options = options;
    this.#config = config;
    this.#takePlace = createRequestPlaces(options.maxRequests);
    this.#limiter = this.#createLimiter();
  }

  use(config: WebConfig): void {
    const before = this.#config;
    this.#config = config;
    if (JSON.stringify(before.rateLimit) !== JSON.stringify(config.rateLimit)) this.#limiter = this.#createLimiter();
    if (JSON.stringify([...before.users]) !== JSON.stringify([...config.users])) this.#options.passwords.forget();
  }

  /** Never rejects. @param complete Called when the whole request has arrived. */
  async answer(request: IncomingMessage, response: ServerResponse, complete: () => void): Promise<void> {
    try {
      response.setHeader("X-Content-Type-Options", "nosniff");
      for (const [name, value] of this.#config.headers) response.setHeader(name, value);
      if (!this.#withinRate(request, response)) return;
      // Handlers read the query, and clients may send an absolute URL.
      request.url = withoutAuthority(request.url ?? "/");
      // The body of a POST route waits in the connection until its user is known.
      const hasOwnBody = request.method === "POST" && isPostRoute(this.#options.routes.get(pathOf(request.url)));
      if (!hasOwnBody) {
        if (!(await this.#withoutBody(request, response))) return;
        complete();
      }
      const user = await this.#userOf(request, response);
      if (user === undefined) return;
      await this.#handle(request, response, user, complete);
    } catch (error) {
      this.#options.log.error({ err: error, path: pathOf(request.url) }, "request to the exporter failed");
      if (response.headersSent) response.destroy();
      else respondText(response, 500, "The exporter failed to answer. See its log.\n");
    }
  }

  #withinRate(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#limiter === undefined || this.#limiter.take()) return true;
    this.#reject("rate_limit", request);
    const seconds = Math.min(Math.max(1, Math.ceil(this.#limiter.waitMs() / 1_000)), 3_600);
    response.setHeader("Retry-After", seconds);
    this.#refuse(request, response, 429, "Too many requests. Retry later.\n");
    return false;
  }

  async #withoutBody(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { "transfer-encoding": encoding, "content-length": length } = request.headers;
    if (encoding === undefined && (length === undefined || length === "0")) {
      request.resume();
      return true;
    }
    if ((await bodyOf(request, MAX_BODY_BYTES, () => undefined)) === "read") return true;
    this.#refuseBody(request, response, "The request body is too large. This path reads no body.\n");
    return false;
  }

  async #post(
    { maxBytes, post }: PostRoute,
    request: IncomingMessage,
    response: ServerResponse,
    complete: () => void,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    if ((await bodyOf(request, maxBytes, (chunk) => chunks.push(chunk))) === "read") {
      complete();
      return post(request, response, Buffer.concat(chunks));
    }
    this.#refuseBody(request, response, `The request body is too large. The maximum is ${maxBytes} bytes.\n`);
  }

  /** Does nothing if the client disconnected. */
  #refuseBody(request: IncomingMessage, response: ServerResponse, text: string): void {
    if (request.destroyed && !request.complete) return;
    this.#reject("body", request);
    this.#refuse(request, response, 413, text);
  }

  /** `undefined`: the request was refused. */
  async #userOf(request: IncomingMessage, response: ServerResponse): Promise<User | undefined> {
    const { users } = this.#config;
    if (users.size === 0) return ANYBODY;
    const credentials = parseBasicAuth(request.headers.authorization);
    const client = request.socket.remoteAddress;
    const checked =
      credentials && (await this.#options.passwords.check(users, credentials.name, credentials.password, client));
    if (checked === "right" && credentials !== undefined) return { name: credentials.name };
    if (checked === "busy") {
      this.#reject("password_checks", request);
      respondBusy(response, "Too many password checks are waiting. Retry later.\n");
      return undefined;
    }
    this.#reject("unauthorized", request);
    response.setHeader("WWW-Authenticate", 'Basic realm="prtg-exporter", charset="UTF-8"');
    respondText(response, 401, "Unauthorized.\n");
    return undefined;
  }

  async #handle(
    request: IncomingMessage,
    response: ServerResponse,
    { name }: User,
    complete: () => void,
  ): Promise<void> {
    const path = pathOf(request.url);
    const restricted = this.#options.restricted?.(name);
    const action = restricted === undefined ? this.#options.actions?.get(path) : undefined;
    const handler = action ?? (restricted ?? this.#options.routes).get(path);
    if (handler === undefined && restricted !== undefined) {
      return respondText(response, 403, name === undefined ? NO_USERS : FORBIDDEN);
    }
    if (handler === undefined) return respondText(response, 404, `There is no page at this path. Start at /\n`);
    const isPost = action !== undefined || isPostRoute(handler);
    const allowed = isPost ? ["POST"] : ["GET", "HEAD"];
    if (!allowed.includes(request.method ?? "")) {
      response.setHeader("Allow", allowed.join(", "));
      return respondText(response, 405, `Only ${allowed.join(" and ")} ${isPost ? "is" : "are"} allowed here.\n`);
    }
    const over = this.#takePlace(action === undefined ? this.#kindOf(path) : "action");
    if (over === undefined) {
      this.#reject("requests", request);
      return respondBusy(response, "Too many concurrent requests. Retry later.\n");
    }
    response.once("close", over);
    // The client may have disconnected during the password check.
    if (isClosed(response)) over();
    return isPostRoute(handler) ? this.#post(handler, request, response, complete) : handler(request, response);
  }

  #kindOf(path: string): RequestKind {
    if (PROBES.has(path)) return "probe";
    const { telemetryPath } = this.#options;
    return path === telemetryPath || path.startsWith(`${telemetryPath}/`) ? "scrape" : "page";
  }

  /** Does not wait for the rest of the request. */
  #refuse(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
    if (request.httpVersionMajor === 1 && !request.complete) response.setHeader("Connection", "close");
    respondText(response, status, text);
  }

  #reject(reason: RejectionReason, request: IncomingMessage): void {
    this.#options.rejected(reason, request.socket.remoteAddress);
  }

  #createLimiter(): RateLimiter | undefined {
    const { rateLimit } = this.#config;
    return rateLimit && createRateLimiter(rateLimit, this.#options.now);
  }
}

/** Reads the body in parts. Resolves with "refused" if it is too long or incomplete. */
function bodyOf(
  request: IncomingMessage,
  maxBytes: number,
  take: (chunk: Buffer) => void,
): Promise<"read" | "refused"> {
  const isTooLong = Number(request.headers["content-length"] ?? 0) > maxBytes;
  if (isTooLong || request.readableEnded) return Promise.resolve("refused");
  return new Promise((resolve) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return take(chunk);
      request.pause();
      resolve("refused");
    });
    request.once("end", () => resolve(bytes <= maxBytes ? "read" : "refused"));
    request.once("close", () => resolve("refused"));
    request.once("error", () => resolve("refused"));
  });
}

function pathOf(url: string | undefined): string {
  return url?.split("?", 1)[0] ?? "/";
}

/** Path of an absolute URL (RFC 9112, 3.2.2). */
function withoutAuthority(url: string): string {
  const authority = /^https?:\/\/[^/?#]*/i.exec(url);
  if (authority === null) return url;
  const rest = url.slice(authority[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** A token bucket that gains one token per interval. @param now Monotonic milliseconds. */
export function createRateLimiter({ intervalMs, burst }: RateLimit, now: () => number) {
  let tokens = burst;
  let filledAt = now();
  return {
    take: (): boolean => {
      const time = now();
      tokens = Math.min(burst, tokens + (time - filledAt) / intervalMs);
      filledAt = time;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
    /** Milliseconds to the next token. */
    waitMs: (): number => Math.max(0, (1 - tokens) * intervalMs),
  };
}

const RESERVED_FOR_SCRAPES = 1 / 4;
/** Reloads run one after another, so more of them only wait. */
const MAX_ACTIONS = 8;

/** Probes always get a place. Actions (POST) have a few of their own. */
export type RequestKind = "probe" | "action" | "scrape" | "page";

/** Returns the function that frees the place, or `undefined` if all places are in use. */
export type TakePlace = (kind: RequestKind) => (() => void) | undefined;

/** @param max Scrapes and pages together. 0: no limit. */
export function createRequestPlaces(max: number): TakePlace {
  const maxPages = Math.max(1, max - Math.ceil(max * RESERVED_FOR_SCRAPES));
  const taken: Record<RequestKind, number> = { probe: 0, action: 0, scrape: 0, page: 0 };
  const hasRoom = (kind: RequestKind): boolean => {
    const { action, scrape, page } = taken;
    if (max === 0 || kind === "probe") return true;
    if (kind === "action") return action < MAX_ACTIONS;
    return scrape + page < max && (kind === "scrape" || page < maxPages);
  };
  return (kind) => {
    if (!hasRoom(kind)) return undefined;
    taken[kind]++;
    let isTaken = true;
    return () => {
      if (isTaken) taken[kind]--;
      isTaken = false;
    };
  };
}
