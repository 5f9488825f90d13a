import { beforeEach, describe, expect, test } from "vitest";
import type { SimNode } from "../../../../src/world/model.ts";
import { type ChangingTree, codeOf, startChangingTree } from "../../../support/changing-tree.ts";
import type { Received } from "../../../support/running-service.ts";

let changing: ChangingTree;
beforeEach(async () => {
  changing = await startChangingTree();
});

async function copyOf({ status, text, headers }: Received): Promise<SimNode> {
  expect([status, text]).toEqual([204, ""]);
  const location = headers.get("location") ?? "";
  const waiting = await changing.send(location.replace("/api/v2", ""));
  expect([waiting.status, waiting.headers.get("wait-for")]).toEqual([202, "2"]);
  await changing.clock.advance(2000);
  const node = changing.simulator.world.node(location.split("/").at(-1) ?? "");
  if (node === undefined) throw new Error(`nothing at ${location}`);
  return node;
}

describe("clone", () => {
  test.each(["device", "object"] as const)("copies a device (clone of a %s)", async (what) => {
    const body =
      what === "device"
        ? { parent_id: changing.group.id, host: "10.7.7.7" }
        : { parent: changing.group.id, host: "10.7.7.7" };
    const path =
      what === "device" ? `/devices/${changing.device.id}/clone` : `/experimental/objects/${changing.device.id}/clone`;
    const copy = await copyOf(await changing.post(path, body));
    expect(copy.parent?.children.at(-1)).toBe(copy);
    expect(await changing.read(`/devices/${copy.id}`)).toMatchObject({
      ...{ name: `Clone of ${changing.device.name}`, status: "pausedbyuser", parent: { id: changing.group.id } },
      basic: { host: "10.7.7.7", tags: changing.device.tags },
    });
    expect(copy.children.map(({ name }) => name)).toEqual(changing.device.children.map(({ name }) => name));
    const [sensor] = copy.children;
    expect(await changing.read(`/sensors/${sensor?.id}`)).toMatchObject({ status: "pausedbydependency" });
    expect((await changing.post(`/devices/${copy.id}/resume`)).status).toBe(204);
    await changing.clock.advance(300_000);
    expect((await changing.read(`/sensors/${sensor?.id}`)).status).not.toMatch(/^(paused|unknown)/);
  });

  test.each<[string, () => [string, unknown], number]>([
    [
      "with an empty name",
      () => [`/sensors/${changing.sensor.id}/clone`, { parent_id: changing.device.id, name: " " }],
      400,
    ],
    [
      "in a parent that cannot hold it",
      () => [`/sensors/${changing.sensor.id}/clone`, { parent_id: changing.group.id }],
      400,
    ],
    [
      "of a probe",
      () => [`/experimental/objects/${changing.simulator.world.list("probe")[0]?.id}/clone`, { parent: "0" }],
      400,
    ],
  ])("is impossible %s", async (_, request, status) => {
    const count = changing.simulator.world.list("sensor").length;
    const answer = await changing.post(...request());
    expect([answer.status, codeOf(answer)]).toEqual([status, status === 404 ? "NOT_FOUND" : "BAD_REQUEST"]);
    expect(changing.simulator.world.list("sensor")).toHaveLength(count);
  });
});
