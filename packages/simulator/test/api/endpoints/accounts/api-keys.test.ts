import { describe, expect, test } from "vitest";
import { keyOf, outcome, post, USER } from "../../../support/accounts.ts";
import { type RunningService, startService } from "../../../support/running-service.ts";

interface KeyRecord {
  readonly id: string;
  readonly name: string;
}

async function keysOf({ send }: RunningService, user = "me", bearer?: string): Promise<KeyRecord[]> {
  const { status, json } = await send(`/users/${user}/api-keys`, bearer === undefined ? {} : { bearer });
  expect(status).toBe(200);
  return json as KeyRecord[];
}

describe("list of API keys", () => {
  test("never shows the text of a key", async () => {
    const { send } = await startService();
    const { json, text } = await send("/users/me/api-keys");
    expect(json).toEqual([
      {
        id: "401",
        name: "Configured key",
        description: expect.any(String),
        access_level: "FULL",
        user: expect.objectContaining({ id: "100", type: "REFERENCED_USER" }),
        created_at: "2026-03-12T17:55:10Z",
        last_used_at: "2026-03-12T17:55:10Z",
        expires_at: null,
      },
    ]);
    expect(text).not.toContain("KEY==");
  });

  test("shows the user's keys, or any user's keys to an administrator", async () => {
    const service = await startService();
    expect(await keysOf(service, "me", "RESTRICTED")).toEqual(await keysOf(service, USER.restricted));
    expect((await keysOf(service, USER.ada)).map(({ name }) => name)).toEqual(["Provisioning", "To be decided"]);
  });

  test.each([["4711", "RESTRICTED", "403 FORBIDDEN"]])(
    "refuses the list of %s to %s with %s",
    async (user, bearer, refusal) => {
      const service = await startService();
      expect(outcome(await service.send(`/users/${user}/api-keys`, { bearer }))).toBe(refusal);
      const body = { name: "x", access_level: "READ" };
      expect(outcome(await post(service, `/users/${user}/api-keys`, body, bearer))).toBe(refusal);
    },
  );
});

describe("new API key", () => {
  test("appears in one answer only and works immediately", async () => {
    const service = await startService();
    const body = { name: "Grafana", description: "for the wall", access_level: "READ" };
    const { status, json } = await post(service, "/users/me/api-keys", body, "RESTRICTED");
    expect([status, json]).toEqual([200, { ...body, id: expect.any(String), key: expect.any(String) }]);
    const { id, key } = json as { id: string; key: string };
    expect(key).toMatch(/^[A-Z2-7]{52}={4}$/);
    expect((await keysOf(service, USER.restricted)).map((each) => each.id)).toContain(id);
    expect(await service.ids("/experimental/groups", { bearer: key })).toEqual(["20"]);
  });

  test("has no description by default", async () => {
    const service = await startService();
    const { json } = await post(service, "/users/me/api-keys", { name: "bare", access_level: "NOT_SET" });
    expect(json).toMatchObject({ description: "", access_level: "NOT_SET" });
  });
});

const PROBES = [
  ["GET", "/version", undefined],
  ["POST", "/sensors/acknowledge", { filter: 'id = "none"' }],
  ["POST", "/sensors/pause", { filter: 'id = "none"' }],
  ["POST", "/users/me/api-keys", { name: "x", access_level: "READ" }],
] as const;

describe("access level of an API key", () => {
  test.each([
    ["NOT_SET", USER.noor, "403 403 403 403"],
    ["READ", USER.noor, "200 403 403 403"],
    ["ACKNOWLEDGE", USER.noor, "200 200 403 403"],
    ["WRITE", USER.noor, "200 200 200 403"],
    ["FULL", USER.noor, "200 200 200 200"],
    ["FULL", USER.helpdesk, "200 200 403 403"],
    ["FULL", USER.wall, "200 403 403 403"],
    ["ACKNOWLEDGE", USER.wall, "200 403 403 403"],
    ["READ", USER.helpdesk, "200 403 403 403"],
  ])("%s of user %s permits %s", async (level, user, expected) => {
    const service = await startService();
    const bearer = await keyOf(service, user, level);
    const statuses: number[] = [];
    for (const [method, path, body] of PROBES) {
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      statuses.push((await service.send(path, { method, bearer, ...text })).status);
    }
    expect(statuses.join(" ")).toBe(expected);
  });
});

describe("editing API keys", () => {
  test("changes only the given fields, immediately", async () => {
    const service = await startService();
    const bearer = await keyOf(service, USER.noor);
    const key = (await keysOf(service, USER.noor)).at(-1);
    const path = `/users/api-keys/${key?.id}`;
    const edited = await service.send(path, { method: "PATCH", body: JSON.stringify({ access_level: "NOT_SET" }) });
    expect([edited.status, edited.text]).toEqual([204, ""]);
    expect(outcome(await service.send("/version", { bearer }))).toBe("403 FORBIDDEN");
    await service.send(path, { method: "PATCH", body: JSON.stringify({ name: "n", description: "d" }) });
    expect((await keysOf(service, USER.noor)).at(-1)).toMatchObject({
      name: "n",
      description: "d",
      access_level: "NOT_SET",
    });
    await service.send(path, { method: "PATCH", body: JSON.stringify({ access_level: "READ" }) });
    expect((await service.send("/version", { bearer })).status).toBe(200);
  });
});

describe("deleting API keys", () => {
  test("works for the owner and for administrators", async () => {
    const { send } = await startService();
    expect(outcome(await send("/users/api-keys/401", { method: "DELETE", bearer: "RESTRICTED" }))).toBe(
      "403 FORBIDDEN",
    );
    expect((await send("/users/api-keys/402", { method: "DELETE" })).status).toBe(204);
    expect(outcome(await send("/version", { bearer: "RESTRICTED" }))).toBe("401 AUTH_FAILED");
  });
});

describe("finding API keys", () => {
  test.each([
    [{ id: "402" }, "402"],
    [{ key: "RESTRICTED" }, "402"],
    [{ id: "402", key: "RESTRICTED" }, "402"],
  ])("%j gives %s", async (body, id) => {
    const service = await startService();
    for (const bearer of ["KEY==", "RESTRICTED"]) {
      const { status, json, text } = await post(service, "/users/api-keys/find", body, bearer);
      expect([status, json]).toEqual([
        200,
        expect.objectContaining({ id, user: expect.objectContaining({ id: "101" }) }),
      ]);
      expect(text).not.toContain('"RESTRICTED"');
    }
  });

  test.each([
    [{ id: 402 }, "KEY==", "400 BAD_REQUEST"],
    [{ key: "no such key" }, "KEY==", "404 NOT_FOUND"],
    [{ id: "401", key: "RESTRICTED" }, "KEY==", "404 NOT_FOUND"],
    [{ id: "401" }, "RESTRICTED", "403 FORBIDDEN"],
    [{ key: "KEY==" }, "RESTRICTED", "403 FORBIDDEN"],
  ])("refuses %j by %s with %s", async (body, bearer, refusal) => {
    const service = await startService();
    expect(outcome(await post(service, "/users/api-keys/find", body, bearer))).toBe(refusal);
  });
});

test("the server refuses an expired key but still lists it", async () => {
  const service = await startService();
  await post(service, `/users/${USER.paused}/resume`);
  const { directory } = service.simulator.installation;
  const user = directory.user(USER.paused);
  expect(await keysOf(service, USER.paused)).toMatchObject([
    { name: "Monthly report", expires_at: "2026-02-05T17:55:10Z" },
  ]);
  if (user === undefined) throw new Error("no such user");
  const { text: bearer } = directory.keys.create(
    user,
    { name: "short", accessLevel: "READ", expiresAt: service.clock.now() + 1000 },
    service.clock.now(),
  );
  expect((await service.send("/version", { bearer })).status).toBe(200);
  await service.clock.advance(1000);
  expect(outcome(await service.send("/version", { bearer }))).toBe("401 AUTH_FAILED");
});
