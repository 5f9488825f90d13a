import { beforeEach, describe, expect, test } from "vitest";
import { type GeneratedTree, startGeneratedTree } from "../../../support/generated-tree.ts";
import { query } from "../../../support/running-service.ts";

let tree: GeneratedTree;
beforeEach(async () => {
  tree = await startGeneratedTree();
});

const GROUP = { basic: { name: "new group" } };
const DEVICE = { basic: { name: "new device", host: "10.9.9.9" } };

function locationOf(headers: Headers): string {
  const location = headers.get("location") ?? "";
  expect(location).toMatch(/^\/api\/v2\/(groups|devices|sensors)\/\d+$/);
  return location.slice("/api/v2".length);
}

describe("create", () => {
  test.each<[string, () => string, unknown, string]>([
    ["a device of a group", () => `/experimental/groups/${tree.group.id}/device`, DEVICE, "devices"],
    [
      "a sensor",
      () => `/experimental/devices/${tree.device.id}/sensor?kindid=ping`,
      { basic: { name: "new sensor" } },
      "sensors",
    ],
  ])("%s answers 202 until it is ready, and stays hidden until then", async (_, path, body, list) => {
    const before = (await tree.send("/objects/count")).json;
    const created = await tree.post(path(), body);
    const location = locationOf(created.headers);
    const id = location.split("/").at(-1) ?? "";
    const filter = query({ filter: `id = "${id}"` });
    for (const [wait, seconds] of [
      [0, "2"],
      [900, "2"],
      [1099, "1"],
    ] as const) {
      await tree.clock.advance(wait);
      const waiting = await tree.send(location);
      expect([waiting.status, waiting.text, waiting.headers.get("wait-for")]).toEqual([202, "", seconds]);
      expect(await tree.ids(`/experimental/${list}${filter}`)).toEqual([]);
      expect((await tree.send("/objects/count")).json).toEqual(before);
      expect((await tree.post(`${location}/pause`, {})).status).toBe(404);
    }
    await tree.clock.advance(1);
    expect((await tree.send(location)).status).toBe(200);
    expect(await tree.ids(`/experimental/${list}${filter}`)).toEqual([id]);
    // Lists are in order of creation.
    expect((await tree.ids(`/experimental/${list}`)).at(-1)).toBe(id);
  });

  test("applies the given settings and inherits the others", async () => {
    const body = {
      basic: { name: "srv", host: "10.1.2.3", tags: ["x"], priority: 4 },
      intervalgroup: { interval: 30 },
    };
    await tree.patch(`/experimental/groups/${tree.group.id}`, {
      intervalgroup: { interval: 300, errorintervalsdown: 2 },
    });
    const { headers } = await tree.post(`/experimental/groups/${tree.group.id}/device`, body);
    await tree.clock.advance(2000);
    const device = await tree.read(`${locationOf(headers)}?include=*`);
    expect(device).toMatchObject({
      ...{ name: "srv", status: "up", parent: { id: tree.group.id } },
      basic: { host: "10.1.2.3", tags: ["x"], priority: 4 },
      intervalgroup: { interval: 30, errorintervalsdown: 2, _inherited: false },
      windowsconnection: { _inherited: true },
    });
    const ping = await tree.post(`/experimental/devices/${device.id}/sensor?kindid=ping`, {});
    await tree.clock.advance(2000);
    const path = locationOf(ping.headers);
    expect(await tree.read(`${path}?include=*`)).toMatchObject({
      ...{ kind: "ping", name: "Ping" },
      intervalgroup: { interval: 30, _inherited: true, _inheritancesource: { id: device.id } },
    });
    await tree.clock.advance(30_000);
    expect((await tree.read(path)).status).not.toBe("unknown");
  });

  test.each([
    ["a step", 2000, 200],
    ["a shorter step", 1999, 202],
    ["a step back", -60_000, 200],
  ])("is ready in frozen time after %s", async (_, ms, status) => {
    const { simulator } = tree;
    const at = simulator.now();
    simulator.freezeAt(at);
    const { headers } = await tree.post(`/experimental/groups/${tree.group.id}/device`, DEVICE);
    await tree.clock.advance(60_000);
    expect((await tree.send(locationOf(headers))).status).toBe(202);
    simulator.freezeAt(at + ms);
    expect((await tree.send(locationOf(headers))).status).toBe(status);
  });

  test("is ready immediately with readyAfterMs 0", async () => {
    tree = await startGeneratedTree({ readyAfterMs: 0 });
    const { headers } = await tree.post(`/experimental/groups/${tree.group.id}/device`, DEVICE);
    expect((await tree.send(locationOf(headers))).status).toBe(200);
  });
});

test("the simulator forgets pending objects once they are ready", async () => {
  const { pendingObjects } = tree.simulator.installation;
  await tree.post(`/experimental/groups/${tree.group.id}/device`, DEVICE);
  await tree.clock.advance(1000);
  await tree.post(`/experimental/groups/${tree.group.id}/group`, GROUP);
  await tree.clock.advance(1000);
  expect(pendingObjects.hasPending).toBe(true);
  await tree.clock.advance(1000);
  expect(pendingObjects.hasPending).toBe(false);
});

describe("metascan", () => {
  test("proposes sensors of one kind that do not exist yet", async () => {
    const { json } = await tree.post(`/experimental/devices/${tree.device.id}/metascan?kindid=ping`);
    expect(json).toEqual(
      tree.device.children.some(({ type, name }) => type === "ping" && name === "Ping")
        ? []
        : [{ kind: "ping", name: "Ping" }],
    );
    await tree.post(`/experimental/devices/${tree.device.id}/sensor?kindid=ping`, { basic: { name: "Ping" } });
    expect((await tree.post(`/experimental/devices/${tree.device.id}/metascan?kindid=ping`)).json).toEqual([]);
  });

  test("proposes all kinds if the request names none, and each can be created", async () => {
    const { json } = await tree.post(`/experimental/devices/${tree.device.id}/metascan`);
    const kinds = new Set((json as { kind: string }[]).map(({ kind }) => kind));
    expect(kinds.size).toBeGreaterThan(20);
    for (const kind of [...kinds].slice(0, 5)) {
      expect(await tree.post(`/experimental/devices/${tree.device.id}/sensor?kindid=${kind}`, {})).toMatchObject({
        status: 201,
      });
    }
  });
});
