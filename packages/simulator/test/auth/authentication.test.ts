import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { Authentication } from "../../src/auth/authentication.ts";
import { createDirectory } from "../../src/auth/credentials.ts";
import { seededRandom } from "../../src/random.ts";
import { keyOf, USER } from "../support/accounts.ts";
import { CREDENTIALS, type RunningService, startService } from "../support/running-service.ts";
import { StaticWorld } from "../support/static-world.ts";

const LOGIN = JSON.stringify({ username: "operator", password: "correct horse" });

async function login({ send }: RunningService): Promise<string> {
  const { status, json } = await send("/session", { method: "POST", bearer: null, body: LOGIN });
  expect(status).toBe(200);
  return (json as { token: string }).token;
}

describe("sessions", () => {
  test("last for one lifetime after the last renewal", async () => {
    const service = await startService({ sessionLifetimeMs: 60_000 });
    const bearer = await login(service);
    await service.clock.advance(59_999);
    expect((await service.send("/session", { bearer })).status).toBe(200);
    await service.clock.advance(59_999);
    expect((await service.send("/version", { bearer })).status).toBe(200);
    await service.clock.advance(1);
    for (const method of ["GET", "DELETE"]) {
      const { status, json } = await service.send("/session", { method, bearer });
      expect([status, json]).toEqual([401, expect.objectContaining({ code: "AUTH_FAILED" })]);
    }
  });

  test("show their simulated end on live servers, and only a token in the specification", async () => {
    const live = await startService({ spelling: "live", sessionLifetimeMs: 60_000 });
    const opened = await live.send("/session", { method: "POST", bearer: null, body: LOGIN });
    const token = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(opened.json).toEqual({ token, expires_at: "2026-03-12T17:56:10.000Z" });
    const { token: bearer } = opened.json as { token: string };
    await live.clock.advance(30_000);
    expect((await live.send("/session", { bearer })).json).toEqual({ expires_at: "2026-03-12T17:56:40.000Z" });

    const specified = await startService({ spelling: "specification" });
    expect((await specified.send("/session", { method: "POST", bearer: null, body: LOGIN })).json).toEqual({ token });
  });

  test("end when the server drops them", async () => {
    const service = await startService();
    const bearer = await login(service);
    service.simulator.dropSessions();
    expect((await service.send("/version", { bearer })).status).toBe(401);
    expect((await service.send("/version")).status).toBe(200);
  });

  test("do not pile up if a client never ends them", () => {
    const clock = new ManualClock();
    const now = (): number => clock.now();
    const directory = createDirectory(new StaticWorld(), CREDENTIALS, clock.now());
    const options = { directory, sessionLifetimeMs: 60_000 };
    const auth = new Authentication({ ...options, now, random: seededRandom(1) });
    const tokens = Array.from({ length: 1001 }, () => auth.login(CREDENTIALS.username, CREDENTIALS.password).token);
    expect(new Set(tokens).size).toBe(1001);
    expect(() => auth.identify(`Bearer ${tokens[0]}`)).toThrow("Authentication failed");
    expect(auth.identify(`Bearer ${tokens[1]}`).session?.token).toBe(tokens[1]);
  });
});

describe("user who sees only a part of the tree", () => {
  const bearer = "RESTRICTED";

  test.each([
    ["/experimental/probes", ""],
    ["/experimental/groups", "20"],
    ["/experimental/devices", "100 200"],
    ["/experimental/sensors", "1000 1001 2000"],
    ["/experimental/channels", "1000.0 1000.-4 1001.1 1001.2 2000.3"],
    ["/sensors", "1000 1001 2000"],
    ["/experimental/objects?filter=not%20type%3Dchannel", "20 100 200 1000 1001 2000"],
    ["/experimental/sensors?filter=descendants%20id%3D%221%22", ""],
    ["/experimental/sensors?filter=descendants%20id%3D%22100%22", "1000 1001"],
  ])("finds in %s: %s", async (path, ids) => {
    const { ids: idsOf } = await startService();
    expect((await idsOf(path, { bearer })).join(" ")).toBe(ids);
  });

  test("gets lists of only the visible objects", async () => {
    const { send } = await startService();
    const { headers } = await send("/experimental/channels?limit=2", { bearer });
    expect(headers.get("x-total-count")).toBe("5");
  });

  test("gets restricted references to invisible objects", async () => {
    const { send } = await startService();
    const { json } = await send("/devices/100?include=path,intervalgroup,inheritance", { bearer });
    const restricted = expect.objectContaining({ href: "restricted" });
    expect(json).toMatchObject({
      parent: { id: "10", name: "Network", type: "REFERENCED_GROUP", href: "restricted" },
      path: [restricted, restricted, restricted, { href: "/api/v2/devices/100" }],
      intervalgroup: { _inheritancesource: { id: "0", href: "restricted" } },
    });
    expect((await send("/sensors/1000", { bearer })).json).toMatchObject({ parent: { href: "/api/v2/devices/100" } });
    expect((await send("/devices/100")).json).toMatchObject({ parent: { href: "/api/v2/groups/10" } });
  });

  test("gets counts of visible objects", async () => {
    const { send } = await startService();
    const seen = { probes: 0, groups: 1, devices: 2, sensors: 3, channels: 5 };
    expect((await send("/objects/count", { bearer })).json).toEqual(seen);
    expect((await send("/sensor-status-summary", { bearer })).json).toMatchObject({ total: 3, paused_by_user: 0 });
  });

  test("sees objects after a move into the visible part", async () => {
    const { send, simulator } = await startService();
    simulator.world.move("101", "20");
    expect((await send("/sensors/1002", { bearer })).status).toBe(200);
    simulator.world.move("101", "10");
    expect((await send("/sensors/1002", { bearer })).status).toBe(404);
  });

  test("sees a group and a device below hidden ancestors by default", async () => {
    const world = new StaticWorld();
    for (let i = 0; i < 3; i++) world.addDevice("20", `extra ${i}`);
    const { ids } = await startService({
      world,
      credentials: { apiKey: "a", username: "b", password: "c", restrictedApiKey: bearer },
    });
    expect(await ids("/experimental/groups", { bearer })).toEqual(["10", "11"]);
    expect((await ids("/experimental/devices", { bearer })).length).toBe(3);
  });
});

test("a user without system rights can read the tree", async () => {
  const { send } = await startService();
  expect((await send("/experimental/sensors", { bearer: "LIMITED" })).status).toBe(200);
  expect((await send("/session", { bearer: "LIMITED" })).status).toBe(400);
});

describe("users of an installation", () => {
  test.each([
    ["administrator", USER.administrator, "10 11 20"],
    ["a user in a group that sees everything", USER.noor, "10 11 20"],
    ["a user in two groups, one of which sees everything", USER.helpdesk, "10 11 20"],
    ["a user whose group sees a part", USER.facility, "10 11"],
    ["a user whose group sees the last site", USER.branch, "20"],
    ["a user with a separate group", USER.restricted, "20"],
  ])("%s", async (_, user, groups) => {
    const service = await startService();
    expect((await service.ids("/experimental/groups", { bearer: await keyOf(service, user) })).join(" ")).toBe(groups);
  });

  test("users with the same rights share one view, and keys share their user's view", async () => {
    const clock = new ManualClock();
    const directory = createDirectory(new StaticWorld(), CREDENTIALS, clock.now());
    const now = (): number => clock.now();
    const auth = new Authentication({ directory, now, sessionLifetimeMs: 1000, random: seededRandom(1) });
    const account = auth.identify("Bearer KEY==").account;
    expect(auth.login("operator", "correct horse").account).toBe(account);
    expect(auth.identify("Bearer LIMITED").account.visibility).toBe(account.visibility);
    expect(auth.identify("Bearer RESTRICTED").account.visibility).not.toBe(account.visibility);
  });

  test("only the key of a user called limited has limits", async () => {
    const { send } = await startService({ credentials: { apiKey: "A", username: "limited", password: "p" } });
    expect((await send("/version", { bearer: "A" })).status).toBe(200);
  });
});
