import { describe, expect, test, vi } from "vitest";
import { describeError } from "../../../src/errors/exporter-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";
import { type ApiServer, sendError, sendJson, startApiServer } from "../support/api-server.ts";
import { recorder, rejection, testClient } from "../support/test-client.ts";

/** In turn, then 200. */
async function serverWith(
  ...statuses: { status: number; headers?: Record<string, string>; code?: string }[]
): Promise<ApiServer> {
  return await startApiServer((_request, response) => {
    const next = statuses.shift();
    if (next === undefined) sendJson(response, { version: "25.1" });
    else sendError(response, next.status, next.code ?? "UNKNOWN", "not now", next.headers);
  });
}

describe("retries", () => {
  test.each([502, 503, 504, 429])("%i gets three attempts", async (status) => {
    const server = await serverWith({ status }, { status });
    const { api, recorded } = testClient(server.url);
    expect((await api.version(never)).get("version")).toBe("25.1");
    expect(server.requests).toHaveLength(3);
    expect(recorded.retried).toEqual(["/version", "/version"]);
    expect(recorded.codes).toEqual([`/version ${status}`, `/version ${status}`, "/version 200"]);
  });

  test("500 gets two attempts", async () => {
    const server = await serverWith({ status: 500 }, { status: 500 }, { status: 500 });
    const error = await rejection(testClient(server.url).api.version(never));
    expect(error).toMatchObject({ code: "API_SERVER_ERROR" });
    expect(server.requests).toHaveLength(2);
  });

  test.each([400, 401, 403, 404, 408])("%i gets one attempt", async (status) => {
    const server = await serverWith({ status });
    await rejection(testClient(server.url).api.version(never));
    expect(server.requests).toHaveLength(1);
  });

  test("a bug of the exporter gets one attempt, and stays what it is", async () => {
    const server = await serverWith({ status: 200 });
    const bug = new TypeError("a bug");
    const { observer, recorded } = recorder();
    const broken = Object.assign(observer, {
      requestStarted: () => {
        throw bug;
      },
    });
    const { api } = testClient(server.url, { observer: broken });
    expect(await rejection(api.version(never))).toBe(bug);
    expect([server.requests.length, recorded.retried]).toEqual([0, []]);
  });

  test("a cut connection gets another attempt", async () => {
    let cuts = 2;
    const server = await startApiServer(({ headers }, response) => {
      if (cuts-- > 0) response.socket?.destroy();
      else sendJson(response, { version: headers.host });
    });
    expect(await testClient(server.url).api.version(never)).toEqual(new Map([["version", `127.0.0.1:${server.port}`]]));
    expect(server.requests).toHaveLength(3);
  });

  test("respect the configured maximum", async () => {
    const server = await serverWith({ status: 503 }, { status: 503 });
    const error = await rejection(testClient(server.url, { maxAttempts: 1 }).api.version(never));
    expect(error).toMatchObject({ code: "API_UNAVAILABLE" });
    expect(server.requests).toHaveLength(1);
  });

  test("wait for a growing random time", async () => {
    const clock = new ManualClock();
    const server = await serverWith({ status: 503 }, { status: 503 });
    const { api } = testClient(server.url, { clock, random: () => 0.5 });
    const answer = api.version(never);
    expect(await clock.sleeping((ms) => ms < 1_000)).toBe(250);
    await clock.advance(250);
    expect(await clock.sleeping((ms) => ms < 1_000)).toBe(500);
    await clock.advance(500);
    await answer;
    expect(clock.pending).toEqual([]);
  });

  test.each([
    { header: "retry-after", value: "7" },
    { header: "wait-for", value: "7" },
    { header: "retry-after", value: new Date(Date.UTC(2026, 0, 15, 12, 0, 7)).toUTCString() },
  ])("respect $header: $value", async ({ header, value }) => {
    const clock = new ManualClock(Date.UTC(2026, 0, 15, 12));
    const date = new Date(clock.now()).toUTCString();
    const server = await serverWith({ status: 429, headers: { [header]: value, date } });
    const { api } = testClient(server.url, { clock });
    const answer = api.version(never);
    expect(await clock.sleeping((ms) => ms < 20_000 && ms > 5_000)).toBe(7_000);
    await clock.advance(6_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await answer;
    expect(server.requests).toHaveLength(2);
  });

  test("end if the requested pause exceeds the total deadline, and other requests wait", async () => {
    const clock = new ManualClock();
    const server = await serverWith({ status: 429, headers: { "retry-after": "300" } });
    const { api } = testClient(server.url, { clock, limits: { totalTimeoutMs: 60_000 } });
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_RATE_LIMITED", retryAfterMs: 300_000 });
    const held = await rejection(api.nodes("probe", {}, never));
    expect(held).toMatchObject({ code: "API_RATE_LIMITED" });
    expect(held.message).toBe("/experimental/probes: backing off for 300 s, as the server asked");
    expect(server.requests).toHaveLength(1);
    await clock.advance(300_000);
    await api.version(never);
    expect(server.requests).toHaveLength(2);
  });

  test("are a small share of all requests", async () => {
    const server = await startApiServer((_request, response) => {
      if (server.requests.length % 2 === 1) sendError(response, 500, "INTERNAL_ERROR");
      else sendJson(response, { version: "25.1" });
    });
    const { api, recorded } = testClient(server.url);
    let failed = 0;
    for (let count = 0; count < 60; count++) await api.version(never).catch(() => failed++);
    // Ten at first, plus one per five successes.
    expect(recorded.retried.length).toBeLessThanOrEqual(10 + (60 - failed) / 5);
    expect(recorded.retried.length).toBeGreaterThanOrEqual(10);
    expect(failed).toBeGreaterThan(0);
  });

  test("end if the next one exceeds the total deadline", async () => {
    const clock = new ManualClock();
    const server = await serverWith(
      ...Array.from({ length: 9 }, () => ({ status: 503, headers: { "retry-after": "15" } })),
    );
    const { api } = testClient(server.url, { clock, limits: { totalTimeoutMs: 20_000 } });
    const failed = rejection(api.version(never));
    await clock.sleeping((ms) => ms === 15_000);
    await clock.advance(15_000);
    const error = await failed;
    expect(error).toMatchObject({ code: "API_UNAVAILABLE" });
    expect(server.requests).toHaveLength(2);
  });
});

describe("breaker of the server", () => {
  async function failingServer(status = 503) {
    const clock = new ManualClock();
    const state = { down: true, health: 204 };
    const server = await startApiServer(({ path }, response) => {
      if (path === "/health")
        return state.down ? sendError(response, 503, "SERVICE_UNAVAILABLE") : response.writeHead(state.health).end();
      return state.down ? sendError(response, status, "SERVICE_UNAVAILABLE") : sendJson(response, { version: "25.1" });
    });
    const client = testClient(server.url, { clock });
    const open = async (): Promise<void> => {
      await rejection(client.api.version(never));
      await rejection(client.api.version(never));
    };
    const paths = (): string[] => server.requests.map(({ path }) => path);
    return { ...client, clock, server, state, open, paths };
  }

  test("opens after five consecutive failures and blocks all requests", async () => {
    const { api, open, paths, recorded } = await failingServer();
    await open();
    expect(paths()).toHaveLength(5);
    expect(recorded.breaker).toEqual([true]);
    const error = await rejection(api.nodes("sensor", {}, never));
    expect(error).toMatchObject({ code: "API_SUSPENDED", endpoint: "/experimental/sensors", requestId: "request-1" });
    expect(describeError(error)).toMatch(
      /^\/experimental\/sensors: backing off for 5 s after repeated failures: \/version: HTTP 503 .*core server service runs/,
    );
    expect(paths()).toHaveLength(5);
  });

  test("opens without a connection", async () => {
    const { open, recorded, server } = await failingServer();
    await server.close();
    await open();
    expect(recorded.breaker).toEqual([true]);
    expect(recorded.codes).toEqual(Array(5).fill("/version connection"));
  });

  test("opens for an untrusted certificate and keeps its error", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, {}), "prtg.example.com");
    const { api, recorded } = testClient(server.url);
    for (let count = 0; count < 5; count++) await rejection(api.version(never));
    expect(recorded.breaker).toEqual([true]);
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "API_SUSPENDED" });
    expect(describeError(error)).toMatch(/self-signed.*tls\.ca_file/);
  });

  test("checks /health once for all after its time, and closes on success", async () => {
    const { api, open, paths, recorded, clock, state } = await failingServer();
    await open();
    state.down = false;
    await clock.advance(5_000);
    await Promise.all([api.version(never), api.version(never), api.version(never)]);
    expect(paths().slice(5)).toEqual(["/health", "/version", "/version", "/version"]);
    expect(recorded.breaker).toEqual([true, false]);
  });

  test("stays open longer when /health fails", async () => {
    const { api, open, paths, recorded, clock } = await failingServer();
    await open();
    await clock.advance(5_000);
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_UNAVAILABLE", endpoint: "/health" });
    await clock.advance(9_999);
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_SUSPENDED" });
    expect(paths().slice(5)).toEqual(["/health"]);
    await clock.advance(1);
    await rejection(api.version(never));
    expect(paths().slice(5)).toEqual(["/health", "/health"]);
    expect(recorded.breaker).toEqual([true]);
  });

  test("closes on any answer of /health that shows a working server", async () => {
    const { api, open, clock, state } = await failingServer();
    await open();
    state.down = false;
    state.health = 404;
    await clock.advance(5_000);
    expect((await api.version(never)).get("version")).toBe("25.1");
  });

  test("always permits health(), whose success closes it", async () => {
    const { api, open, paths, recorded, state } = await failingServer();
    await open();
    expect(await rejection(api.health(never))).toMatchObject({ code: "API_UNAVAILABLE" });
    expect(paths().slice(5)).toEqual(["/health"]);
    state.down = false;
    await api.health(never);
    expect(recorded.breaker).toEqual([true, false]);
    await api.version(never);
  });

  test("stays open if the probe reaches its deadline", async () => {
    const { api, open, clock, server, recorded } = await failingServer();
    await open();
    server.handle(() => undefined);
    await clock.advance(5_000);
    const failed = rejection(api.version(never));
    await clock.sleeping((ms) => ms === 5_000);
    await clock.advance(5_000);
    expect(await failed).toMatchObject({ code: "API_TIMEOUT", endpoint: "/health" });
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_SUSPENDED" });
    expect(recorded.breaker).toEqual([true]);
  });
});

describe("breaker of an endpoint", () => {
  test.each([
    { what: "500", answer: { status: 500, type: "application/json", body: "{}" } },
    { what: "pages", answer: { status: 200, type: "text/html", body: "<html>" } },
  ])("opens after $what and does not affect other endpoints", async ({ answer }) => {
    const clock = new ManualClock();
    const server = await startApiServer(({ path }, response) => {
      if (path === "/version") return sendJson(response, { version: "25.1" });
      response.writeHead(answer.status, { "content-type": answer.type });
      return response.end(answer.body);
    });
    const { api, recorded } = testClient(server.url, { clock });
    await rejection(api.channels({}, never));
    await rejection(api.channels({}, never));
    expect(server.requests).toHaveLength(3);
    const error = await rejection(api.channels({}, never));
    expect(error).toMatchObject({ code: "API_SUSPENDED", endpoint: "/experimental/channels" });
    expect(error.message).toContain("backing off for 10 s");
    expect(server.requests).toHaveLength(3);
    await api.version(never);
    expect(recorded.breaker).toEqual([]);
    await clock.advance(10_000);
    await rejection(api.channels({}, never));
    expect(server.requests).toHaveLength(5);
    expect(await rejection(api.channels({}, never))).toMatchObject({
      message: expect.stringContaining("backing off for 20 s"),
    });
  });

  test("opens after timeouts", async () => {
    const clock = new ManualClock();
    const server = await startApiServer(() => undefined);
    const { api } = testClient(server.url, { clock });
    // Three attempts: a list retries with smaller pages.
    const failed = rejection(api.channels({}, never));
    for (let attempt = 1; attempt <= 3; attempt++) {
      // The deadline starts before the request is sent.
      await vi.waitFor(() => expect(server.requests).toHaveLength(attempt), { timeout: 20_000, interval: 5 });
      await clock.sleeping((ms) => ms === 5_000);
      await clock.advance(5_000);
    }
    expect(await failed).toMatchObject({ code: "API_TIMEOUT" });
    expect(server.requests.map(({ query }) => query.get("limit"))).toEqual(["3000", "1500", "750"]);
    expect(await rejection(api.channels({}, never))).toMatchObject({ code: "API_SUSPENDED" });
  });

  test("ignores answers that are not failures of the endpoint", async () => {
    const server = await startApiServer((_request, response) => sendError(response, 403, "FORBIDDEN"));
    const { api } = testClient(server.url);
    for (let count = 0; count < 8; count++) {
      expect(await rejection(api.channels({}, never))).toMatchObject({ code: "API_FORBIDDEN" });
    }
  });
});

describe("request budget", () => {
  test("limits concurrent requests of the server, including logins and health", async () => {
    let inFlight = 0;
    let most = 0;
    const server = await startApiServer(async ({ path, method }, response) => {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inFlight--;
      if (path === "/session" && method === "POST") return sendJson(response, { token: "token-1-SECRET" });
      if (path === "/health" || path === "/session") return response.writeHead(204).end();
      return sendJson(response, path.startsWith("/experimental") ? [] : { version: "25.1" });
    });
    const auth = { kind: "login" as const, username: "u", password: async () => "password" };
    const { api, recorded } = testClient(server.url, { auth, limits: { concurrency: 2 } });
    const kinds = ["probe", "group", "device", "sensor"] as const;
    await Promise.all([
      ...kinds.map((kind) => api.nodes(kind, {}, never)),
      api.channels({}, never),
      ...Array.from({ length: 5 }, () => api.health(never)),
      ...Array.from({ length: 5 }, () => api.version(never)),
    ]);
    expect(most).toBe(2);
    expect(recorded.mostInFlight).toBe(2);
    expect(recorded.inFlight).toBe(0);
    expect(server.requests).toHaveLength(16);
  });

  test("ends a wait at the total deadline", async () => {
    const clock = new ManualClock();
    const server = await startApiServer(() => undefined);
    const { api, recorded } = testClient(server.url, {
      clock,
      limits: { concurrency: 1, timeoutMs: 10_000, totalTimeoutMs: 8_000 },
    });
    const first = rejection(api.version(never));
    await clock.sleeping((ms) => ms === 10_000);
    await clock.advance(4_000);
    const second = rejection(api.version(never));
    await clock.advance(4_000);
    expect(await first).toMatchObject({ code: "API_TIMEOUT" });
    await clock.advance(4_000);
    expect(await second).toMatchObject({ code: "API_TIMEOUT" });
    expect(recorded.inFlight).toBe(0);
  });
});
