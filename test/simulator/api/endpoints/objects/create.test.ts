import { beforeEach, describe, expect, test } from "vitest";
import { type ChangingTree, codeOf, messageOf, startChangingTree } from "../../../support/changing-tree.ts";
import { query } from "../../../support/running-service.ts";

let it: ChangingTree;
beforeEach(async () => {
  it = await startChangingTree();
});

const GROUP = { basic: { name: "new group" } };
const DEVICE = { basic: { name: "new device", host: "10.9.9.9" } };

/** Path below `/api/v2`. */
function locationOf(headers: Headers): string {
  const location = headers.get("location") ?? "";
  expect(location).toMatch(/^\/api\/v2\/(groups|devices|sensors)\/\d+$/);
  return location.slice("/api/v2".length);
}

describe("create", () => {
  test.each<[string, () => string, unknown, string]>([
    [
      "a group of a probe",
      () => `/experimental/probes/${it.simulator.world.list("probe")[0]?.id}/group`,
      GROUP,
      "groups",
    ],
    [
      "a device of a probe",
      () => `/experimental/probes/${it.simulator.world.list("probe")[0]?.id}/device`,
      DEVICE,
      "devices",
    ],
    ["a group of a group", () => `/experimental/groups/${it.group.id}/group`, GROUP, "groups"],
    ["a device of a group", () => `/experimental/groups/${it.group.id}/device`, DEVICE, "devices"],
    [
      "a sensor",
      () => `/experimental/devices/${it.device.id}/sensor?kindid=ping`,
      { basic: { name: "new sensor" } },
      "sensors",
    ],
  ])("%s answers 202 until it is ready, and is nowhere else before", async (_, path, body, list) => {
    const before = (await it.send("/objects/count")).json;
    const created = await it.post(path(), body);
    expect(created.status).toBe(201);
    const location = locationOf(created.headers);
    const id = location.split("/").at(-1) ?? "";
    expect(created.json).toMatchObject([{ id }]);
    expect((created.json as unknown[]).length).toBe(1);
    const filter = query({ filter: `id = "${id}"` });
    for (const [wait, seconds] of [
      [0, "2"],
      [900, "2"],
      [1099, "1"],
    ] as const) {
      await it.clock.advance(wait);
      const waiting = await it.send(location);
      expect([waiting.status, waiting.text, waiting.headers.get("wait-for")]).toEqual([202, "", seconds]);
      expect(await it.ids(`/experimental/${list}${filter}`)).toEqual([]);
      expect((await it.send("/objects/count")).json).toEqual(before);
      expect((await it.post(`${location}/pause`, {})).status).toBe(404);
    }
    await it.clock.advance(1);
    expect((await it.send(location)).status).toBe(200);
    expect(await it.ids(`/experimental/${list}${filter}`)).toEqual([id]);
    // List order is the order of creation.
    expect((await it.ids(`/experimental/${list}`)).at(-1)).toBe(id);
  });

  test("has the settings it was given, and inherits the others", async () => {
    const body = {
      basic: { name: "srv", host: "10.1.2.3", tags: ["x"], priority: 4 },
      intervalgroup: { interval: 30 },
    };
    await it.patch(`/experimental/groups/${it.group.id}`, { intervalgroup: { interval: 300, errorintervalsdown: 2 } });
    const { headers } = await it.post(`/experimental/groups/${it.group.id}/device`, body);
    await it.clock.advance(2000);
    const device = await it.read(`${locationOf(headers)}?include=*`);
    expect(device).toMatchObject({
      ...{ name: "srv", status: "up", parent: { id: it.group.id } },
      basic: { host: "10.1.2.3", tags: ["x"], priority: 4 },
      intervalgroup: { interval: 30, errorintervalsdown: 2, _inherited: false },
      windowsconnection: { _inherited: true },
    });
    const ping = await it.post(`/experimental/devices/${device.id}/sensor?kindid=ping`, {});
    await it.clock.advance(2000);
    const path = locationOf(ping.headers);
    expect(await it.read(`${path}?include=*`)).toMatchObject({
      ...{ kind: "ping", name: "Ping" },
      intervalgroup: { interval: 30, _inherited: true, _inheritancesource: { id: device.id } },
    });
    await it.clock.advance(30_000);
    expect((await it.read(path)).status).not.toBe("unknown");
  });

  test("is ready at once where the service is told so", async () => {
    it = await startChangingTree({ readyAfterMs: 0 });
    const { headers } = await it.post(`/experimental/groups/${it.group.id}/device`, DEVICE);
    expect((await it.send(locationOf(headers))).status).toBe(200);
  });

  test("is 404 to those who will not see it", async () => {
    const credentials = { apiKey: "KEY==", username: "operator", password: "correct horse" };
    it = await startChangingTree({
      credentials: { ...credentials, restrictedApiKey: "RESTRICTED", restrictedTo: [it.device.id] },
    });
    const { headers } = await it.post(`/experimental/groups/${it.group.id}/device`, DEVICE);
    expect((await it.send(locationOf(headers), { bearer: "RESTRICTED" })).status).toBe(404);
  });
});

describe("creations that are refused", () => {
  test.each<[string, () => string, unknown, number, string]>([
    [
      "a group without a name",
      () => `/experimental/groups/${it.group.id}/group`,
      {},
      400,
      "The body must have required property 'basic'",
    ],
    [
      "a device without a host",
      () => `/experimental/groups/${it.group.id}/device`,
      GROUP,
      400,
      "The body at /basic must have required property 'host'",
    ],
    ["a sensor without a kind", () => `/experimental/devices/${it.device.id}/sensor`, {}, 400, "kindid is required"],
    [
      "a sensor of an unknown kind",
      () => `/experimental/devices/${it.device.id}/sensor?kindid=oracle`,
      {},
      400,
      "kindid: there is no kind of sensor oracle",
    ],
    [
      "a setting that it has not",
      () => `/experimental/devices/${it.device.id}/sensor?kindid=ping`,
      { basic: { host: "h" } },
      400,
      "The body at /basic must not have host",
    ],
    ["a group beside the probes", () => "/experimental/groups/0/group", GROUP, 400, "A root (0) cannot hold a group"],
    [
      "in a parent that is not there",
      () => "/experimental/groups/999999/group",
      GROUP,
      404,
      "Resource not found at this endpoint; check the object ID",
    ],
    [
      "in a parent of another kind",
      () => `/experimental/groups/${it.device.id}/device`,
      DEVICE,
      404,
      "Resource not found at this endpoint; check the object ID",
    ],
    [
      "with a dependency on nothing",
      () => `/experimental/groups/${it.group.id}/group`,
      { ...GROUP, scheduledependency: { dependency: "999999" } },
      404,
      "There is no object 999999 to depend on",
    ],
  ])("%s", async (_, path, body, status, message) => {
    const before = (await it.send("/objects/count")).json;
    const answer = await it.post(path(), body);
    expect([answer.status, codeOf(answer), messageOf(answer)]).toEqual([
      status,
      status === 404 ? "NOT_FOUND" : "BAD_REQUEST",
      message,
    ]);
    await it.clock.advance(5000);
    expect((await it.send("/objects/count")).json).toEqual(before);
  });
});

test("what was refused in the end is not there either: a dependency on the group that would hold it", async () => {
  const before = (await it.send("/objects/count")).json;
  const body = { ...DEVICE, scheduledependency: { dependency: it.group.id } };
  const answer = await it.post(`/experimental/groups/${it.group.id}/device`, body);
  expect([answer.status, codeOf(answer)]).toEqual([400, "BAD_REQUEST"]);
  await it.clock.advance(5000);
  expect((await it.send("/objects/count")).json).toEqual(before);
});

test("what is ready is not kept in mind", async () => {
  const { pendingObjects } = it.simulator.installation;
  await it.post(`/experimental/groups/${it.group.id}/device`, DEVICE);
  await it.clock.advance(1000);
  await it.post(`/experimental/groups/${it.group.id}/group`, GROUP);
  await it.clock.advance(1000);
  expect(pendingObjects.hasPending).toBe(true);
  await it.clock.advance(1000);
  expect(pendingObjects.hasPending).toBe(false);
});

describe("metascan", () => {
  test("proposes sensors of a kind that are not there yet", async () => {
    const { json } = await it.post(`/experimental/devices/${it.device.id}/metascan?kindid=ping`);
    expect(json).toEqual(
      it.device.children.some(({ type, name }) => type === "ping" && name === "Ping")
        ? []
        : [{ kind: "ping", name: "Ping" }],
    );
    await it.post(`/experimental/devices/${it.device.id}/sensor?kindid=ping`, { basic: { name: "Ping" } });
    expect((await it.post(`/experimental/devices/${it.device.id}/metascan?kindid=ping`)).json).toEqual([]);
  });

  test("without a kind proposes all kinds, each of which can be created", async () => {
    const { json } = await it.post(`/experimental/devices/${it.device.id}/metascan`);
    const kinds = new Set((json as { kind: string }[]).map(({ kind }) => kind));
    expect(kinds.size).toBeGreaterThan(20);
    for (const kind of [...kinds].slice(0, 5)) {
      expect(await it.post(`/experimental/devices/${it.device.id}/sensor?kindid=${kind}`, {})).toMatchObject({
        status: 201,
      });
    }
  });

  test("needs a device and a kind that exist", async () => {
    expect((await it.post("/experimental/devices/999999/metascan")).status).toBe(404);
    expect((await it.post(`/experimental/devices/${it.device.id}/metascan?kindid=oracle`)).status).toBe(400);
  });
});
