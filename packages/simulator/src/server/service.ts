import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "../api/contract/contract.ts";
import { ROOT } from "../api/contract/document.ts";
import type { Call, PublicCall } from "../api/endpoint.ts";
import { type PageRequest, parsePage } from "../api/paging.ts";
import type { Answer, Reply } from "../api/reply.ts";
import { ApiError, notFound } from "../api-errors.ts";
import { permits } from "../auth/accounts.ts";
import type { Authentication, Principal } from "../auth/authentication.ts";
import { EVERYTHING, type Visibility, VisibleWorld } from "../auth/visibility.ts";
import type { Clock } from "../clock.ts";
import type { FaultEffects, Faults } from "../faults/faults.ts";
import { answerInstead, delay, isCutBeforeAnswer } from "../faults/interception.ts";
import { distortReply } from "../faults/list-faults.ts";
import { distortAnswer } from "../faults/unusual-answers.ts";
import type { Installation } from "../installation/installation.ts";
import { type Random, randomHex } from "../random.ts";
import { JsonCache } from "../records/json-cache.ts";
import { createRendering } from "../records/rendering.ts";
import type { Spelling } from "../records/spelling.ts";
import type { World } from "../world/model.ts";
import { deliver } from "./delivery.ts";
import { RequestBody } from "./request-body.ts";
import type { OpenRequest, RequestLog } from "./request-log.ts";
import { answerError, answerReply } from "./respond.ts";
import type { Match, Routes } from "./routes.ts";

export interface ServiceOptions {
  readonly world: World;
  readonly clock: Clock;
  readonly spelling: Spelling;
  readonly defaultLimit: number;
  readonly routes: Routes;
  readonly auth: Authentication;
  readonly installation: Installation;
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly random: Random;
  /** Simulated time, milliseconds since the epoch. */
  readonly now: () => number;
  /** Where the service is reached when a request does not say: `http://127.0.0.1:1615`. */
  readonly baseUrl: () => string;
  /** Ends all connections and sessions, and listens again after so many milliseconds. */
  readonly restart: (downMs: number) => void;
}

/** The world as one group of users with the same rights sees it, with the JSON cached for it. */
interface View {
  readonly visible: VisibleWorld;
  readonly cache: JsonCache;
}

/** One request under way. */
interface Exchange {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly body: RequestBody;
  readonly url: URL;
  readonly match: Match | undefined;
  readonly faults: FaultEffects;
  /** When it is answered, held up or not; simulated time, milliseconds since the epoch. */
  now: number;
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
}

/** Answers requests: faults, routing, authentication, the endpoint's handler, and faults again on the way out. */
export class Service {
  readonly #parts: ServiceOptions;
  readonly #views = new Map<Visibility, View>();
  readonly #underWay = new Set<ServerResponse>();

  constructor(parts: ServiceOptions) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, random, requests } = this.#parts;
    const requestId = randomHex(random, 32);
    const entry = requests.open(requestId, request.method ?? "", request.url ?? "");
    const ended = new AbortController();
    let bytes = 0;
    this.#underWay.add(response);
    response.on("finish", () => entry.finish(response.statusCode, bytes));
    response.on("close", () => {
      entry.finish(undefined, bytes);
      ended.abort();
      this.#underWay.delete(response);
    });
    const exchange = this.#begin(request, requestId, ended.signal);
    entry.route = exchange.match?.operation.path ?? entry.route;
    entry.faults = exchange.faults.texts;
    entry.headers = request.headers;
    // Beside the answer: a fault can answer before the body has arrived.
    if (requests.keepsContents) void this.#keepBody(exchange.body, entry, response);
    try {
      const answer = await this.#answer(exchange);
      if (answer === undefined) {
        if (exchange.faults.get("cut")?.where === "reset") request.socket.resetAndDestroy();
        else response.destroy();
        return;
      }
      bytes = answer.body?.length ?? 0;
      const dateHeader = exchange.now + (exchange.faults.get("date")?.byMs ?? 0);
      const headers = { Date: new Date(dateHeader).toUTCString(), "X-Request-Id": requestId };
      await deliver(response, answer, headers, { faults: exchange.faults, clock, signal: exchange.signal });
    } catch {
      // The connection ended while the request was held up; no client is left to answer.
      response.destroy();
    }
  }

  /** Breaks off all requests under way. */
  end(): void {
    for (const response of this.#underWay) response.destroy();
  }

  /** Nothing of a body that is too large, after which the connection ends. */
  async #keepBody(body: RequestBody, entry: OpenRequest, response: ServerResponse): Promise<void> {
    try {
      entry.body = (await body.read()).toString("utf8");
    } catch {
      if (!response.headersSent) response.setHeader("Connection", "close");
    }
  }

  #begin(request: IncomingMessage, requestId: string, signal: AbortSignal): Exchange {
    const { routes, faults, now } = this.#parts;
    const method = request.method ?? "";
    const url = this.#urlOf(request);
    const match = routes.match(method, url.pathname);
    const path = url.pathname.startsWith(`${ROOT}/`) ? url.pathname.slice(ROOT.length) : url.pathname;
    const page = match?.operation.paged === true ? this.#pageOf(url) : undefined;
    // A scenario may add or remove faults at this time.
    const at = now();
    return {
      requestId,
      request,
      body: new RequestBody(request),
      url,
      match,
      faults: faults.apply({ method, path, page, query: url.searchParams }),
      now: at,
      signal,
    };
  }

  /** Undefined where there is to be none. Rejects when the connection ends. */
  async #answer(exchange: Exchange): Promise<Answer | undefined> {
    const { faults, requestId, signal } = exchange;
    const { clock, faults: allFaults, installation, now, world, restart } = this.#parts;
    try {
      await delay(faults, { clock, between: (low, high) => allFaults.between(low, high), signal });
      exchange.now = now();
      installation.discovery.advance(exchange.now);
      exchange.now += faults.get("skew")?.byMs ?? 0;
      const down = faults.get("restart");
      if (down !== undefined) restart(down.downMs);
      if (down !== undefined || isCutBeforeAnswer(faults)) return undefined;
      const intercepted = answerInstead(faults, exchange.now);
      if (intercepted !== undefined) return intercepted;
      const reply = this.#reply(exchange);
      // Items are rendered in the turn in which they were selected.
      const distorted = distortReply(reply instanceof Promise ? await reply : reply, faults, world);
      return distortAnswer(answerReply(distorted, exchange.url), faults);
    } catch (error) {
      if (signal.aborted) throw error;
      const answer = answerError(error, requestId);
      const isBare = error instanceof ApiError && faults.get("error")?.hasBody === false;
      return isBare ? { ...answer, headers: error.headers, body: Buffer.alloc(0) } : answer;
    }
  }

  #reply(exchange: Exchange): Reply | Promise<Reply> {
    const { match, request, url } = exchange;
    if (match === undefined) throw this.#noEndpoint(request.method ?? "", url.pathname);
    const { operation, endpoint } = match;
    if (endpoint === undefined) {
      throw new ApiError("METHOD_NOT_IMPLEMENTED", "Requested action not implemented", { status: 501 });
    }
    if (endpoint.access === "public") {
      return this.#checked(exchange, match, (body) =>
        endpoint.handle(this.#callOf(exchange, match, this.#viewOf(EVERYTHING), body)),
      );
    }
    const principal = this.#parts.auth.identify(request.headers.authorization);
    if (!isPermitted(principal, operation)) {
      throw new ApiError("FORBIDDEN", "Action not allowed with the user's privileges");
    }
    return this.#checked(exchange, match, (body) => {
      const view = this.#viewOf(principal.account.visibility);
      const { defaultLimit } = this.#parts;
      const { moved } = exchange.faults;
      const call = this.#callOf(exchange, match, view, body);
      return endpoint.handle({ ...call, principal, visible: view.visible, defaultLimit, moved } satisfies Call);
    });
  }

  /** Handles a request once parameters and body fit the contract. A call is made when nothing is left to wait for. */
  #checked(
    { body, url }: Exchange,
    match: Match,
    handle: (body: unknown) => Reply | Promise<Reply>,
  ): Reply | Promise<Reply> {
    const { contract } = this.#parts.routes;
    const { operation } = match;
    contract.checkParameters(match, url);
    if (!operation.takesBody) {
      // It must not be too large either.
      return operation.method === "POST" ? body.read().then(() => handle(undefined)) : handle(undefined);
    }
    return body.readJson().then((json) => {
      contract.checkBody(operation, json);
      return handle(json);
    });
  }

  #callOf(exchange: Exchange, { operation, params }: Match, { visible, cache }: View, body: unknown): PublicCall {
    const { requestId, url, now, faults } = exchange;
    const { auth, installation, routes, spelling, world } = this.#parts;
    const rounding = faults.get("rounded");
    const rendering = createRendering({ world, now, spelling, visibility: visible.visibility, cache, rounding });
    const readBody = <Body>(): Promise<Body> => Promise.resolve(body as Body);
    const query = routes.contract.queryOf(operation, url.searchParams);
    return { requestId, auth, installation, now, rendering, params, query, readBody };
  }

  #viewOf(visibility: Visibility): View {
    const known = this.#views.get(visibility);
    if (known !== undefined) return known;
    const { installation, world, spelling } = this.#parts;
    const ready = installation.pendingObjects.withoutPending(visibility);
    const view = { visible: new VisibleWorld(world, ready), cache: new JsonCache(spelling, visibility) };
    this.#views.set(visibility, view);
    return view;
  }

  /** The table of statuses has none for a wrong method; 405 is what HTTP has. */
  #noEndpoint(method: string, path: string): ApiError {
    const allowed = this.#parts.routes.methodsOf(path);
    if (allowed.length === 0) return notFound("There is no such endpoint");
    const headers = { Allow: allowed.join(", ") };
    return new ApiError("METHOD_NOT_IMPLEMENTED", `${method} is not implemented here`, { headers });
  }

  #urlOf(request: IncomingMessage): URL {
    const base = this.#parts.baseUrl();
    const asked = `${new URL(base).protocol}//${request.headers.host}`;
    const target = request.url ?? "/";
    // A path may begin with two slashes, which a URL would take for a host.
    const text = `${URL.canParse(asked) ? asked : base}${target.startsWith("/") ? target : "/"}`;
    return new URL(URL.canParse(text) ? text : base);
  }

  /** Undefined where the parameters are wrong; the endpoint itself says so. */
  #pageOf(url: URL): PageRequest | undefined {
    try {
      return parsePage(url.searchParams, this.#parts.defaultLimit);
    } catch {
      return undefined;
    }
  }
}

/** Whether both the account and the API key permit it. */
function isPermitted({ account, accessLevel }: Principal, { path, accessLevel: needed = "READ" }: Operation): boolean {
  return !account.forbidden.has(path) && permits(accessLevel, needed);
}
