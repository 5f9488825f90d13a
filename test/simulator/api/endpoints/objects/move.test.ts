import { beforeEach, describe, expect, test } from "vitest";
import type { SimNode } from "../../../../../src/simulator/world/model.ts";
import { type ChangingTree, codeOf, startChangingTree } from "../../../support/changing-tree.ts";

let it: ChangingTree;
beforeEach(async () => {
  it = await startChangingTree();
});

/** Names of the children in their order. */
function order(parent: SimNode): string[] {
  return parent.children.map(({ name }) => name);
}

/** Four sensors a, b, c, d and nothing else on a new device. */
async function fourSensors(): Promise<SimNode> {
  const { world } = it.simulator;
  const device = world.addDevice(it.group.id, "four", it.clock.now());
  for (const name of ["a", "b", "c", "d"]) world.addSensor(device.id, name, it.clock.now());
  return device;
}

describe("move within the siblings, to", () => {
  test.each<[string, unknown, string, string]>([
    ["a", { position: 10 }, "abcd", "first already"],
    ["c", { position: 10 }, "cabd", "first"],
    ["a", { position: 20 }, "bacd", "second"],
    ["a", { position: 30 }, "bcad", "third"],
    ["d", { position: 30 }, "abdc", "third from behind"],
    ["b", { position: 990 }, "acdb", "last, wherever that is"],
    ["c", { position_preset: "top" }, "cabd", "top"],
    ["b", { position_preset: "bottom" }, "acdb", "bottom"],
    ["c", { position_preset: "up" }, "acbd", "up"],
    ["b", { position_preset: "down" }, "acbd", "down"],
    ["a", { position_preset: "up" }, "abcd", "up from the top"],
    ["d", { position_preset: "down" }, "abcd", "down from the bottom"],
    ["b", { position: 10, position_preset: null, parent: null }, "bacd", "null is as good as absent"],
  ])("%s %j: %s (%s)", async (name, body, expected) => {
    const device = await fourSensors();
    const sensor = device.children.find((child) => child.name === name);
    const answer = await it.post(`/objects/${sensor?.id}/move`, body);
    expect([answer.status, answer.text, answer.headers.get("location")]).toEqual([
      204,
      "",
      `/api/v2/sensors/${sensor?.id}`,
    ]);
    expect(order(device).join("")).toBe(expected);
    // Lists are in the order of creation, whatever the tree looks like.
    expect((await it.ids("/experimental/sensors")).slice(-4)).toEqual(
      ["a", "b", "c", "d"].map((one) => device.children.find((child) => child.name === one)?.id),
    );
  });
});

describe("move below another parent, to", () => {
  test.each<[unknown, string]>([
    [{}, "abcd*"],
    [{ position: 10 }, "*abcd"],
    [{ position: 30 }, "ab*cd"],
    [{ position_preset: "top" }, "*abcd"],
    [{ position_preset: "bottom" }, "abcd*"],
  ])("%j: %s", async (body, expected) => {
    const device = await fourSensors();
    const { name, id } = it.sensor;
    const answer = await it.post(`/experimental/sensors/${id}/move`, { ...(body as object), parent: device.id });
    expect(answer.status).toBe(204);
    expect(
      order(device)
        .map((one) => (one === name ? "*" : one))
        .join(""),
    ).toBe(expected);
    expect(it.sensor.parent).toBe(device);
    expect(it.device.children).not.toContain(it.sensor);
    expect(await it.read(`/sensors/${id}`)).toMatchObject({ parent: { id: device.id } });
  });

  test("its own: it stays where it is", async () => {
    const device = await fourSensors();
    expect((await it.post(`/objects/${device.children[1]?.id}/move`, { parent: device.id })).status).toBe(204);
    expect(order(device).join("")).toBe("abcd");
  });

  test.each(["probe", "group", "device", "sensor"] as const)("the endpoint of a %s", async (kind) => {
    const { world } = it.simulator;
    const node =
      kind === "sensor"
        ? it.sensor
        : kind === "device"
          ? it.device
          : kind === "group"
            ? it.group
            : world.list("probe")[1];
    const path = `/experimental/${kind}s/${node?.id}/move`;
    expect((await it.post(path, { position: 10 })).status).toBe(204);
    expect(node?.parent?.children[0]).toBe(node);
    const other = kind === "device" ? it.sensor : it.device;
    expect((await it.post(`/experimental/${kind}s/${other.id}/move`, { position: 10 })).status).toBe(404);
  });
});

describe("moves that are refused", () => {
  test.each<[string, () => [string, unknown], number]>([
    ["with nothing said", () => [it.device.id, {}], 400],
    ["with nothing but null", () => [it.device.id, { parent: null, position: null, position_preset: null }], 400],
    ["with both positions", () => [it.device.id, { position: 10, position_preset: "up" }], 400],
    ["to a position between two", () => [it.device.id, { position: 15 }], 400],
    ["to a position below 10", () => [it.device.id, { position: 0 }], 400],
    ["to a position that is a text", () => [it.device.id, { position: "10" }], 400],
    ["to an unknown preset", () => [it.device.id, { position_preset: "middle" }], 400],
    ["into itself", () => [it.group.id, { parent: it.group.id }], 400],
    ["into something below itself", () => [it.group.parent?.id ?? "", { parent: it.group.id }], 400],
    ["a sensor into a group", () => [it.sensor.id, { parent: it.group.id }], 400],
    ["a probe into a group", () => [it.simulator.world.list("probe")[0]?.id ?? "", { parent: it.group.id }], 400],
    ["the root", () => ["0", { position: 10 }], 400],
    ["what is not there", () => ["999999", { position: 10 }], 404],
    ["to a parent that is not there", () => [it.device.id, { parent: "999999" }], 404],
  ])("%s", async (_, request, status) => {
    const [id, body] = request();
    const before = it.group.children.map((child) => child.id);
    const answer = await it.post(`/objects/${id}/move`, body);
    expect([answer.status, codeOf(answer)]).toEqual([status, status === 404 ? "NOT_FOUND" : "BAD_REQUEST"]);
    expect(it.group.children.map((child) => child.id)).toEqual(before);
  });

  test("what would depend on itself then", async () => {
    const { world } = it.simulator;
    const [other] = world.list("sensor").filter(({ parent }) => parent !== it.device);
    await it.patch(`/devices/${it.device.id}`, { scheduledependency: { dependency: other?.id } });
    expect((await it.post(`/objects/${other?.id}/move`, { parent: it.device.id })).status).toBe(400);
  });
});
