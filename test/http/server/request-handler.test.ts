import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Compare, PasswordChecker } from "../../../src/http/auth/basic-auth.ts";
import { PLAIN_HTTP } from "../../../src/http/server/connection-handler.ts";
import {
  createRequestPlaces,
  RequestHandler,
  type RequestHandlerOptions,
  type RequestKind,
  type TakePlace,
} from "../../../src/http/server/request-handler.ts";
import { type Route, type RouteHandler, respondText } from "../../../src/http/server/responses.ts";
import type { WebConfig } from "../../../src/http/web-config/load.ts";
import { ALICE, CAROL } from "../web-config/cases.ts";

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Credentials. */
  readonly as?: readonly [name: string, password: string];
}

const page =
  (text: string): RouteHandler =>
  (_request, response) =>
    respondText(response, 200, text);

const ROUTES = new Map<string, Route>([
  ["/post", { maxBytes: 10, post: async (_request, response, body) => respondText(response, 200, body.toString()) }],
  ["/metrics", page("metrics")],
  ["/metrics/hq", page("metrics of hq")],
  ["/", page("status")],
  ["/-/ready", page("ready")],
  ["/broken", () => Promise.reject(new Error("broken"))],
  ["/echo", (incoming, response) => respondText(response, 200, incoming.url ?? "")],
]);
const PASSWORDS: Readonly<Record<string, string>> = { [ALICE]: "wonderland", [CAROL]: "lewis" };

/** One handler behind a server of Node.js, with a clock that stands still. */
async function handling(config: Partial<WebConfig> = {}, more: Partial<RequestHandlerOptions> = {}) {
  const clock = { now: 0 };
  const rejected: string[] = [];
  const lines: { readonly msg: string; readonly path?: string }[] = [];
  const compare = vi.fn<Compare>(async ({ hash, password }) => PASSWORDS[hash] === password);
  let completed = 0;
  const handler = new RequestHandler(
    {
      ...{ routes: ROUTES, maxRequests: 40, telemetryPath: "/metrics", now: () => clock.now },
      passwords: new PasswordChecker(compare),
      log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }),
      rejected: (reason, address) => void rejected.push(`${reason} ${address}`),
      ...more,
    },
    { ...PLAIN_HTTP, ...config },
  );
  const server = createServer((incoming, response) => void handler.answer(incoming, response, () => completed++));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string, { method = "GET", headers, body, as }: Question = {}): Promise<Answer> => {
    const authorization = as && `Basic ${Buffer.from(as.join(":")).toString("base64")}`;
    const outgoing = request({
      ...{ port, host: "127.0.0.1", path, method },
      headers: { ...headers, ...(authorization && { authorization }) },
    });
    outgoing.on("error", () => undefined);
    const [response] = await once(body === undefined ? outgoing.end() : outgoing.end(body), "response");
    let text = "";
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode, headers: response.headers, text };
  };
  const use = (changed: Partial<WebConfig>) => handler.use({ ...PLAIN_HTTP, ...changed });
  return { ask, use, clock, rejected, lines, compare, completed: () => completed };
}

const USERS = { users: new Map([["alice", ALICE]]) };
const ALICE_IN = { as: ["alice", "wonderland"] } as const;

describe("users", () => {
  test.each<{ as: Question["as"]; status: number }>([
    { as: undefined, status: 401 },
    { as: ["alice", "wonderland"], status: 200 },
    { as: ["alice", "lewis"], status: 401 },
    { as: ["carol", "lewis"], status: 401 },
  ])("get $status with $as", async ({ as, status }) => {
    const { ask, rejected } = await handling(USERS);
    const answer = await ask("/metrics", as && { as });
    expect(answer.status).toBe(status);
    expect(answer.headers["www-authenticate"]).toBe(
      status === 401 ? 'Basic realm="prtg-exporter", charset="UTF-8"' : undefined,
    );
    expect(rejected).toEqual(status === 401 ? ["unauthorized 127.0.0.1"] : []);
  });

  test("need a password also for pages that do not exist", async () => {
    const { ask } = await handling(USERS);
    expect((await ask("/nothing")).status).toBe(401);
    expect((await ask("/nothing", ALICE_IN)).status).toBe(404);
  });

  test("need no password without users", async () => {
    const { ask, compare } = await handling();
    expect((await ask("/metrics", { as: ["mallory", "x"] })).status).toBe(200);
    expect(compare).not.toHaveBeenCalled();
  });

  test("get 503 if too many password checks wait", async () => {
    const never: Compare = () => new Promise(() => undefined);
    const passwords = new PasswordChecker(never);
    for (let guess = 0; guess < 16; guess++) void passwords.check(USERS.users, "alice", `${guess}`, "127.0.0.1");
    const { ask, rejected } = await handling(USERS, { passwords });
    const { status, headers } = await ask("/metrics", ALICE_IN);
    expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    expect(rejected).toEqual(["password_checks 127.0.0.1"]);
  });

  test("are checked again only after a change of the users", async () => {
    const { ask, use, compare } = await handling(USERS);
    await ask("/metrics", ALICE_IN);
    use({ ...USERS, headers: [["X-Frame-Options", "deny"]] });
    await ask("/metrics", ALICE_IN);
    expect(compare).toHaveBeenCalledTimes(1);
    use({ users: new Map([...USERS.users, ["carol", CAROL]]) });
    expect((await ask("/metrics", ALICE_IN)).status).toBe(200);
    expect(compare).toHaveBeenCalledTimes(2);
  });
});

describe("users with limited access", () => {
  const mine = new Map([["/metrics/hq", page("metrics of hq")]]);
  const actions = new Map([["/-/reload", page("reloaded")]]);
  const users = new Map([...USERS.users, ["carol", CAROL]]);
  const restricted = (user: string | undefined) => (user === "carol" ? mine : undefined);
  const CAROL_IN = { as: ["carol", "lewis"] } as const;

  test("get their own pages and 403 elsewhere", async () => {
    const { ask } = await handling({ users }, { restricted, actions });
    expect((await ask("/metrics/hq", CAROL_IN)).status).toBe(200);
    for (const path of ["/metrics", "/", "/nothing"]) {
      const { status, text } = await ask(path, CAROL_IN);
      expect([status, text]).toEqual([403, "This user has access only to the pages and metrics of some servers.\n"]);
    }
    expect((await ask("/-/reload", { ...CAROL_IN, method: "POST" })).status).toBe(403);
    expect((await ask("/-/reload", { ...ALICE_IN, method: "POST" })).status).toBe(200);
  });

  test("get 403 if nobody has a password", async () => {
    const { ask } = await handling({}, { restricted: () => new Map() });
    const { status, text } = await ask("/metrics");
    expect([status, text]).toEqual([403, expect.stringContaining("--web.config.file has no basic_auth_users")]);
  });
});

describe("rate limit", () => {
  const limit = (intervalMs: number, burst: number) => ({ rateLimit: { intervalMs, burst } });

  test("answers the burst, then 429 until the next token", async () => {
    const { ask, clock, rejected, completed } = await handling(limit(2_500, 2));
    const statuses = async () => [(await ask("/metrics")).status, (await ask("/metrics")).status];
    expect(await statuses()).toEqual([200, 200]);
    const { status, headers, text } = await ask("/metrics");
    expect([status, headers["retry-after"], text]).toEqual([429, "3", "Too many requests. Retry later.\n"]);
    clock.now += 2_500;
    expect(await statuses()).toEqual([200, 429]);
    expect(rejected).toEqual(["rate_limit 127.0.0.1", "rate_limit 127.0.0.1"]);
    expect(completed()).toBe(3);
  });

  test.each([
    { intervalMs: 5, expected: "1" },
    { intervalMs: 1_001, expected: "2" },
    { intervalMs: 100_000_000, expected: "3600" },
  ])("asks to wait at least a second and at most an hour: $intervalMs ms", async ({ intervalMs, expected }) => {
    const { ask } = await handling(limit(intervalMs, 0));
    expect((await ask("/metrics")).headers["retry-after"]).toBe(expected);
  });

  test("starts over only if it changes", async () => {
    const { ask, use } = await handling(limit(1_000, 1));
    await ask("/metrics");
    use({ ...limit(1_000, 1), headers: [["X-Frame-Options", "deny"]] });
    expect((await ask("/metrics")).status).toBe(429);
    use(limit(1_000, 2));
    expect((await ask("/metrics")).status).toBe(200);
    use({});
    for (let times = 0; times < 3; times++) expect((await ask("/metrics")).status).toBe(200);
  });
});

describe("requests", () => {
  test("get the configured headers and nosniff with each answer", async () => {
    const { ask } = await handling({ headers: [["X-Frame-Options", "sameorigin"]], ...USERS });
    for (const path of ["/metrics", "/nothing"]) {
      const { headers } = await ask(path);
      expect([headers["x-content-type-options"], headers["x-frame-options"]]).toEqual(["nosniff", "sameorigin"]);
    }
  });

  test.each([
    { path: "/nothing", method: "GET", status: 404, allow: undefined },
    { path: "/metrics?a=b", method: "GET", status: 200, allow: undefined },
    { path: "/metrics", method: "HEAD", status: 200, allow: undefined },
    { path: "/metrics", method: "POST", status: 405, allow: "GET, HEAD" },
    { path: "/-/reload", method: "POST", status: 200, allow: undefined },
    { path: "/-/reload", method: "GET", status: 405, allow: "POST" },
  ])("$method $path gets $status", async ({ path, method, status, allow }) => {
    const actions = new Map([["/-/reload", page("reloaded")]]);
    const { ask } = await handling({}, { actions });
    const answer = await ask(path, { method });
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
  });

  test.each([
    ["http://prtg.example.com:9705/echo?a=b", "/echo?a=b"],
    ["HTTPS://x/echo", "/echo"],
    ["/echo?url=http://x/y", "/echo?url=http://x/y"],
  ])("of %s have the path %s", async (path, expected) => {
    const { ask } = await handling();
    expect((await ask(path)).text).toBe(expected);
  });

  test("of an absolute URL without a path get the page at /", async () => {
    const { ask } = await handling();
    expect((await ask("http://prtg.example.com")).text).toBe("status");
  });

  test("with a body get 200 up to a megabyte and 413 beyond it", async () => {
    const { ask, rejected } = await handling();
    const sized = (bytes: number) => ({ body: "x".repeat(bytes), headers: { "content-length": `${bytes}` } });
    expect((await ask("/metrics", sized(0))).status).toBe(200);
    expect((await ask("/metrics", sized(2 ** 20))).status).toBe(200);
    expect(rejected).toEqual([]);
    const { status, headers } = await ask("/metrics", sized(2 ** 20 + 1));
    expect([status, headers.connection]).toEqual([413, "close"]);
    const chunked = await ask("/metrics", {
      body: "x".repeat(2 ** 20 + 1),
      headers: { "transfer-encoding": "chunked" },
    });
    expect(chunked.status).toBe(413);
    expect(rejected).toEqual(["body 127.0.0.1", "body 127.0.0.1"]);
  });

  test("post a body up to the maximum of their path, also with an absolute URL or in parts", async () => {
    const { ask, completed } = await handling();
    const post = (path: string, body: string, headers = {}) => ask(path, { method: "POST", body, headers });
    expect((await post("/post", "ten bytes.")).text).toBe("ten bytes.");
    expect((await post("http://exporter.example.com/post", "absolute")).text).toBe("absolute");
    expect((await post("/post", "parts", { "transfer-encoding": "chunked" })).text).toBe("parts");
    expect((await post("/post", "")).text).toBe("");
    expect(completed()).toBe(4);
  });

  test("get 413 for a body above the maximum of their path", async () => {
    const { ask, rejected } = await handling();
    const post = (headers: Readonly<Record<string, string>>) =>
      ask("/post", { method: "POST", body: "eleven byte", headers });
    for (const headers of [{ "content-length": "11" }, { "transfer-encoding": "chunked" }]) {
      const { status, text } = await post(headers as Readonly<Record<string, string>>);
      expect([status, text]).toEqual([413, "The request body is too large. The maximum is 10 bytes.\n"]);
    }
    expect(rejected).toEqual(["body 127.0.0.1", "body 127.0.0.1"]);
  });

  test("get 405 for another method than POST on a path that takes bodies", async () => {
    const { ask } = await handling();
    for (const method of ["GET", "HEAD", "DELETE", "PUT"]) {
      const { status, headers } = await ask("/post", { method });
      expect([method, status, headers.allow]).toEqual([method, 405, "POST"]);
    }
  });

  test("post no body without a password", async () => {
    const { ask } = await handling(USERS);
    const body = "ten bytes.";
    expect((await ask("/post", { method: "POST", body })).status).toBe(401);
    expect((await ask("/post", { method: "POST", body, ...ALICE_IN })).text).toBe(body);
  });

  test("that fail get 500 and a log line without the query", async () => {
    const { ask, lines } = await handling();
    expect((await ask("/broken?token=secret")).status).toBe(500);
    expect(lines).toMatchObject([{ path: "/broken", msg: "request to the exporter failed" }]);
  });

  test("beyond the limit get 503, apart from probes, and scrapes have reserved places", async () => {
    const held: (() => void)[] = [];
    const hold: RouteHandler = (_incoming, response) => void held.push(() => respondText(response, 200, "late"));
    const routes = new Map([...ROUTES, ["/page", hold], ["/metrics/slow", hold]]);
    const { ask, rejected } = await handling({}, { routes, maxRequests: 2 });
    const first = ask("/page");
    await vi.waitFor(() => expect(held).toHaveLength(1));
    expect((await ask("/")).status).toBe(503);
    const second = ask("/metrics/slow");
    await vi.waitFor(() => expect(held).toHaveLength(2));
    expect([(await ask("/metrics")).status, (await ask("/-/ready")).status]).toEqual([503, 200]);
    for (const release of held) release();
    expect([(await first).text, (await second).text]).toEqual(["late", "late"]);
    expect((await ask("/")).status).toBe(200);
    expect(rejected).toEqual(["requests 127.0.0.1", "requests 127.0.0.1"]);
  });
});

function take(places: TakePlace, kind: RequestKind, wanted = 100): number {
  return Array.from({ length: wanted }, () => places(kind)).filter((free) => free !== undefined).length;
}

describe("places of requests", () => {
  test("reserve a quarter for scrapes", () => {
    const places = createRequestPlaces(40);
    expect(take(places, "page")).toBe(30);
    expect(take(places, "scrape")).toBe(10);
    expect(take(places, "scrape")).toBe(0);
  });

  test("are all available to scrapes", () => {
    const places = createRequestPlaces(40);
    expect(take(places, "scrape")).toBe(40);
    expect(take(places, "page")).toBe(0);
  });

  test("always include one for probes, and separate ones for actions", () => {
    const places = createRequestPlaces(4);
    expect(take(places, "action")).toBe(8);
    expect(take(places, "scrape")).toBe(4);
    expect(take(places, "probe")).toBe(100);
    expect(createRequestPlaces(4)("action")).toBeDefined();
  });

  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [5, 3],
  ])("give pages, of %i, %i", (max, pages) => {
    expect(take(createRequestPlaces(max), "page")).toBe(pages);
  });

  test("are unlimited with 0", () => {
    for (const kind of ["page", "scrape", "action", "probe"] as const) {
      expect(take(createRequestPlaces(0), kind)).toBe(100);
    }
  });

  test("become free once, even if an answer ends repeatedly", () => {
    const places = createRequestPlaces(2);
    const over = places("page");
    over?.();
    over?.();
    expect(take(places, "page")).toBe(1);
    expect(take(places, "scrape")).toBe(1);
  });
});
