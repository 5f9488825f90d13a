import { beforeEach, describe, expect, test } from "vitest";
import type { SimNode } from "../../../../src/world/model.ts";
import { type ChangingTree, codeOf, startChangingTree } from "../../../support/changing-tree.ts";

let changing: ChangingTree;
beforeEach(async () => {
  changing = await startChangingTree();
});

function order(parent: SimNode): string[] {
  return parent.children.map(({ name }) => name);
}

/** a, b, c, d on a new device. */
async function fourSensors(): Promise<SimNode> {
  const { world } = changing.simulator;
  const device = world.addDevice(changing.group.id, "four", changing.clock.now());
  for (const name of ["a", "b", "c", "d"]) world.addSensor(device.id, name, changing.clock.now());
  return device;
}

describe("move within the siblings, to", () => {
  test.each<[string, unknown, string, string]>([
    ["c", { position_preset: "up" }, "acbd", "up"],
    ["b", { position_preset: "down" }, "acbd", "down"],
    ["a", { position_preset: "up" }, "abcd", "up from the top"],
    ["d", { position_preset: "down" }, "abcd", "down from the bottom"],
  ])("%s %j: %s (%s)", async (name, body, expected) => {
    const device = await fourSensors();
    const sensor = device.children.find((child) => child.name === name);
    const answer = await changing.post(`/objects/${sensor?.id}/move`, body);
    expect([answer.status, answer.text, answer.headers.get("location")]).toEqual([
      204,
      "",
      `/api/v2/sensors/${sensor?.id}`,
    ]);
    expect(order(device).join("")).toBe(expected);
    // Lists are in order of creation, independent of the tree.
    expect((await changing.ids("/experimental/sensors")).slice(-4)).toEqual(
      ["a", "b", "c", "d"].map((one) => device.children.find((child) => child.name === one)?.id),
    );
  });
});

describe("move below another parent, to", () => {
  test.each<[unknown, string]>([
    [{ position: 30 }, "ab*cd"],
    [{ position_preset: "bottom" }, "abcd*"],
  ])("%j: %s", async (body, expected) => {
    const device = await fourSensors();
    const { name, id } = changing.sensor;
    const answer = await changing.post(`/experimental/sensors/${id}/move`, { ...(body as object), parent: device.id });
    expect(answer.status).toBe(204);
    expect(
      order(device)
        .map((one) => (one === name ? "*" : one))
        .join(""),
    ).toBe(expected);
    expect(changing.sensor.parent).toBe(device);
    expect(changing.device.children).not.toContain(changing.sensor);
    expect(await changing.read(`/sensors/${id}`)).toMatchObject({ parent: { id: device.id } });
  });

  test("its current parent: the position stays", async () => {
    const device = await fourSensors();
    expect((await changing.post(`/objects/${device.children[1]?.id}/move`, { parent: device.id })).status).toBe(204);
    expect(order(device).join("")).toBe("abcd");
  });
});

describe("refused moves", () => {
  test.each<[string, () => [string, unknown], number]>([
    ["into itself", () => [changing.group.id, { parent: changing.group.id }], 400],
    ["into something below itself", () => [changing.group.parent?.id ?? "", { parent: changing.group.id }], 400],
    [
      "a probe into a group",
      () => [changing.simulator.world.list("probe")[0]?.id ?? "", { parent: changing.group.id }],
      400,
    ],
    ["the root", () => ["0", { position: 10 }], 400],
  ])("%s", async (_, request, status) => {
    const [id, body] = request();
    const before = changing.group.children.map((child) => child.id);
    const answer = await changing.post(`/objects/${id}/move`, body);
    expect([answer.status, codeOf(answer)]).toEqual([status, status === 404 ? "NOT_FOUND" : "BAD_REQUEST"]);
    expect(changing.group.children.map((child) => child.id)).toEqual(before);
  });

  test("a move that makes an object depend on itself", async () => {
    const { world } = changing.simulator;
    const [other] = world.list("sensor").filter(({ parent }) => parent !== changing.device);
    await changing.patch(`/devices/${changing.device.id}`, { scheduledependency: { dependency: other?.id } });
    expect((await changing.post(`/objects/${other?.id}/move`, { parent: changing.device.id })).status).toBe(400);
  });
});
