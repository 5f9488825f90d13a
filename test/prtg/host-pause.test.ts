import { describe, expect, test, vi } from "vitest";
import { ServerAccesses } from "../../src/prtg/request/server-access.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { CREDENTIALS } from "../support/simulated-server.ts";
import { sendJson, startApiServer } from "./support/api-server.ts";
import { testClient } from "./support/test-client.ts";

const VERSION = { version: "26.1.1" };

/** Of one host: two keys and a login. */
async function setUp(status: number, retryAfter: (date: number) => string) {
  const clock = new ManualClock();
  const server = await startApiServer((_, response) => {
    const date = new Date(clock.now()).toUTCString();
    sendJson(response, {}, { status, headers: { date, "retry-after": retryAfter(clock.now()) } });
  });
  const accesses = new ServerAccesses();
  const shared = { accesses, clock, maxAttempts: 1, limits: { totalTimeoutMs: 20_000 } };
  const auth = { kind: "login", username: CREDENTIALS.username, password: async () => CREDENTIALS.password } as const;
  const one = testClient(server.url, { ...shared, name: "one", accessKey: "one" });
  const two = testClient(server.url, { ...shared, name: "two", accessKey: "two" });
  const login = testClient(server.url, { ...shared, name: "login", accessKey: "login", auth });
  return { clock, server, one, two, login, shared };
}

describe.each([
  { status: 429, how: "seconds", retryAfter: () => "300" },
  { status: 503, how: "a date", retryAfter: (now: number) => new Date(now + 300_000).toUTCString() },
])("host that answers $status and requests a pause in $how", ({ status, retryAfter }) => {
  test("gets no request from any entry until the end", async () => {
    const { clock, server, one, two, login, shared } = await setUp(status, retryAfter);
    await expect(one.api.version(never)).rejects.toMatchObject({ httpStatus: status });
    expect(server.requests).toHaveLength(1);
    const reloaded = testClient(server.url, { ...shared, name: "reloaded", accessKey: "other" });
    for (const { api } of [one, two, login, reloaded]) {
      await expect(api.version(never)).rejects.toMatchObject({ code: "API_RATE_LIMITED" });
      await expect(api.health(never)).rejects.toMatchObject({ code: "API_RATE_LIMITED" });
    }
    // Requests wait in the last 20 s.
    await clock.advance(290_000);
    server.handle((_, response) => sendJson(response, VERSION));
    const waiting = two.api.version(never);
    await clock.advance(9_000);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1_001);
    await waiting;
    expect(server.requests).toHaveLength(2);
  });
});

test("the end skips the session of a paused host and is not delayed", async () => {
  const { clock, server, one, login } = await setUp(429, () => "300");
  server.handle(({ path }, response) => sendJson(response, path.endsWith("/session") ? { token: "abc" } : VERSION));
  await login.api.version(never);
  server.handle((_, response) => sendJson(response, {}, { status: 429, headers: { "retry-after": "300" } }));
  await expect(one.api.version(never)).rejects.toMatchObject({ httpStatus: 429 });
  const seen = server.requests.length;
  await login.api.close();
  expect(server.requests).toHaveLength(seen);
  expect(clock.monotonic()).toBe(0);
});

test("a pause does not affect another host", async () => {
  const { one, shared } = await setUp(429, () => "300");
  await expect(one.api.version(never)).rejects.toMatchObject({ httpStatus: 429 });
  const other = await startApiServer((_, response) => sendJson(response, VERSION));
  await testClient(other.url, { ...shared, name: "other" }).api.version(never);
  await vi.waitFor(() => expect(other.requests).toHaveLength(1));
});
