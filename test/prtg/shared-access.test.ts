import { describe, expect, test, vi } from "vitest";
import { ServerAccesses } from "../../src/prtg/request/server-access.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { sendJson, startApiServer } from "./support/api-server.ts";
import { testClient } from "./support/test-client.ts";

const VERSION = { version: "26.1.1" };

/** Clients of one simulator. Default: same login. */
async function setUp() {
  const simulator = await simulateServer();
  const accesses = new ServerAccesses();
  const auth = {
    kind: "login",
    username: CREDENTIALS.username,
    password: async () => CREDENTIALS.password,
  } as const;
  let count = 0;
  const client = (overrides: Parameters<typeof testClient>[1] = {}) =>
    testClient(simulator.url, { auth, accesses, accessKey: "same", name: `entry-${count++}`, ...overrides });
  const sessions = () => ({
    opened: simulator.requests.count({ method: "POST", route: "/session" }),
    ended: simulator.requests.count({ method: "DELETE", route: "/session" }),
  });
  return { simulator, client, sessions };
}

describe("clients of one server with one login", () => {
  test("log in once, and the last closed one ends the session", async () => {
    const { client, sessions } = await setUp();
    const [first, second] = [client(), client()];
    await Promise.all([first.api.version(never), second.api.version(never)]);
    expect(sessions()).toEqual({ opened: 1, ended: 0 });
    await first.api.close();
    await second.api.version(never);
    expect(sessions()).toEqual({ opened: 1, ended: 0 });
    // Another client uses the existing session.
    const third = client();
    await second.api.close();
    await third.api.version(never);
    await third.api.close();
    expect(sessions()).toEqual({ opened: 1, ended: 1 });
    await client().api.version(never);
    expect(sessions()).toEqual({ opened: 2, ended: 1 });
  });

  test("stay separate with different credentials or without a key", async () => {
    const { client, sessions } = await setUp();
    for (const accessKey of ["same", "other", undefined, undefined]) await client({ accessKey }).api.version(never);
    expect(sessions()).toEqual({ opened: 4, ended: 0 });
  });

  test("start again if a single one returns with other limits", async () => {
    const { client, sessions } = await setUp();
    const before = client({ name: "hq" });
    await before.api.version(never);
    const after = client({ name: "hq" });
    await before.api.close();
    await after.api.version(never);
    expect(sessions()).toEqual({ opened: 2, ended: 1 });
    const other = client({ name: "lima" });
    await client({ name: "hq" }).api.version(never);
    await after.api.close();
    await other.api.version(never);
    expect(sessions()).toEqual({ opened: 2, ended: 1 });
  });

  test("share a budget with the strictest limits while that client exists", async () => {
    const { client } = await setUp();
    const wide = client({ limits: { concurrency: 8 } });
    const narrow = client({ limits: { concurrency: 1 } });
    await wide.api.version(never);
    const busy = () => wide.recorded.inFlight + narrow.recorded.inFlight;
    let most = 0;
    const ask = async (all: readonly (typeof wide)[]) => {
      most = 0;
      const timer = setInterval(() => (most = Math.max(most, busy())), 0);
      await Promise.all(all.flatMap(({ api }) => Array.from({ length: 6 }, () => api.version(never))));
      clearInterval(timer);
      return Math.max(most, ...all.map(({ recorded }) => recorded.mostInFlight));
    };
    expect(await ask([wide, narrow])).toBe(1);
    await narrow.api.close();
    expect(await ask([wide])).toBeGreaterThan(1);
  });

  test("share the lowest request rate", async () => {
    const clock = new ManualClock();
    const server = await startApiServer((_, response) => sendJson(response, VERSION));
    const shared = { accesses: new ServerAccesses(), accessKey: "same", clock };
    const fast = testClient(server.url, { ...shared, name: "fast" });
    testClient(server.url, { ...shared, name: "slow", limits: { requestsPerSecond: 1 } });
    await fast.api.version(never);
    const next = fast.api.version(never);
    await clock.advance(999);
    expect([fast.recorded.inFlight, fast.recorded.codes]).toEqual([0, ["/version 200"]]);
    await clock.advance(1);
    await next;
  });

  test("learn of their own requests, and together of an outage", async () => {
    const { simulator, client } = await setUp();
    const [first, second] = [client(), client()];
    await first.api.version(never);
    expect(second.recorded.codes).toEqual([]);
    await second.api.version(never);
    expect(first.recorded.codes).toEqual(["/session 200", "/version 200"]);
    expect(second.recorded.codes).toEqual(["/version 200"]);
    await simulator.close();
    for (let attempt = 0; attempt < 5; attempt++) await first.api.version(never).catch(() => undefined);
    expect([first.recorded.breaker, second.recorded.breaker]).toEqual([[true], [true]]);
    await expect(second.api.version(never)).rejects.toMatchObject({ code: "API_SUSPENDED" });
    // A later client also gets the state.
    expect(client().recorded.breaker).toEqual([true]);
  });

  test("abort only their own requests when they close", async () => {
    const { client } = await setUp();
    const [first, second] = [client(), client()];
    await first.api.version(never);
    const [ended, going] = [first.api.version(never), second.api.version(never)];
    await first.api.close();
    await expect(ended).rejects.toThrow();
    await going;
    await expect(first.api.version(never)).rejects.toThrow();
    expect(first.recorded.inFlight).toBe(0);
  });

  test("read the secret of a current client, because the file of a closed one can be gone", async () => {
    const { client, sessions } = await setUp();
    const gone = async () => {
      throw new Error("no such file");
    };
    const first = client({ auth: { kind: "login", username: CREDENTIALS.username, password: gone } });
    const second = client();
    await first.api.close();
    await second.api.version(never);
    expect(sessions().opened).toBe(1);
  });

  test("have connections for the current budget, also after the strictest client left", async () => {
    const held: (() => void)[] = [];
    const server = await startApiServer((_, response) => void held.push(() => sendJson(response, VERSION)));
    const shared = { accesses: new ServerAccesses(), accessKey: "same" };
    const first = testClient(server.url, { ...shared, name: "first", limits: { concurrency: 1 } });
    const second = testClient(server.url, { ...shared, name: "second", limits: { concurrency: 3 } });
    await first.api.close();
    const asked = Array.from({ length: 3 }, () => second.api.version(never));
    await vi.waitFor(() => expect(held).toHaveLength(3));
    for (const answer of held) answer();
    await Promise.all(asked);
  });

  test("share one recovery check, also if its client closes", async () => {
    const clock = new ManualClock();
    const server = await startApiServer((_, response) => sendJson(response, {}, { status: 503 }));
    const shared = { accesses: new ServerAccesses(), accessKey: "same", clock };
    const clients = ["a", "b", "c"].map((name) => testClient(server.url, { ...shared, name }));
    const [first] = clients;
    for (let attempt = 0; attempt < 5; attempt++) {
      await first?.api.version(never).catch(() => undefined);
    }
    const probes = () => server.requests.filter(({ path }) => path === "/health").length;
    expect(probes()).toBe(0);
    await clock.advance(60_000);
    const held: (() => void)[] = [];
    server.handle(({ path }, response) => {
      if (path === "/health") held.push(() => sendJson(response, {}));
      else sendJson(response, VERSION);
    });
    const asked = clients.map(({ api }) => api.version(never));
    const outcomes = Promise.allSettled(asked);
    await vi.waitFor(() => expect(probes()).toBe(1));
    await first?.api.close();
    await vi.waitFor(() => expect(probes()).toBe(2));
    for (const answer of held) answer();
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(probes()).toBe(2);
  });
});
