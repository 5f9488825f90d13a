import { beforeEach, describe, expect, test } from "vitest";
import type { SimDevice, SimNode, SimSensor, World } from "../../../src/world/model.ts";
import { SENSOR_KINDS } from "../../../src/world/sensors/sensor-kinds.ts";
import { createWorld } from "../../../src/world/world.ts";
import { HOUR, MINUTE, STARTED_AT } from "../fixtures.ts";

const AT = STARTED_AT + 2 * HOUR;

let world: World;
let sensor: SimSensor;
let device: SimDevice;
let group: SimNode;
beforeEach(() => {
  world = createWorld({ seed: 5, size: { sensors: 40 }, startedAt: STARTED_AT });
  const found = world.list("sensor").find((one) => {
    const { status, since } = world.state(one, AT + 3 * HOUR);
    return status === "up" && since < AT - HOUR && one.intervalInherited && one.parent?.parent?.kind === "group";
  });
  const [ofSensor] = world.list("device").filter((one) => one === found?.parent);
  if (found === undefined || ofSensor?.parent === undefined) throw new Error("no sensor stays up");
  [sensor, device, group] = [found, ofSensor, ofSensor.parent];
});

function setInterval(node: SimNode, seconds: number, at: number): void {
  world.edit(node.id, { interval: { seconds, errorIntervalsDown: 1 } }, at);
}

function scanTimes(from: number, to: number, of = sensor): number[] {
  return world.measurements(of, from, to).map(({ at }) => at);
}

describe("changed interval", () => {
  test("applies to later scans and keeps old values", () => {
    const before = world.measurements(sensor, AT - HOUR, AT);
    const averages = world.averages(sensor, AT - 4 * HOUR, AT, HOUR);
    setInterval(sensor, 10, AT);
    expect([sensor.intervalSeconds, sensor.intervalInherited]).toEqual([10, false]);
    expect(world.measurements(sensor, AT - HOUR, AT)).toEqual(before);
    expect(world.averages(sensor, AT - 4 * HOUR, AT, HOUR)).toEqual(averages);
    const after = scanTimes(AT + 1, AT + 10 * MINUTE);
    expect(after).toHaveLength(60);
    expect(new Set(after.slice(1).map((at, index) => at - (after[index] ?? 0)))).toEqual(new Set([10_000]));
    expect(scanTimes(AT - HOUR, AT + 10 * MINUTE)).toEqual([...before.map(({ at }) => at), ...after]);
    setInterval(sensor, 300, AT + 10 * MINUTE + 1);
    const [primary] = sensor.channels;
    expect(primary && world.lastMeasurement(primary, AT + 10 * MINUTE + 1000)?.at).toBe(after.at(-1));
    expect(scanTimes(AT + 1, AT + 10 * MINUTE)).toEqual(after);
    expect(scanTimes(AT + 10 * MINUTE + 1, AT + HOUR)).toHaveLength(10);
  });

  test("takes the later of two calls at the same moment", () => {
    setInterval(sensor, 10, AT);
    setInterval(sensor, 30, AT);
    expect(scanTimes(AT + 1, AT + 10 * MINUTE)).toHaveLength(20);
  });

  test("passes down, except to objects with an interval of their own", () => {
    const [own, ...others] = device.children as SimSensor[];
    if (own === undefined) throw new Error("no sensor");
    setInterval(own, 30, AT);
    setInterval(group, 300, AT);
    expect([own, sensor].map(({ intervalSeconds }) => intervalSeconds)).toEqual([30, own === sensor ? 30 : 300]);
    for (const one of others.filter(({ intervalInherited }) => intervalInherited))
      expect(one.intervalSeconds).toBe(300);
    setInterval(device, 60, AT + HOUR);
    for (const one of others.filter(({ intervalInherited }) => intervalInherited)) expect(one.intervalSeconds).toBe(60);
    expect(own.intervalSeconds).toBe(30);
  });

  test("follows a new parent", () => {
    const target = world.list("device").find((one) => one !== device && one.parent !== group) as SimDevice;
    setInterval(target, 300, AT);
    const before = scanTimes(AT - HOUR, AT + HOUR);
    world.move(sensor.id, target.id, { at: AT + HOUR });
    expect(sensor.intervalSeconds).toBe(300);
    expect(scanTimes(AT - HOUR, AT + HOUR)).toEqual(before);
    expect(scanTimes(AT + HOUR + 1, AT + 2 * HOUR)).toHaveLength(12);
  });

  test("applies to new sensors, unless their kind has an interval", () => {
    setInterval(group, 30, AT);
    const slow = [...SENSOR_KINDS.values()].find(({ intervalSeconds }) => intervalSeconds !== undefined);
    expect(world.addSensor(device.id, "new", AT)).toMatchObject({ intervalSeconds: 30, intervalInherited: true });
    const own = world.addSensor(device.id, "slow", AT, slow?.type);
    expect(own).toMatchObject({ type: slow?.type, intervalSeconds: slow?.intervalSeconds, intervalInherited: false });
  });
});

describe("changed settings", () => {
  test("change only the given fields", () => {
    const { name, priority, settings } = device;
    world.edit(device.id, { tags: ["a", "b"], hostv6: "fd00::1", ipVersion: 6 }, AT);
    expect(device).toMatchObject({ name, priority, settings, tags: ["a", "b"], hostv6: "fd00::1", ipVersion: 6 });
    const windows = { domain: "D", username: "u", password: "p" };
    world.edit(device.id, { name: "other", priority: 5, host: "10.1.1.1", windows }, AT);
    expect(device).toMatchObject({ name: "other", priority: 5, host: "10.1.1.1", tags: ["a", "b"] });
    expect(device.settings).toEqual({ ...settings, windows });
  });

  test("fail for unknown objects", () => {
    expect(() => world.edit("999999", {}, AT)).toThrow(RangeError);
    const dependency = { schedule: "none", dependsOn: "999999" };
    expect(() => world.edit(device.id, { name: "changed", dependency }, AT)).toThrow(RangeError);
    expect(device.name).not.toBe("changed");
  });
});

describe("added objects", () => {
  test("a group holds its new objects", () => {
    const added = world.addGroup(group.id, "new group", AT);
    const inner = world.addDevice(added.id, "new device", AT, "10.9.9.9");
    expect(added).toMatchObject({ kind: "group", type: "group", name: "new group", parent: group, priority: 3 });
    expect(inner).toMatchObject({ host: "10.9.9.9", parent: added, favorite: false });
    expect(world.list("group").at(-1)).toBe(added);
    expect(world.state(added, AT)).toMatchObject({ status: "up", since: AT });
    expect(() => world.addGroup("0", "beside the probes", AT)).toThrow(RangeError);
    expect(() => world.addGroup(device.id, "in a device", AT)).toThrow(RangeError);
  });

  test.each([...SENSOR_KINDS.keys()])("a sensor of the kind %s measures within an interval", (type) => {
    const added = world.addSensor(device.id, "new", AT, type);
    expect(added.type).toBe(type);
    const at = AT + added.intervalSeconds * 1000;
    const rows = world.measurements(added, AT, at);
    expect(rows.length).toBeGreaterThanOrEqual(1);
    expect(added.channels.filter(({ primary }) => primary)).toHaveLength(1);
  });

  test("an unknown sensor kind fails", () => {
    expect(() => world.addSensor(device.id, "new", AT, "crystalball")).toThrow(RangeError);
  });
});

describe("cloned object", () => {
  test("copies everything from the original except ids, values and history", () => {
    world.edit(device.id, { windows: { domain: "D", username: "u", password: "p" } }, AT);
    const counts = [world.list("sensor").length, world.channels().length];
    const copy = world.clone(device.id, group.id, "copy", AT) as SimDevice;
    expect(copy).toMatchObject({ kind: "device", name: "copy", host: device.host, tags: device.tags, parent: group });
    expect(copy.settings).toEqual(device.settings);
    const shape = (of: SimDevice) =>
      (of.children as SimSensor[]).map(({ name, type, intervalSeconds, channels }) => ({
        ...{ name, type, intervalSeconds },
        channels: channels.map(({ name: channel, number, limits, primary }) => ({ channel, number, limits, primary })),
      }));
    expect(shape(copy)).toEqual(shape(device));
    expect(world.list("device").at(-1)).toBe(copy);
    const sensors = copy.children as SimSensor[];
    const channels = sensors.reduce((sum, one) => sum + one.channels.length, 0);
    expect([world.list("sensor").length, world.channels().length]).toEqual([
      (counts[0] ?? 0) + sensors.length,
      (counts[1] ?? 0) + channels,
    ]);
    const sensorCopy = sensors[device.children.indexOf(sensor)] as SimSensor;
    expect(scanTimes(AT - HOUR, AT - 1, sensorCopy)).toEqual([]);
    expect(scanTimes(AT, AT + HOUR, sensorCopy).length).toBeGreaterThan(0);
    // Copies do not share limits.
    const [channel] = sensorCopy.channels;
    if (channel !== undefined) channel.limits.maxError = 1e9;
    expect(sensor.channels[0]?.limits.maxError).not.toBe(1e9);
  });

  test("can put a group into itself, with the intervals of its new place", () => {
    setInterval(group, 300, AT);
    const before = group.children.length;
    const copy = world.clone(group.id, group.id, "copy", AT);
    expect(copy.parent).toBe(group);
    expect([copy.children.length, group.children.length]).toEqual([before, before + 1]);
    expect(copy.settings.interval?.seconds).toBe(300);
    const [first] = world.list("device");
    setInterval(first as SimDevice, 10, AT);
    const moved = world.clone(sensor.id, first?.id ?? "", "copy", AT) as SimSensor;
    expect(moved.intervalSeconds).toBe(10);
  });

  test("depends on the copied dependency if the clone includes it", () => {
    const sibling = world.addSensor(device.id, "master", AT - HOUR);
    const outside = world.list("sensor").find(({ parent }) => parent?.parent !== group && parent !== device);
    const third = world.addSensor(device.id, "third", AT - HOUR);
    world.edit(sensor.id, { dependency: { schedule: "none", dependsOn: sibling.id } }, AT);
    world.edit(third.id, { dependency: { schedule: "none", dependsOn: outside?.id } }, AT);
    const copy = world.clone(device.id, group.id, "copy", AT);
    const named = (name: string) => copy.children.find((one) => one.name === name);
    const sensorCopy = copy.children[device.children.indexOf(sensor)] as SimSensor;
    expect(sensorCopy.settings.dependency?.dependsOn).toBe(named("master")?.id);
    expect(named("third")?.settings.dependency?.dependsOn).toBe(outside?.id);
    world.force(named("master")?.id ?? "", "down", AT + HOUR);
    expect(world.state(sensorCopy, AT + HOUR + MINUTE).status).toBe("pausedbydependency");
    expect(world.state(sensor, AT + HOUR + MINUTE).status).toBe("up");
  });

  test("fails for a probe, for the root and in a wrong place", () => {
    expect(() => world.clone(world.list("probe")[0]?.id ?? "", "0", "copy", AT)).toThrow(RangeError);
    expect(() => world.clone("0", "0", "copy", AT)).toThrow(RangeError);
    expect(() => world.clone(sensor.id, group.id, "copy", AT)).toThrow(RangeError);
    expect(() => world.clone(sensor.id, "999999", "copy", AT)).toThrow(RangeError);
  });
});

describe("positions among siblings", () => {
  test.each<[string, number | undefined, (ids: string[], id: string) => string[]]>([
    ["first", 0, (ids, id) => [id, ...ids]],
    ["second", 1, ([head = "", ...ids], id) => [head, id, ...ids]],
    ["far behind the last", 99, (ids, id) => [...ids, id]],
    ["without one, last", undefined, (ids, id) => [...ids, id]],
  ])("%s", (_, index, expected) => {
    const [first] = device.children;
    const rest = device.children.map(({ id }) => id).filter((id) => id !== first?.id);
    const sensors = world.list("sensor");
    world.move(first?.id ?? "", device.id, index === undefined ? {} : { index });
    expect(device.children.map(({ id }) => id)).toEqual(expected(rest, first?.id ?? ""));
    // Lists keep the order of creation.
    expect(world.list("sensor")).toEqual(sensors);
  });
});
