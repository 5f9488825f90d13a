import { describe, expect, test } from "vitest";
import { describeError } from "../../../src/errors/exporter-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { type Handler, type SeenRequest, sendError, sendJson, startApiServer } from "../support/api-server.ts";
import { rejection, testClient } from "../support/test-client.ts";

const PASSWORD = 'pass "word" 4711';
const MINUTE = 60_000;

interface SessionServer {
  readonly valid: Set<string>;
  lifetimeMs: number | undefined;
  onRenew: (token: string) => unknown;
  /** For an invalid token. */
  refusal: readonly [status: number, code: string, message: string] | undefined;
  onLogin: Handler | undefined;
}

/** Sessions by the specification, in manual time. */
async function sessionServer(lifetimeMs?: number) {
  const clock = new ManualClock();
  let opened = 0;
  const state: SessionServer = {
    valid: new Set(),
    lifetimeMs,
    onRenew: (token) => ({ token, ...expiry() }),
    onLogin: undefined,
    refusal: undefined,
  };
  const expiry = (): object =>
    state.lifetimeMs === undefined ? {} : { expires_at: new Date(clock.now() + state.lifetimeMs).toISOString() };
  const server = await startApiServer((request, response) => {
    const headers = { date: new Date(clock.now()).toUTCString() };
    const token = request.authorization?.replace("Bearer ", "") ?? "";
    const step = `${request.method} ${request.path}`;
    if (step === "POST /session") {
      if (state.onLogin !== undefined) return state.onLogin(request, response);
      const fresh = `token-${++opened}-SECRET`;
      state.valid.add(fresh);
      return sendJson(response, { token: fresh, ...expiry() }, { headers });
    }
    if (!state.valid.has(token)) {
      return sendError(response, ...(state.refusal ?? [401, "AUTH_FAILED", `no such token: ${token}`]), headers);
    }
    if (step === "GET /session") return sendJson(response, state.onRenew(token), { headers });
    if (step === "DELETE /session") return response.writeHead(204).end();
    return sendJson(response, { version: "25.1" }, { headers });
  });
  const auth = { kind: "login" as const, username: "exporter", password: async () => PASSWORD };
  const client = testClient(server.url, { auth, clock });
  const steps = (): string[] => server.requests.map((request: SeenRequest) => `${request.method} ${request.path}`);
  return { ...client, clock, server, state, steps };
}

describe("login", () => {
  test("sends user name and password once, then the token", async () => {
    const { api, server, steps } = await sessionServer();
    await Promise.all([api.version(never), api.version(never), api.version(never)]);
    expect(steps()).toEqual(["POST /session", "GET /version", "GET /version", "GET /version"]);
    expect(server.requests[0]).toMatchObject({ authorization: undefined });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({ username: "exporter", password: PASSWORD });
    expect(server.requests[1]?.authorization).toBe("Bearer token-1-SECRET");
  });

  test.each([
    { status: 401, code: "LOGIN_FAILED" },
    { status: 403, code: "AUTH_FAILED" },
    { status: 400, code: "BAD_REQUEST" },
  ])("fails with $status $code", async ({ status, code }) => {
    const { api, state } = await sessionServer();
    state.onLogin = (_request, response) => sendError(response, status, code, `wrong password ${PASSWORD}`);
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({
      code: "API_LOGIN_FAILED",
      httpStatus: status,
      requestId: "request-1",
      endpoint: "/session",
    });
    expect(describeError(error)).not.toContain("4711");
    expect(describeError(error)).toContain("auth.password_file");
  });

  test("waits longer after each rejection, to protect accounts from locks", async () => {
    const { api, state, steps, clock } = await sessionServer();
    state.onLogin = (_request, response) => sendError(response, 401, "LOGIN_FAILED");
    const attempt = async (): Promise<number> => {
      expect(await rejection(api.version(never))).toMatchObject({ code: "API_LOGIN_FAILED" });
      return steps().length;
    };
    expect(await attempt()).toBe(1);
    await clock.advance(29_999);
    expect(await attempt()).toBe(1);
    await clock.advance(1);
    expect(await attempt()).toBe(2);
    await clock.advance(59_999);
    expect(await attempt()).toBe(2);
    await clock.advance(1);
    expect(await attempt()).toBe(3);
  });

  test("retries immediately with another password", async () => {
    const { state, server } = await sessionServer();
    state.onLogin = ({ body }, response) => {
      if (!body.includes("right")) return sendError(response, 401, "LOGIN_FAILED");
      state.valid.add("token-of-the-right-one");
      return sendJson(response, { token: "token-of-the-right-one" });
    };
    let password = "wrong-password";
    const { api } = testClient(server.url, { auth: { kind: "login", username: "u", password: async () => password } });
    await rejection(api.version(never));
    password = "right-password";
    await api.version(never);
  });

  test.each([{ session: "open" }, { token: "" }, { token: null }, { token: "two words" }, []])(
    "fails if the answer is %j",
    async (answer) => {
      const { api, state } = await sessionServer();
      state.onLogin = (_request, response) => sendJson(response, answer);
      expect(await rejection(api.version(never))).toMatchObject({ code: "API_LOGIN_FAILED" });
    },
  );

  test("does not repeat within a request, because it is no GET", async () => {
    const { api, state, steps } = await sessionServer();
    state.onLogin = (_request, response) => sendError(response, 503, "SERVICE_UNAVAILABLE");
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_UNAVAILABLE" });
    expect(steps()).toEqual(["POST /session"]);
  });
});

test("a server without a login endpoint differs from one without lists", async () => {
  const { api, server } = await sessionServer();
  server.handle((_request, response) => sendError(response, 404, "NOT_FOUND"));
  expect(await rejection(api.nodes("sensor", {}, never))).toMatchObject({
    code: "API_NOT_FOUND",
    endpoint: "/session",
  });
  expect(await rejection(api.statusSummary(never))).toMatchObject({ code: "API_NOT_FOUND", endpoint: "/session" });
});

describe("renewal", () => {
  test("comes once for all before the token expires", async () => {
    const { api, steps, clock, server, state } = await sessionServer(60 * MINUTE);
    state.onRenew = () => {
      state.valid.add("token-renewed");
      return { token: "token-renewed", expires_at: new Date(clock.now() + 60 * MINUTE).toISOString() };
    };
    await api.version(never);
    await clock.advance(54 * MINUTE);
    await api.version(never);
    expect(steps()).toEqual(["POST /session", "GET /version", "GET /version"]);
    await clock.advance(2 * MINUTE);
    await Promise.all([api.version(never), api.version(never)]);
    expect(steps().slice(3)).toEqual(["GET /session", "GET /version", "GET /version"]);
    expect(server.requests.at(-1)?.authorization).toBe("Bearer token-renewed");
  });

  test("keeps the old token if the answer has only a later end", async () => {
    const { api, steps, clock, server, state } = await sessionServer(60 * MINUTE);
    state.onRenew = () => ({ expires_at: new Date(clock.now() + 60 * MINUTE).toISOString() });
    await api.version(never);
    await clock.advance(56 * MINUTE);
    await api.version(never);
    await clock.advance(30 * MINUTE);
    await api.version(never);
    expect(steps().slice(2)).toEqual(["GET /session", "GET /version", "GET /version"]);
    expect(server.requests.at(-1)?.authorization).toBe("Bearer token-1-SECRET");
  });

  test.each([
    { what: "nothing usable", answer: () => ({ status: "OK" }) },
    { what: "an end in the past", answer: () => ({ expires_at: "2001-01-01T00:00:00Z" }) },
    { what: "an invalid end", answer: () => ({ expires_at: "soon" }) },
  ])("leads to a new login with $what", async ({ answer }) => {
    const { api, steps, clock, server, state } = await sessionServer(60 * MINUTE);
    state.onRenew = answer;
    await api.version(never);
    await clock.advance(56 * MINUTE);
    await api.version(never);
    expect(steps().slice(2)).toEqual(["GET /session", "POST /session", "GET /version"]);
    expect(server.requests.at(-1)?.authorization).toBe("Bearer token-2-SECRET");
  });

  test("causes a new login if it fails", async () => {
    const { api, steps, clock, state, logged } = await sessionServer(60 * MINUTE);
    await api.version(never);
    state.valid.clear();
    await clock.advance(56 * MINUTE);
    await api.version(never);
    expect(steps().slice(2)).toEqual(["GET /session", "POST /session", "GET /version"]);
    expect(logged().filter(({ level }) => level === 30)).toMatchObject([
      {
        request_id: "request-1",
        err: expect.stringContaining("API_UNAUTHORIZED"),
        msg: "session not renewed: logging in again",
      },
    ]);
  });

  test("does not use an expired token", async () => {
    const { api, steps, clock } = await sessionServer(60 * MINUTE);
    await api.version(never);
    await clock.advance(61 * MINUTE);
    await api.version(never);
    expect(steps().slice(2)).toEqual(["POST /session", "GET /version"]);
  });

  test("waits for two thirds of the life of a short session", async () => {
    const { api, steps, clock } = await sessionServer(3 * MINUTE);
    await api.version(never);
    await clock.advance(MINUTE + 58_000);
    await api.version(never);
    expect(steps()).not.toContain("GET /session");
    await clock.advance(3_000);
    await api.version(never);
    expect(steps()).toContain("GET /session");
  });

  test("uses the server's clock, which can be hours off", async () => {
    const { api, steps, clock } = await sessionServer(60 * MINUTE);
    await api.version(never);
    clock.setWallClock(clock.now() + 5 * 60 * MINUTE);
    await api.version(never);
    expect(steps()).toEqual(["POST /session", "GET /version", "GET /version"]);
  });
});

describe("rejected token", () => {
  test("causes one login for all rejected requests and one repetition each", async () => {
    const { api, steps, state, recorded } = await sessionServer();
    await api.version(never);
    state.valid.clear();
    await Promise.all([api.version(never), api.version(never), api.version(never)]);
    const after = steps().slice(2);
    expect(after.filter((step) => step === "POST /session")).toHaveLength(1);
    expect(after.filter((step) => step === "GET /version")).toHaveLength(6);
    expect(recorded.retried).toEqual(["/version", "/version", "/version"]);
  });

  test("causes a login after a 400, as some servers send", async () => {
    const { api, steps, state } = await sessionServer();
    await api.version(never);
    state.valid.clear();
    state.refusal = [400, "BAD_REQUEST", "invalid session token or API token format"];
    await api.version(never);
    expect(steps()).toEqual(["POST /session", "GET /version", "GET /version", "POST /session", "GET /version"]);
  });

  test("fails for good after the login", async () => {
    const { api, steps, state } = await sessionServer();
    state.onLogin = (_request, response) => sendJson(response, { token: `token-${Math.random()}` });
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_UNAUTHORIZED" });
    expect(steps()).toEqual(["POST /session", "GET /version", "POST /session", "GET /version"]);
  });

  test("stays out of errors and logs, even if the server repeats it", async () => {
    const { api, state, logText } = await sessionServer();
    state.onLogin = (_request, response) => sendJson(response, { token: `token-SECRET-${Math.random()}` });
    const error = await rejection(api.version(never));
    expect(describeError(error)).toContain("no such token: [redacted]");
    expect(describeError(error) + logText()).not.toContain("SECRET");
  });
});

describe("close", () => {
  test("ends the session", async () => {
    const { api, steps, server } = await sessionServer();
    await api.version(never);
    await Promise.all([api.close(), api.close()]);
    expect(steps()).toEqual(["POST /session", "GET /version", "DELETE /session"]);
    expect(server.requests.at(-1)?.authorization).toBe("Bearer token-1-SECRET");
  });

  test("does nothing without a session", async () => {
    const { api, steps } = await sessionServer();
    await api.close();
    expect(steps()).toEqual([]);
  });

  test("ignores errors and an unreachable server", async () => {
    const refusing = await sessionServer();
    await refusing.api.version(never);
    refusing.server.handle((_request, response) => sendError(response, 400, "LOGOUT_FAILED"));
    await refusing.api.close();
    expect(refusing.steps().at(-1)).toBe("DELETE /session");
    expect(refusing.recorded.codes.at(-1)).toBe("/session 400");

    const gone = await sessionServer();
    await gone.api.version(never);
    await gone.server.close();
    await gone.api.close();
    expect(gone.recorded.codes).toHaveLength(3);
    expect(gone.recorded.codes.at(-1)).toMatch(/^\/session [a-z_]+$/);
  });

  test("ends the session of a login in progress, whose answer has the token", async () => {
    const { api, server, state, steps } = await sessionServer();
    const arrived = Promise.withResolvers<() => void>();
    state.onLogin = (_request, response) => {
      state.valid.add("token-late-SECRET");
      arrived.resolve(() => sendJson(response, { token: "token-late-SECRET" }));
    };
    const underWay = rejection(api.version(never));
    const answer = await arrived.promise;
    const closed = api.close();
    expect(await underWay).toMatchObject({ code: "API_SUSPENDED" });
    answer();
    await closed;
    expect(steps()).toEqual(["POST /session", "DELETE /session"]);
    expect(server.requests.at(-1)?.authorization).toBe("Bearer token-late-SECRET");
  });

  test("limits its wait for a hanging login", async () => {
    const { api, clock, state, steps } = await sessionServer();
    const arrived = Promise.withResolvers<void>();
    state.onLogin = () => arrived.resolve();
    const underWay = rejection(api.version(never));
    await arrived.promise;
    const closed = api.close();
    await underWay;
    await clock.sleeping((ms) => ms === 5_000);
    await clock.advance(5_000);
    await closed;
    expect(steps()).toEqual(["POST /session"]);
    expect(clock.pending).toEqual([]);
  });

  test("limits its wait for a hanging server", async () => {
    const { api, server, clock } = await sessionServer();
    await api.version(never);
    const arrived = Promise.withResolvers<string>();
    server.handle(({ method, path }) => arrived.resolve(`${method} ${path}`));
    const closed = api.close();
    expect(await arrived.promise).toBe("DELETE /session");
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    await clock.advance(4_999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closed;
    expect(clock.pending).toEqual([]);
  });

  test("aborts current requests and rejects new ones", async () => {
    const { api, server } = await sessionServer();
    await api.version(never);
    const seen = new Promise<void>((resolve) => {
      server.handle(({ method }, response) => (method === "DELETE" ? response.writeHead(204).end() : resolve()));
    });
    const underWay = rejection(api.version(never));
    await seen;
    await api.close();
    expect(await underWay).toMatchObject({ code: "API_SUSPENDED", message: "the client is closed" });
    expect(await rejection(api.health(never))).toMatchObject({ code: "API_SUSPENDED" });
    expect(server.requests.at(-1)?.method).toBe("DELETE");
  });
});
