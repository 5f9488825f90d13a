import { beforeEach, describe, expect, test } from "vitest";
import { type GeneratedTree, startGeneratedTree } from "../../../support/generated-tree.ts";

let tree: GeneratedTree;
beforeEach(async () => {
  tree = await startGeneratedTree();
});

describe("edited settings", () => {
  test("objects below a group inherit its settings unless they have their own", async () => {
    await tree.patch(`/devices/${tree.device.id}`, { windowsconnection: { windowslogindomain: "OWN" } });
    const body = {
      intervalgroup: { interval: 30, errorintervalsdown: 3 },
      windowsconnection: { windowslogindomain: "CORP" },
    };
    expect((await tree.patch(`/experimental/groups/${tree.group.id}`, body)).status).toBe(204);
    const reference = {
      id: tree.group.id,
      type: "REFERENCED_GROUP",
      name: tree.group.name,
      href: `/api/v2/groups/${tree.group.id}`,
    };
    const sensor = await tree.read(`/sensors/${tree.sensor.id}?include=*`);
    expect(sensor.intervalgroup).toEqual({
      ...{ interval: 30, errorintervalsdown: 3, _inheritancesource: reference, _inherited: true },
      _shadowed: { interval: 30, errorintervalsdown: 3 },
    });
    const device = await tree.read(`/devices/${tree.device.id}?include=*`);
    expect(device.windowsconnection).toMatchObject({ windowslogindomain: "OWN", _inherited: false });
    const sibling = tree.group.children.find((child) => child.kind === "device" && child !== tree.device);
    if (sibling === undefined) throw new Error("no sibling");
    const other = await tree.read(`/devices/${sibling.id}?include=*`);
    expect(other.windowsconnection).toMatchObject({
      windowslogindomain: "CORP",
      _inherited: true,
      _inheritancesource: reference,
    });
    expect(tree.sensor.intervalSeconds).toBe(30);
  });

  test.each(["intervalgroup", "scheduledependency", "windowsconnection"] as const)(
    "%s: _inherited switches between inherited and own settings",
    async (section) => {
      const path = `/devices/${tree.device.id}`;
      const own = { interval: 30, schedule: "Nights", windowslogindomain: "OWN" };
      const [field, value] = Object.entries(own)[
        ["intervalgroup", "scheduledependency", "windowsconnection"].indexOf(section)
      ] ?? [""];
      const before = await tree.read(`${path}?include=${section},inheritance`);
      expect(before[section]).toMatchObject({ _inherited: true });
      const change = async (settings: object) => {
        expect((await tree.patch(path, { [section]: settings })).status).toBe(204);
        return (await tree.read(`${path}?include=${section},inheritance`))[section];
      };
      expect(await change({ _inherited: false })).toMatchObject({
        _inherited: false,
        [field]: before[section]?.[field],
      });
      expect(await change({ _inherited: false, [field]: value })).toMatchObject({ _inherited: false, [field]: value });
      // Clients may send back what they read.
      expect(await change({ _inherited: true, [field]: value })).toEqual(before[section]);
    },
  );

  test("sensors inherit the interval again", async () => {
    const path = `/devices/${tree.device.id}`;
    await tree.patch(path, { intervalgroup: { interval: 300 } });
    expect(tree.sensor.intervalSeconds).toBe(300);
    await tree.patch(path, { intervalgroup: { _inherited: true } });
    expect(tree.sensor.intervalSeconds).toBe(60);
  });

  test("an inherited dependency replaces the old one", async () => {
    const [master] = tree.simulator.world.list("sensor").filter(({ parent }) => parent !== tree.device);
    if (master === undefined) throw new Error("no other sensor");
    tree.simulator.world.force(master.id, "down", tree.clock.now());
    const path = `/devices/${tree.device.id}`;
    await tree.patch(path, { scheduledependency: { dependencytype: 1, dependency: master.id } });
    expect(tree.statusOf(tree.sensor)).toBe("pausedbydependency");
    await tree.patch(path, { scheduledependency: { _inherited: true } });
    expect(tree.statusOf(tree.sensor)).not.toBe("pausedbydependency");
  });
});
