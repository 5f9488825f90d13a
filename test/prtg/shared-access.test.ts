import { describe, expect, test } from "vitest";
import { ServerAccesses } from "../../src/prtg/request/server-access.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { testClient } from "./support/test-client.ts";

const NEVER = new AbortController().signal;

/** Clients of one simulated server, by the same login unless told otherwise. */
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
  test("log in once, and the last of them that is closed ends the session", async () => {
    const { client, sessions } = await setUp();
    const [first, second] = [client(), client()];
    await Promise.all([first.api.version(NEVER), second.api.version(NEVER)]);
    expect(sessions()).toEqual({ opened: 1, ended: 0 });
    await first.api.close();
    await second.api.version(NEVER);
    expect(sessions()).toEqual({ opened: 1, ended: 0 });
    // One that comes while another is there finds its session.
    const third = client();
    await second.api.close();
    await third.api.version(NEVER);
    await third.api.close();
    expect(sessions()).toEqual({ opened: 1, ended: 1 });
    await client().api.version(NEVER);
    expect(sessions()).toEqual({ opened: 2, ended: 1 });
  });

  test("with other credentials, or without a key, have each their own", async () => {
    const { client, sessions } = await setUp();
    for (const accessKey of ["same", "other", undefined, undefined]) await client({ accessKey }).api.version(NEVER);
    expect(sessions()).toEqual({ opened: 4, ended: 0 });
  });

  test("begin anew where one that is alone comes with other limits", async () => {
    const { client, sessions } = await setUp();
    const before = client({ name: "hq" });
    await before.api.version(NEVER);
    const after = client({ name: "hq" });
    await before.api.close();
    await after.api.version(NEVER);
    expect(sessions()).toEqual({ opened: 2, ended: 1 });
    const other = client({ name: "lima" });
    await client({ name: "hq" }).api.version(NEVER);
    await after.api.close();
    await other.api.version(NEVER);
    expect(sessions()).toEqual({ opened: 2, ended: 1 });
  });

  test("share the budget, which is that of the strictest as long as it is there", async () => {
    const { client } = await setUp();
    const wide = client({ limits: { concurrency: 8 } });
    const narrow = client({ limits: { concurrency: 1 } });
    await wide.api.version(NEVER);
    const busy = () => wide.recorded.inFlight + narrow.recorded.inFlight;
    let most = 0;
    const ask = async (all: readonly (typeof wide)[]) => {
      most = 0;
      const timer = setInterval(() => (most = Math.max(most, busy())), 0);
      await Promise.all(all.flatMap(({ api }) => Array.from({ length: 6 }, () => api.version(NEVER))));
      clearInterval(timer);
      return Math.max(most, ...all.map(({ recorded }) => recorded.mostInFlight));
    };
    expect(await ask([wide, narrow])).toBe(1);
    await narrow.api.close();
    expect(await ask([wide])).toBeGreaterThan(1);
  });

  test("are told of their own requests, and together of a server that is not there", async () => {
    const { simulator, client } = await setUp();
    const [first, second] = [client(), client()];
    await first.api.version(NEVER);
    expect(second.recorded.codes).toEqual([]);
    await second.api.version(NEVER);
    expect(first.recorded.codes).toEqual(["/session 200", "/version 200"]);
    expect(second.recorded.codes).toEqual(["/version 200"]);
    await simulator.close();
    for (let attempt = 0; attempt < 5; attempt++) await first.api.version(NEVER).catch(() => undefined);
    expect([first.recorded.breaker, second.recorded.breaker]).toEqual([[true], [true]]);
    await expect(second.api.version(NEVER)).rejects.toMatchObject({ code: "API_SUSPENDED" });
    // Who comes later is told as well.
    expect(client().recorded.breaker).toEqual([true]);
  });

  test("what one has under way ends with it, and nothing of the others", async () => {
    const { client } = await setUp();
    const [first, second] = [client(), client()];
    await first.api.version(NEVER);
    const [ended, going] = [first.api.version(NEVER), second.api.version(NEVER)];
    await first.api.close();
    await expect(ended).rejects.toThrow();
    await going;
    await expect(first.api.version(NEVER)).rejects.toThrow();
    expect(first.recorded.inFlight).toBe(0);
  });
});
