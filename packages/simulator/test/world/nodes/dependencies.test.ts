import { beforeEach, describe, expect, test } from "vitest";
import type { SimDevice, SimNode, SimSensor, SimStatus, World } from "../../../src/world/model.ts";
import { TreeNode } from "../../../src/world/nodes/nodes.ts";
import { highestRanked } from "../../../src/world/scans/status-span.ts";
import { SpanCollector } from "../../../src/world/states/span-collector.ts";
import { createWorld } from "../../../src/world/world.ts";
import { HOUR, MINUTE, STARTED_AT } from "../fixtures.ts";

const AT = STARTED_AT + 2 * HOUR;

let world: World;
let master: SimSensor;
let other: SimSensor;
let device: SimDevice;

/** On separate devices. */
beforeEach(() => {
  world = createWorld({ seed: 5, size: { sensors: 60, devices: 20 }, startedAt: STARTED_AT });
  const staysUp = (sensor: SimNode): boolean => {
    const { status, since } = world.state(sensor, AT + 4 * HOUR);
    return status === "up" && since < AT - HOUR;
  };
  const devices = world.list("device").filter(({ children }) => children.length > 1 && children.every(staysUp));
  const [first, second, third] = devices;
  const sensors = world.list("sensor");
  const masterOf = sensors.find(({ parent }) => parent === first);
  const otherOf = sensors.find(({ parent }) => parent === second);
  if (masterOf === undefined || otherOf === undefined || third === undefined) throw new Error("no sensor stays up");
  [master, other, device] = [masterOf, otherOf, third];
});

function depend(node: SimNode, on: SimNode | undefined, at: number): void {
  world.edit(node.id, { dependency: { schedule: "none", dependsOn: on?.id } }, at);
}

function statusOf(node: SimNode, at: number): SimStatus {
  return world.state(node, at).status;
}

describe("dependency on a sensor", () => {
  test("pauses the dependent object while the sensor is down, but not before the dependency", () => {
    world.force(master.id, "down", AT);
    expect(statusOf(other, AT + 9 * MINUTE)).toBe("up");
    depend(other, master, AT + 10 * MINUTE);
    expect(world.state(other, AT + 20 * MINUTE)).toEqual({
      status: "pausedbydependency",
      since: AT + 10 * MINUTE,
      message: `Paused because ${master.name} is down`,
    });
    world.acknowledge(master.id, AT + 20 * MINUTE);
    expect(world.state(other, AT + 30 * MINUTE)).toMatchObject({
      status: "pausedbydependency",
      since: AT + 10 * MINUTE,
    });
    expect(statusOf(other, AT + 9 * MINUTE)).toBe("up");
    const [channel] = other.channels;
    const lastScan = channel && world.lastMeasurement(channel, AT + HOUR)?.at;
    expect(lastScan).toBeLessThanOrEqual(AT + 10 * MINUTE);
    world.resume(master.id, AT + HOUR);
    const later = AT + HOUR + 10 * MINUTE;
    expect(statusOf(other, later)).toBe("up");
    expect(world.state(other, later).since).toBeGreaterThan(AT + HOUR);
    const rows = world.measurements(other, AT, later).map(({ at }) => at);
    expect(rows.filter((at) => at > AT + 10 * MINUTE && at < AT + HOUR)).toEqual([]);
    expect(rows.filter((at) => at < AT + 10 * MINUTE).length).toBeGreaterThan(0);
  });

  test("follows a later alarm and its end", () => {
    depend(other, master, AT);
    expect(statusOf(other, AT + HOUR)).toBe("up");
    const up = world.state(other, AT + HOUR).since;
    expect(up).toBeLessThan(AT);
    world.force(master.id, "down", AT + HOUR);
    expect(world.state(other, AT + HOUR)).toMatchObject({ status: "pausedbydependency", since: AT + HOUR });
    depend(other, undefined, AT + 2 * HOUR);
    expect(statusOf(other, AT + 2 * HOUR - 1)).toBe("pausedbydependency");
    expect(statusOf(other, AT + 2 * HOUR + 6 * MINUTE)).toBe("up");
  });

  test("pauses objects below the dependent object", () => {
    depend(device, master, AT);
    world.force(master.id, "down", AT + HOUR);
    for (const node of [device, ...device.children]) {
      // The cached status must not apply.
      expect(statusOf(node, AT + HOUR - 1)).toBe("up");
      expect(world.state(node, AT + HOUR + MINUTE)).toMatchObject({
        status: "pausedbydependency",
        since: AT + HOUR,
        message: `Paused because ${master.name} is down`,
      });
    }
    world.resume(master.id, AT + 2 * HOUR);
    for (const node of [device, ...device.children]) expect(statusOf(node, AT + 2 * HOUR + 6 * MINUTE)).toBe("up");
  });

  test("follows indirect dependencies only while the sensor itself is down", () => {
    depend(device, other, AT);
    depend(other, master, AT);
    world.force(master.id, "down", AT + HOUR);
    expect(statusOf(other, AT + HOUR)).toBe("pausedbydependency");
    expect(statusOf(device, AT + HOUR)).toBe("up");
  });

  test("ends when the sensor is removed", () => {
    depend(other, master, AT);
    world.force(master.id, "down", AT);
    world.remove(master.id, AT + HOUR);
    expect(statusOf(other, AT + HOUR - 1)).toBe("pausedbydependency");
    expect(statusOf(other, AT + HOUR + 6 * MINUTE)).toBe("up");
    expect(other.settings.dependency?.dependsOn).toBeUndefined();

    const [third] = device.children;
    depend(third as SimNode, other, AT);
    world.force(other.id, "down", AT);
    expect(statusOf(third as SimNode, AT + MINUTE)).toBe("pausedbydependency");
    world.remove(other.id);
    expect(statusOf(third as SimNode, AT + MINUTE)).toBe("up");
  });
});

describe("dependency on a device", () => {
  test("pauses the dependent object while all active sensors of the device are down", () => {
    depend(other, device, AT);
    const [first, ...rest] = device.children;
    for (const sensor of rest) world.force(sensor.id, "down", AT + MINUTE);
    expect(statusOf(other, AT + 10 * MINUTE)).toBe("up");
    world.force(first?.id ?? "", "down", AT + 10 * MINUTE);
    expect(world.state(other, AT + 20 * MINUTE)).toMatchObject({
      status: "pausedbydependency",
      since: AT + 10 * MINUTE,
    });
    world.resume(first?.id ?? "", AT + 30 * MINUTE);
    expect(statusOf(other, AT + 40 * MINUTE)).toBe("up");
    world.pause(first?.id ?? "", AT + 50 * MINUTE);
    expect(statusOf(other, AT + 55 * MINUTE)).toBe("pausedbydependency");
  });
});

test("inherited pauses are valid for one moment only, because an alarm can begin", () => {
  const [sensor] = device.children;
  if (!(sensor instanceof TreeNode) || !(device instanceof TreeNode) || !(other instanceof TreeNode)) {
    throw new Error("not of this world");
  }
  device.dependencies.push({ at: AT, target: other });
  const begins = AT + HOUR;
  const influences = new SpanCollector((_, at) => ({ isDown: at >= begins, since: at >= begins ? begins : AT }));
  const pausedAt = (at: number) => highestRanked(influences.spansAt(sensor, at), at)?.status === "pausedbydependency";
  expect([begins - 1, begins, begins + MINUTE, begins - MINUTE].map(pausedAt)).toEqual([false, true, true, false]);
});

describe("circular dependencies", () => {
  test.each<[string, () => void]>([
    ["a sensor on itself", () => depend(other, other, AT)],
    ["a device on its sensor", () => depend(device, device.children[0], AT)],
    ["a sensor on its device", () => depend(device.children[0] as SimNode, device, AT)],
    [
      "two sensors on each other",
      () => {
        depend(other, master, AT);
        depend(master, other, AT);
      },
    ],
    [
      "by way of the device of the other",
      () => {
        depend(other, master, AT);
        depend(master.parent as SimNode, other, AT);
      },
    ],
    [
      "a sensor on what depends on its device",
      () => {
        depend(other, device, AT);
        depend(device.children[0] as SimNode, other, AT);
      },
    ],
    [
      "by a move below what depends on it",
      () => {
        depend(device, master, AT);
        world.move(master.id, device.id, { at: AT });
      },
    ],
  ])("%s", (_, change) => {
    expect(change).toThrow(RangeError);
    for (const node of [master, device]) expect(statusOf(node, AT + HOUR)).toBe("up");
  });
});
