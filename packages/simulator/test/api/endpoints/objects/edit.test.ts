import { beforeEach, describe, expect, test } from "vitest";
import { type ChangingTree, codeOf, messageOf, startChangingTree } from "../../../support/changing-tree.ts";
import { query } from "../../../support/running-service.ts";

let changing: ChangingTree;
beforeEach(async () => {
  changing = await startChangingTree();
});

describe("edited settings", () => {
  test("a sensor accepts sections one by one and shows them", async () => {
    const path = `/sensors/${changing.sensor.id}`;
    const before = await changing.read(`${path}?include=intervalgroup,inheritance`);
    expect(before.intervalgroup).toMatchObject({ interval: 60, _inherited: true });
    const body = {
      basic: { name: "renamed", tags: ["a", "b"], priority: 5 },
      intervalgroup: { interval: 300 },
    };
    const answer = await changing.patch(`/experimental${path}`, body);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const after = await changing.read(`${path}?include=intervalgroup,inheritance`);
    expect(after).toMatchObject({ name: "renamed", basic: { name: "renamed", tags: ["a", "b"], priority: 5 } });
    // Omitted fields keep their values.
    expect(after.intervalgroup).toEqual({
      interval: 300,
      errorintervalsdown: 1,
      _inheritancesource: {
        id: changing.device.id,
        type: "REFERENCED_DEVICE",
        name: changing.device.name,
        href: `/api/v2/devices/${changing.device.id}`,
      },
      _inherited: false,
      _shadowed: null,
    });
    expect(await changing.ids(`/experimental/sensors${query({ filter: 'name = "renamed"' })}`)).toEqual([
      changing.sensor.id,
    ]);
    const slow = query({ filter: `intervalgroup.interval = 300s and parentid = "${changing.device.id}"` });
    expect(await changing.ids(`/experimental/sensors${slow}`)).toContain(changing.sensor.id);
  });

  test("a device accepts addresses and a password, and never shows the password", async () => {
    const path = `/devices/${changing.device.id}`;
    const body = {
      basic: { host: "srv.example.net", hostv6: "fd00::7", ipversion: 1 },
      windowsconnection: { windowsloginusername: "svc", windowsloginpassword: "secret" },
    };
    expect((await changing.patch(path, body)).status).toBe(204);
    const after = await changing.read(`${path}?include=*`);
    expect(after.basic).toMatchObject({
      host: "srv.example.net",
      hostv6: "fd00::7",
      ipversion: 1,
      name: changing.device.name,
    });
    expect(after.windowsconnection).toMatchObject({
      windowslogindomain: "",
      windowsloginusername: "svc",
      windowsloginpassword: "********",
      _inherited: false,
    });
    expect(JSON.stringify(after)).not.toContain("secret");
    for (const filter of ['basic.host = "srv.example.net"', 'basic.hostv6 = "fd00::7"']) {
      expect(await changing.ids(`/experimental/devices${query({ filter })}`)).toEqual([changing.device.id]);
    }
  });

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

  test("the root inherits nothing", async () => {
    const answer = await changing.patch("/experimental/groups/0", { intervalgroup: { _inherited: true } });
    expect(answer).toMatchObject({ status: 400, json: { code: "BAD_REQUEST" } });
  });

  test("the server accepts an edit without changes", async () => {
    for (const body of [{}, { basic: {} }, { intervalgroup: {} }]) {
      expect((await changing.patch(`/devices/${changing.device.id}`, body)).status).toBe(204);
    }
    expect((await changing.read(`/devices/${changing.device.id}?include=*`)).intervalgroup).toMatchObject({
      _inherited: true,
    });
  });
});

describe("refused edits", () => {
  test.each<[string, string, unknown, string]>([
    ["a read-only section", "device", { path: {} }, "The body must not have path"],
    [
      "a setting that follows from others",
      "device",
      { basic: { parenttags: ["x"] } },
      "The body at /basic must not have parenttags",
    ],
    [
      "the source of inheritance",
      "device",
      { intervalgroup: { _inheritancesource: {} } },
      "The body at /intervalgroup must not have _inheritancesource",
    ],
    ["an empty name", "device", { basic: { name: "  " } }, "The body at /basic/name must not be empty"],
    ["a name that is a number", "device", { basic: { name: 7 } }, "The body at /basic/name must be"],
    ["tags that are numbers", "device", { basic: { tags: ["a", 1] } }, "The body at /basic/tags"],
    ["a part of a priority", "sensor", { basic: { priority: 2.5 } }, "The body at /basic/priority must be"],
    [
      "an interval that is not offered",
      "sensor",
      { intervalgroup: { interval: 61 } },
      "The body at /intervalgroup/interval must be one of 10, 30, 60, 300, 600, 900, 1800, 3600, 14400, 21600, 43200, 86400",
    ],
    ["null", "sensor", { intervalgroup: { interval: null } }, "The body at /intervalgroup/interval must be"],
    [
      "a dependency without an object",
      "device",
      { scheduledependency: { dependencytype: 1 } },
      "The body at /scheduledependency/dependency is required with the dependencytype 1",
    ],
    [
      "an object without a dependency",
      "device",
      { scheduledependency: { dependencytype: 0, dependency: "1" } },
      "The body at /scheduledependency/dependency needs the dependencytype 1",
    ],
    ["a slash in a name", "device", { "a/b~c": {} }, "The body must not have a/b~c"],
  ])("%s", async (_, kind, body, message) => {
    const node = kind === "sensor" ? changing.sensor : kind === "device" ? changing.device : changing.group;
    const before = JSON.stringify([node.name, node.tags, node.priority, node.settings]);
    const path = kind === "device" ? `/devices/${node.id}` : `/experimental/${kind}s/${node.id}`;
    const answer = await changing.patch(path, body);
    expect([answer.status, codeOf(answer)]).toEqual([400, "BAD_REQUEST"]);
    expect(messageOf(answer)).toContain(message);
    expect(JSON.stringify([node.name, node.tags, node.priority, node.settings])).toBe(before);
  });

  test("one invalid setting cancels the whole request: a dependency on a child", async () => {
    const body = { basic: { name: "changed" }, scheduledependency: { dependency: changing.sensor.id } };
    const answer = await changing.patch(`/devices/${changing.device.id}`, body);
    expect([answer.status, codeOf(answer)]).toEqual([400, "BAD_REQUEST"]);
    expect(changing.device.name).not.toBe("changed");
  });
});
