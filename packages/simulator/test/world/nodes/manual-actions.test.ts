import { beforeEach, describe, expect, test } from "vitest";
import type { SimSensor, SimStatus, World } from "../../../src/world/model.ts";
import { createWorld } from "../../../src/world/world.ts";
import { HOUR, MINUTE, STARTED_AT } from "../fixtures.ts";

const AT = STARTED_AT + 2 * HOUR;

let world: World;
let sensor: SimSensor;
beforeEach(() => {
  world = createWorld({ seed: 5, size: { sensors: 40 }, startedAt: STARTED_AT });
  const found = world.list("sensor").find((one) => {
    const { status, since } = world.state(one, AT + 3 * HOUR);
    return status === "up" && since < AT - HOUR && one.intervalSeconds === 60;
  });
  if (found === undefined) throw new Error("no sensor stays up");
  sensor = found;
});

function statusAt(at: number): SimStatus {
  return world.state(sensor, at).status;
}

function lastScan(at: number): number | undefined {
  const [primary] = sensor.channels;
  return primary && world.lastMeasurement(primary, at)?.at;
}

describe("pause with an end", () => {
  test("shows its message, ends, and leaves the sensor unknown until its next scan", () => {
    const end = AT + 10 * MINUTE;
    const before = lastScan(AT);
    world.pause(sensor.id, AT, "maintenance", end);
    expect(world.state(sensor, AT)).toEqual({ status: "pauseduntil", since: AT, message: "maintenance" });
    expect(world.state(sensor, end - 1)).toEqual({ status: "pauseduntil", since: AT, message: "maintenance" });
    expect(lastScan(end)).toBe(before);
    expect(world.state(sensor, end)).toMatchObject({ status: "unknown", since: end });
    const scan = lastScan(end + MINUTE);
    expect(scan).toBeGreaterThan(end);
    expect(world.state(sensor, end + MINUTE)).toMatchObject({ status: "up", since: scan });
  });

  test("pauses the sensors of a device by dependency for the same time", () => {
    const device = sensor.parent;
    world.pause(device?.id ?? "", AT, "", AT + MINUTE * 5);
    expect(device && world.state(device, AT).status).toBe("pauseduntil");
    expect(statusAt(AT + 5 * MINUTE - 1)).toBe("pausedbydependency");
    expect(statusAt(AT + 6 * MINUTE)).toBe("up");
    expect(device && world.state(device, AT + 5 * MINUTE)).toMatchObject({ status: "up", since: AT + 5 * MINUTE });
  });

  test("can be replaced and ended early", () => {
    world.pause(sensor.id, AT, "", AT + 10 * MINUTE);
    world.pause(sensor.id, AT + MINUTE, "", AT + 3 * MINUTE);
    expect(statusAt(AT + 3 * MINUTE - 1)).toBe("pauseduntil");
    expect(statusAt(AT + 4 * MINUTE)).toBe("up");
    world.pause(sensor.id, AT + 5 * MINUTE, "", AT + 50 * MINUTE);
    world.resume(sensor.id, AT + 6 * MINUTE);
    expect(statusAt(AT + 7 * MINUTE)).toBe("up");
  });
});

test.each([
  ["a user", (id: string) => world.pause(id, AT, "new disks"), "new disks"],
  ["a user without a message", (id: string) => world.pause(id, AT), "Paused by parent"],
  [
    "a schedule",
    (id: string) => {
      const effect = { kind: "status", status: "pausedbyschedule", message: "backup window" } as const;
      world.addIncident(id, { start: AT, lengthMs: HOUR, everyMs: Infinity, times: 1, effect });
    },
    "backup window",
  ],
])("the sensors of a device show the message of a pause by %s", (_who, pause, message) => {
  pause(sensor.parent?.id ?? "");
  expect(world.state(sensor, AT)).toMatchObject({ status: "pausedbydependency", message });
});

describe("acknowledgement with an end", () => {
  test("ends during the alarm and can be repeated", () => {
    world.force(sensor.id, "down", AT);
    const { message } = world.state(sensor, AT + MINUTE);
    world.acknowledge(sensor.id, AT + MINUTE, "seen", AT + 6 * MINUTE);
    expect(world.state(sensor, AT + 6 * MINUTE - 1)).toEqual({ status: "acknowledged", since: AT + MINUTE, message });
    expect(world.state(sensor, AT + HOUR)).toMatchObject({ status: "down", since: AT + 6 * MINUTE });
    world.acknowledge(sensor.id, AT + HOUR);
    expect(statusAt(AT + HOUR)).toBe("acknowledged");
    world.resume(sensor.id, AT + 2 * HOUR);
    expect(statusAt(AT + 2 * HOUR + MINUTE)).toBe("up");
  });

  test.each([
    ["still fails", 60, "down"],
    ["has recovered before", 20, "up"],
  ] as const)("leaves a sensor that %s in its own status", (_what, minutes, then) => {
    const effect = { kind: "status", status: "down", message: "No answer" } as const;
    world.addIncident(sensor.id, { start: AT, lengthMs: minutes * MINUTE, everyMs: Infinity, times: 1, effect });
    world.acknowledge(sensor.id, AT + 5 * MINUTE, "seen", AT + 30 * MINUTE);
    expect(world.state(sensor, AT + 15 * MINUTE)).toMatchObject({ status: "acknowledged", message: "No answer" });
    expect(statusAt(AT + 30 * MINUTE)).toBe(then);
  });

  test("shows its message if the world is told so", () => {
    const options = { seed: 5, size: { sensors: 40 }, startedAt: STARTED_AT };
    const showing = createWorld({ ...options, showsAcknowledgements: true });
    showing.force(sensor.id, "down", AT);
    const [one] = showing.list("sensor").filter(({ id }) => id === sensor.id);
    if (one === undefined) throw new Error("the worlds differ");
    const { message } = showing.state(one, AT);
    showing.acknowledge(one.id, AT + MINUTE, "seen", AT + 6 * MINUTE);
    expect(showing.state(one, AT + 2 * MINUTE)).toMatchObject({ status: "acknowledged", message: "seen" });
    expect(showing.state(one, AT + 6 * MINUTE)).toMatchObject({ status: "down", message });
    showing.acknowledge(one.id, AT + 7 * MINUTE);
    expect(showing.state(one, AT + 7 * MINUTE)).toMatchObject({ status: "acknowledged", message });
  });

  test("works for sensors that are partially down", () => {
    world.force(sensor.id, "partialdown", AT);
    world.acknowledge(sensor.id, AT + MINUTE);
    expect(statusAt(AT + HOUR)).toBe("acknowledged");
  });
});

describe("requested scan", () => {
  test("becomes the last measurement and a row of the time series", () => {
    const regular = lastScan(AT) ?? 0;
    const asked = regular + 17_300;
    const rows = world.measurements(sensor, AT - HOUR, AT + HOUR);
    world.scan(sensor.id, asked);
    expect(lastScan(asked)).toBe(regular + 17_000);
    expect(lastScan(asked - 301)).toBe(regular);
    expect(lastScan(regular + MINUTE)).toBe(regular + MINUTE);
    const more = world.measurements(sensor, AT - HOUR, AT + HOUR);
    expect(more).toHaveLength(rows.length + 1);
    expect(more.filter(({ at }) => at !== regular + 17_000)).toEqual(rows);
    expect(more.find(({ at }) => at === regular + 17_000)?.displayValues.every((value) => value !== null)).toBe(true);
  });

  test("counts once a second, but not together with a regular scan", () => {
    const regular = lastScan(AT) ?? 0;
    const { length } = world.measurements(sensor, AT - HOUR, AT + HOUR);
    world.scan(sensor.id, regular + 500);
    expect(world.measurements(sensor, AT - HOUR, AT + HOUR)).toHaveLength(length);
    for (const after of [2000, 2400, 3000]) world.scan(sensor.id, regular + after);
    expect(world.measurements(sensor, AT - HOUR, AT + HOUR)).toHaveLength(length + 2);
  });

  test("gives a new sensor the current second as its time", () => {
    const device = world.list("device")[0];
    const added = world.addSensor(device?.id ?? "", "new", AT + 301);
    world.scan(added.id, AT + 302);
    expect(world.measurements(added, AT - HOUR, AT + 302).map(({ at }) => at)).toEqual([AT]);
    const [channel] = added.channels;
    expect(channel && world.lastMeasurement(channel, AT + 302)).toMatchObject({ at: AT });
    expect(world.state(added, AT + 302)).toMatchObject({ status: "up", since: AT });
  });

  test("counts in the averages like a regular scan", () => {
    const hour = Math.floor(AT / HOUR) * HOUR;
    const [before] = world.averages(sensor, hour, hour + HOUR, HOUR);
    const moments = Array.from({ length: 30 }, (_, index) => AT + index * 1000);
    for (const at of moments) world.scan(sensor.id, at);
    const rows = world.measurements(sensor, hour, hour + HOUR - 1);
    const values = rows.flatMap(({ displayValues: [value] }) => value ?? []);
    const [after] = world.averages(sensor, hour, hour + HOUR, HOUR);
    expect(after?.displayValues[0]).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 6);
    expect(after).not.toEqual(before);
  });

  test("shows the status of a resumed sensor immediately", () => {
    world.pause(sensor.id, AT);
    world.resume(sensor.id, AT + HOUR + 2500);
    expect(statusAt(AT + HOUR + 2500)).toBe("unknown");
    world.scan(sensor.id, AT + HOUR + 3500);
    expect(world.state(sensor, AT + HOUR + 3500)).toMatchObject({ status: "up", since: AT + HOUR + 3000 });
  });

  test("has no effect during a pause", () => {
    world.pause(sensor.id, AT);
    const before = lastScan(AT);
    world.scan(sensor.id, AT + MINUTE);
    expect(lastScan(AT + HOUR)).toBe(before);
  });
});
