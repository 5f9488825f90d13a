import { beforeEach, describe, expect, test } from "vitest";
import type { SimChannel, SimDevice, SimNode, SimSensor, SimStatus, World } from "../../../src/world/model.ts";
import { createWorld } from "../../../src/world/world.ts";
import { DAY, findSensor, HOUR, MINUTE, ownChannels, STARTED_AT } from "../fixtures.ts";

const AT = STARTED_AT + 2 * HOUR;

let world: World;
beforeEach(() => {
  world = createWorld({ seed: 5, size: { sensors: 260 }, startedAt: STARTED_AT });
});

function primary(sensor: SimSensor): SimChannel {
  const found = sensor.channels.find((channel) => channel.primary);
  if (found === undefined) throw new Error("no primary channel");
  return found;
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new Error("nothing there");
  return item;
}

function sensorThatStaysUp(): SimSensor {
  const found = world.list("sensor").find((sensor) => {
    const { status, since } = world.state(sensor, AT + 3 * HOUR);
    return status === "up" && since < AT - HOUR && sensor.intervalSeconds === 60;
  });
  if (found === undefined) throw new Error("no sensor stays up");
  return found;
}

function statusOf(node: SimNode, at: number): SimStatus {
  return world.state(node, at).status;
}

function measured(sensor: SimSensor, at: number): unknown[] {
  return sensor.channels.map((channel) => world.lastMeasurement(channel, at));
}

describe("pause and resume", () => {
  test("a paused sensor keeps its last measurement and continues after the next scan", () => {
    const sensor = sensorThatStaysUp();
    const before = measured(sensor, AT);
    const unchanged = createWorld({ seed: 5, size: { sensors: 260 }, startedAt: STARTED_AT }).channel(
      `${sensor.id}.${primary(sensor).number}`,
    );
    world.pause(sensor.id, AT, "maintenance");
    expect(world.state(sensor, AT)).toEqual({ status: "pausedbyuser", since: AT, message: "maintenance" });
    expect(statusOf(sensor, AT - 1)).toBe("up");
    for (const later of [0, 1, MINUTE, DAY]) expect(measured(sensor, AT + later)).toEqual(before);
    world.resume(sensor.id, AT + HOUR);
    expect(measured(sensor, AT + HOUR - 1)).toEqual(before);
    // Unknown from resumption to the next scan.
    expect(statusOf(sensor, AT + HOUR)).toBe("unknown");
    expect(measured(sensor, AT + HOUR)).toEqual(before);
    const after = AT + HOUR + MINUTE;
    const scan = world.lastMeasurement(primary(sensor), after);
    expect(scan?.at).toBeGreaterThan(AT + HOUR);
    expect(world.state(sensor, after)).toMatchObject({ status: "up", since: scan?.at });
    // The values are those without the pause.
    expect(
      unchanged &&
        createWorld({ seed: 5, size: { sensors: 260 }, startedAt: STARTED_AT }).lastMeasurement(unchanged, after),
    ).toEqual(scan);
  });

  test("a pause between two scans changes only its own time", () => {
    const sensor = sensorThatStaysUp();
    const due = world.lastMeasurement(primary(sensor), AT)?.at ?? 0;
    world.pause(sensor.id, due + 5000);
    world.resume(sensor.id, due + 9000);
    expect([due + 4999, due + 5000, due + 9000].map((at) => statusOf(sensor, at))).toEqual([
      "up",
      "pausedbyuser",
      "up",
    ]);
    expect(world.state(sensor, due + 9000).since).toBe(due + 9000);
  });

  test.each([0, 1])("a scan that is due at the start of a pause still runs (%i ms later)", (late) => {
    const sensor = sensorThatStaysUp();
    const due = world.lastMeasurement(primary(sensor), AT)?.at ?? 0;
    const before = measured(sensor, due);
    world.pause(sensor.id, due + late);
    expect(measured(sensor, due + HOUR)).toEqual(before);
    expect(measured(sensor, due)).toEqual(before);
  });

  test("a paused group pauses all objects below by dependency, also new ones", () => {
    const group = world
      .list("group")
      .find(({ children }) => children.some(({ kind, children: own }) => kind === "device" && own.length > 0));
    const device = first(group?.children ?? []);
    world.pause(group?.id ?? "", AT);
    const added = world.addSensor(device.id, "new", AT + MINUTE);
    expect(group && statusOf(group, AT)).toBe("pausedbyuser");
    for (const node of [device, ...device.children, added])
      expect(statusOf(node, AT + MINUTE)).toBe("pausedbydependency");
    expect(world.lastMeasurement(primary(added), AT + HOUR)).toBeUndefined();
    world.resume(group?.id ?? "", AT + HOUR);
    expect(statusOf(device, AT + HOUR)).toBe("up");
    expect(world.lastMeasurement(primary(added), AT + HOUR + MINUTE)?.at).toBeGreaterThan(AT + HOUR);
  });

  test("a paused sensor stays paused when its device is paused and resumed", () => {
    const sensor = sensorThatStaysUp();
    const deviceId = sensor.parent?.id ?? "";
    world.pause(sensor.id, AT);
    world.pause(deviceId, AT + MINUTE);
    world.resume(deviceId, AT + 2 * MINUTE);
    for (const later of [0, MINUTE, 2 * MINUTE, HOUR]) {
      expect(world.state(sensor, AT + later)).toMatchObject({ status: "pausedbyuser", since: AT });
    }
  });

  test("resuming ends a pause of the initial world", () => {
    const big = createWorld({ seed: 1, startedAt: STARTED_AT });
    const device = big.list("device").find((one) => big.state(one, AT).status === "pausedbyuser");
    const sensors = big.list("sensor").filter(({ parent }) => parent === device);
    expect(sensors.length).toBeGreaterThan(0);
    big.resume(device?.id ?? "", AT);
    expect(device && big.state(device, AT)).toMatchObject({ status: "up", since: AT });
    expect(device && big.state(device, AT - 1).status).toBe("pausedbyuser");
    const later = sensors.map((sensor) => big.state(sensor, AT + 2 * HOUR).status);
    expect(later).not.toContain("pausedbydependency");
    expect(later).toContain("up");
  });

  test("calls can come in any order of time", () => {
    const sensor = sensorThatStaysUp();
    world.resume(sensor.id, AT + HOUR);
    world.pause(sensor.id, AT);
    expect(statusOf(sensor, AT + HOUR - 1)).toBe("pausedbyuser");
    expect(statusOf(sensor, AT + HOUR + MINUTE)).toBe("up");
  });
});

describe("forced status", () => {
  const scanning: readonly SimStatus[] = ["up", "warning", "unusual", "partialdown"];
  const empty: readonly SimStatus[] = ["down", "acknowledged"];
  const halted: readonly SimStatus[] = [
    ...(["none", "unknown", "collecting", "disconnected", "pausedbyuser", "pausedbydependency"] as const),
    ...(["pausedbyschedule", "pausedbylicense", "pauseduntil"] as const),
  ];

  test.each([...scanning, ...empty, ...halted])(
    "%s appears immediately and lasts until the sensor is resumed",
    (status) => {
      const sensor = sensorThatStaysUp();
      world.force(sensor.id, status, AT);
      for (const later of [0, MINUTE, 30 * DAY]) expect(statusOf(sensor, AT + later)).toBe(status);
      expect(statusOf(sensor, AT - 1)).toBe("up");
      world.resume(sensor.id, AT + HOUR);
      expect(statusOf(sensor, AT + HOUR + MINUTE)).toBe("up");
    },
  );

  test.each(scanning)("%s: values continue", (status) => {
    const sensor = sensorThatStaysUp();
    world.force(sensor.id, status, AT);
    const at = AT + 30 * MINUTE;
    for (const channel of ownChannels(sensor))
      expect(typeof world.lastMeasurement(channel, at)?.displayValue).toBe("number");
    expect(at - (world.lastMeasurement(primary(sensor), at)?.at ?? 0)).toBeLessThan(MINUTE);
    expect(world.channel(`${sensor.id}.-4`) && measured(sensor, at).at(-1)).toMatchObject({ displayValue: 0 });
  });

  test.each(empty)("%s: the next scan has no values, and old values stay", (status) => {
    const sensor = sensorThatStaysUp();
    const before = measured(sensor, AT - 1);
    world.force(sensor.id, status, AT);
    expect(measured(sensor, AT - 1)).toEqual(before);
    for (const channel of ownChannels(sensor))
      expect(world.lastMeasurement(channel, AT + MINUTE)?.displayValue).toBeNull();
    expect(measured(sensor, AT + MINUTE).at(-1)).toMatchObject({ displayValue: 100, value: 100 });
  });

  test.each(halted)("%s: scans stop", (status) => {
    const sensor = sensorThatStaysUp();
    const before = measured(sensor, AT);
    world.force(sensor.id, status, AT);
    expect(measured(sensor, AT + DAY)).toEqual(before);
  });

  test("a forced warning moves a limited channel beyond its warning limit", () => {
    const sensor = world
      .list("sensor")
      .find(({ channels }) =>
        channels.some(({ limits }) => limits.maxWarning !== undefined && limits.maxError !== undefined),
      );
    world.force(sensor?.id ?? "", "warning", AT);
    const out = sensor?.channels.filter((channel) => {
      const value = world.lastMeasurement(channel, AT + HOUR)?.displayValue ?? 0;
      return value > (channel.limits.maxWarning ?? Infinity) && value <= (channel.limits.maxError ?? Infinity);
    });
    expect(out).toHaveLength(1);
    expect(sensor && world.state(sensor, AT + HOUR).message).toContain("above the warning limit");
  });

  test("a forced status overrides a paused parent and an alarm", () => {
    const sensor = sensorThatStaysUp();
    world.pause(sensor.parent?.id ?? "", AT);
    world.force(sensor.id, "up", AT + MINUTE);
    expect(statusOf(sensor, AT + HOUR)).toBe("up");
    expect(world.lastMeasurement(primary(sensor), AT + HOUR)?.at).toBeGreaterThan(AT + HOUR - MINUTE);
  });

  test("only sensors accept a forced status", () => {
    expect(() => world.force(first(world.list("device")).id, "down", AT)).toThrow(RangeError);
  });
});

describe("acknowledgements", () => {
  test("an acknowledgement lasts until the alarm ends and not longer", () => {
    const sensor = sensorThatStaysUp();
    world.force(sensor.id, "down", AT);
    const { message } = world.state(sensor, AT);
    world.acknowledge(sensor.id, AT + MINUTE, "seen");
    expect(statusOf(sensor, AT + MINUTE - 1)).toBe("down");
    expect(world.state(sensor, AT + HOUR)).toEqual({ status: "acknowledged", since: AT + MINUTE, message });
    expect(world.lastMeasurement(primary(sensor), AT + HOUR)?.displayValue).toBeNull();
    world.resume(sensor.id, AT + 2 * HOUR);
    expect(statusOf(sensor, AT + 2 * HOUR + MINUTE)).toBe("up");
    world.force(sensor.id, "down", AT + 3 * HOUR);
    expect(world.state(sensor, AT + 3 * HOUR)).toMatchObject({ status: "down", since: AT + 3 * HOUR });
  });

  test("an acknowledgement works for alarms of the world", () => {
    const big = createWorld({ seed: 1, startedAt: STARTED_AT });
    const sensor = findSensor(big, "down", AT);
    const { since } = big.state(sensor, AT);
    big.acknowledge(sensor.id, AT);
    expect(big.state(sensor, AT)).toMatchObject({ status: "acknowledged", since: AT });
    expect(big.state(sensor, AT - 1)).toMatchObject({ status: "down", since });
    expect(["up", "warning"]).toContain(big.state(sensor, AT + 20 * DAY).status);
  });

  test("an acknowledgement fails if the sensor is not down", () => {
    const sensor = sensorThatStaysUp();
    expect(() => world.acknowledge(sensor.id, AT)).toThrow(
      `the sensor ${sensor.id} cannot be acknowledged: it is up, not down`,
    );
  });
});

describe("changes of the tree", () => {
  test("a removed device takes its sensors and channels along, and earlier lists stay unchanged", () => {
    const device = world.list("device").find(({ children }) => children.length > 3);
    const [devices, sensors, channels] = [world.list("device"), world.list("sensor"), world.channels()];
    const [devicesBefore, sensorsBefore, channelsBefore] = [[...devices], [...sensors], [...channels]];
    const doomed = device?.children ?? [];
    const lost = channels.filter(({ sensor }) => sensor.parent === device);
    world.remove(device?.id ?? "");
    expect(world.list("device")).toHaveLength(devices.length - 1);
    expect(world.list("sensor")).toHaveLength(sensors.length - doomed.length);
    expect(world.channels()).toHaveLength(channels.length - lost.length);
    expect(device?.parent?.children).not.toContain(device);
    for (const node of [device, ...doomed]) expect(world.node(node?.id ?? "")).toBeUndefined();
    for (const { sensor, number } of lost) expect(world.channel(`${sensor.id}.${number}`)).toBeUndefined();
    expect([devices, sensors, channels]).toEqual([devicesBefore, sensorsBefore, channelsBefore]);
  });

  test("a removed probe takes groups, devices and sensors along", () => {
    const probe = world.list("probe").at(-1);
    world.remove(probe?.id ?? "");
    const above = (node: SimNode): SimNode => (node.parent?.parent === undefined ? node : above(node.parent));
    for (const node of [...world.list("group"), ...world.list("device"), ...world.list("sensor")]) {
      expect(above(node)).not.toBe(probe);
    }
    expect(world.list("probe")).not.toContain(probe);
  });

  test("renaming keeps everything but the name", () => {
    const sensor = sensorThatStaysUp();
    const before = measured(sensor, AT);
    world.rename(sensor.id, 'new "name"');
    expect(world.node(sensor.id)).toBe(sensor);
    expect(sensor.name).toBe('new "name"');
    expect(measured(sensor, AT)).toEqual(before);
  });

  test("a move changes the parent and the inherited pauses, but no measurements", () => {
    const sensor = sensorThatStaysUp();
    const target = world
      .list("device")
      .find((device) => device !== sensor.parent && statusOf(device, AT) === "up") as SimDevice;
    const from = sensor.parent;
    world.move(sensor.id, target.id);
    expect([sensor.parent, target.children.includes(sensor), from?.children.includes(sensor)]).toEqual([
      target,
      true,
      false,
    ]);
    world.pause(target.id, AT);
    expect(statusOf(sensor, AT)).toBe("pausedbydependency");
  });

  test.each<[string, (of: World) => [string, string]]>([
    ["a group into itself", (of) => [first(of.list("group")).id, first(of.list("group")).id]],
    [
      "a group into a group below it",
      (of) => {
        const inner = of.list("group").find(({ parent }) => parent?.kind === "group");
        return [inner?.parent?.id ?? "", inner?.id ?? ""];
      },
    ],
    ["a sensor into a group", (of) => [first(of.list("sensor")).id, first(of.list("group")).id]],
    ["a device into a device", (of) => [first(of.list("device")).id, of.list("device")[1]?.id ?? ""]],
    ["the root", (of) => ["0", first(of.list("probe")).id]],
    ["to a parent that is not there", (of) => [first(of.list("device")).id, "999999"]],
  ])("a move fails: %s", (_, pair) => {
    expect(() => world.move(...pair(world))).toThrow(RangeError);
  });

  test("a new device and its sensor have new ids, come last and measure from the first scan", () => {
    const taken = new Set(
      [...world.list("probe"), ...world.list("group"), ...world.list("device"), ...world.list("sensor")].map(
        ({ id }) => id,
      ),
    );
    const channels = world.channels().length;
    const device = world.addDevice(first(world.list("group")).id, "new-sw-1", AT);
    const sensor = world.addSensor(device.id, "Ping v2", AT);
    expect(taken.has(device.id) || taken.has(sensor.id) || device.id === sensor.id).toBe(false);
    expect([world.list("device").at(-1), world.list("sensor").at(-1), world.channels().at(-1)?.sensor]).toEqual([
      device,
      sensor,
      sensor,
    ]);
    expect(world.channels()).toHaveLength(channels + sensor.channels.length);
    expect([world.node(sensor.id), device.children, device.name]).toEqual([sensor, [sensor], "new-sw-1"]);
    expect(world.state(sensor, AT)).toMatchObject({ status: "unknown", since: AT });
    expect(world.lastMeasurement(primary(sensor), AT)).toBeUndefined();
    const scan = world.lastMeasurement(primary(sensor), AT + sensor.intervalSeconds * 1000);
    expect(scan?.at).toBeGreaterThanOrEqual(AT);
    expect(statusOf(sensor, AT + sensor.intervalSeconds * 1000)).toBe("up");
  });

  test.each<[string, (of: World, id: string) => unknown]>([
    ["remove", (of, id) => of.remove(id)],
    ["rename", (of, id) => of.rename(id, "x")],
    ["move", (of, id) => of.move(id, "1")],
    ["addDevice", (of, id) => of.addDevice(id, "x", AT)],
    ["addSensor", (of, id) => of.addSensor(id, "x", AT)],
    ["pause", (of, id) => of.pause(id, AT)],
    ["resume", (of, id) => of.resume(id, AT)],
    ["acknowledge", (of, id) => of.acknowledge(id, AT)],
    ["force", (of, id) => of.force(id, "down", AT)],
  ])("%s of an unknown id throws RangeError", (_, change) => {
    expect(() => change(world, "999999")).toThrow(new RangeError("there is no object with the id 999999"));
  });

  test("the root cannot be removed", () => {
    expect(() => world.remove("0")).toThrow(RangeError);
  });
});
