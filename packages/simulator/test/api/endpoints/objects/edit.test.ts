import { beforeEach, describe, expect, test } from "vitest";
import { type ChangingTree, startChangingTree } from "../../../support/changing-tree.ts";

let changing: ChangingTree;
beforeEach(async () => {
  changing = await startChangingTree();
});

describe("edited settings", () => {
  test("objects below a group inherit its settings unless they have their own", async () => {
    await changing.patch(`/devices/${changing.device.id}`, { windowsconnection: { windowslogindomain: "OWN" } });
    const body = {
      intervalgroup: { interval: 30, errorintervalsdown: 3 },
      windowsconnection: { windowslogindomain: "CORP" },
    };
    expect((await changing.patch(`/experimental/groups/${changing.group.id}`, body)).status).toBe(204);
    const reference = {
      id: changing.group.id,
      type: "REFERENCED_GROUP",
      name: changing.group.name,
      href: `/api/v2/groups/${changing.group.id}`,
    };
    const sensor = await changing.read(`/sensors/${changing.sensor.id}?include=*`);
    expect(sensor.intervalgroup).toEqual({
      ...{ interval: 30, errorintervalsdown: 3, _inheritancesource: reference, _inherited: true },
      _shadowed: { interval: 30, errorintervalsdown: 3 },
    });
    const device = await changing.read(`/devices/${changing.device.id}?include=*`);
    expect(device.windowsconnection).toMatchObject({ windowslogindomain: "OWN", _inherited: false });
    const sibling = changing.group.children.find((child) => child.kind === "device" && child !== changing.device);
    if (sibling === undefined) throw new Error("no sibling");
    const other = await changing.read(`/devices/${sibling.id}?include=*`);
    expect(other.windowsconnection).toMatchObject({
      windowslogindomain: "CORP",
      _inherited: true,
      _inheritancesource: reference,
    });
    expect(changing.sensor.intervalSeconds).toBe(30);
  });

  test.each(["intervalgroup", "scheduledependency", "windowsconnection"] as const)(
    "%s: _inherited switches between inherited and own settings",
    async (section) => {
      const path = `/devices/${changing.device.id}`;
      const own = { interval: 30, schedule: "Nights", windowslogindomain: "OWN" };
      const [field, value] = Object.entries(own)[
        ["intervalgroup", "scheduledependency", "windowsconnection"].indexOf(section)
      ] ?? [""];
      const before = await changing.read(`${path}?include=${section},inheritance`);
      expect(before[section]).toMatchObject({ _inherited: true });
      const change = async (settings: object) => {
        expect((await changing.patch(path, { [section]: settings })).status).toBe(204);
        return (await changing.read(`${path}?include=${section},inheritance`))[section];
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
    const path = `/devices/${changing.device.id}`;
    await changing.patch(path, { intervalgroup: { interval: 300 } });
    expect(changing.sensor.intervalSeconds).toBe(300);
    await changing.patch(path, { intervalgroup: { _inherited: true } });
    expect(changing.sensor.intervalSeconds).toBe(60);
  });

  test("an inherited dependency replaces the old one", async () => {
    const [master] = changing.simulator.world.list("sensor").filter(({ parent }) => parent !== changing.device);
    if (master === undefined) throw new Error("no other sensor");
    changing.simulator.world.force(master.id, "down", changing.clock.now());
    const path = `/devices/${changing.device.id}`;
    await changing.patch(path, { scheduledependency: { dependencytype: 1, dependency: master.id } });
    expect(changing.statusOf(changing.sensor)).toBe("pausedbydependency");
    await changing.patch(path, { scheduledependency: { _inherited: true } });
    expect(changing.statusOf(changing.sensor)).not.toBe("pausedbydependency");
  });
});
