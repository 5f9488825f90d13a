import { afterAll, beforeAll, expect, test } from "vitest";
import type { SimSensor, World } from "../../packages/simulator/src/world/model.ts";
import type { ParsedSample } from "../support/parse-sample.ts";
import { type SimulatedExporter, startSimulatedExporter, TEST_KEY } from "../support/simulated-exporter.ts";

/** What is done through the API, as it shows in `/metrics` after the next poll. */

const MINUTE = 60_000;

let exporter: SimulatedExporter;
let world: World;
let at: number;

beforeAll(async () => {
  exporter = await startSimulatedExporter({
    seed: 5,
    size: { probes: 2, groups: 6, devices: 12, sensors: 48 },
    // A step of minutes would look like an outage, after which the exporter fetches what it has missed.
    settings: "collectors: { timeseries: { mode: off } }",
  });
  ({ world } = exporter.simulator);
  // Nothing of its own accord happens between two polls.
  at = Date.now();
  exporter.simulator.freezeAt(at);
  expect(await exporter.poll()).toBe(true);
});

afterAll(() => exporter?.close());

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const response = await fetch(`${exporter.simulator.url}/api/v2${path}`, {
    method,
    headers: { Authorization: `Bearer ${TEST_KEY}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

function advance(ms: number): void {
  at += ms;
  exporter.simulator.freezeAt(at);
}

/** The page after a poll. */
async function polled(): Promise<readonly ParsedSample[]> {
  expect(await exporter.poll()).toBe(true);
  return [...(await exporter.samples()).values()];
}

function of(samples: readonly ParsedSample[], name: string, labels: Readonly<Record<string, string>>): ParsedSample[] {
  const wanted = Object.entries(labels);
  return samples.filter((one) => one.name === name && wanted.every(([key, value]) => one.labels[key] === value));
}

function statusOf(samples: readonly ParsedSample[], sensorId: string): string | undefined {
  const [found, ...more] = of(samples, "prtg_sensor_status", { sensor_id: sensorId });
  expect(more).toEqual([]);
  return found?.labels.status;
}

/** Up, measured, and scanned once a minute. */
function calmSensor(index = 0): SimSensor {
  const calm = world.list("sensor").filter((sensor) => {
    const { status, since } = world.state(sensor, at + 60 * MINUTE);
    return status === "up" && since < at - 60 * MINUTE && sensor.intervalSeconds === 60;
  });
  const sensor = calm[index];
  if (sensor?.parent === undefined) throw new Error("nothing is calm");
  return sensor;
}

test("rename", async () => {
  const { id, parent } = calmSensor();
  await send("PATCH", `/experimental/sensors/${id}`, { basic: { name: 'new "name"' } });
  await send("PATCH", `/devices/${parent?.id}`, { basic: { name: "new-device", host: "10.99.0.1" } });
  const samples = await polled();
  const [value] = of(samples, "prtg_channel_value", { sensor_id: id });
  expect(value?.labels).toMatchObject({ sensor: 'new "name"', device: "new-device" });
  expect(of(samples, "prtg_device_info", { device_id: parent?.id ?? "" })).toMatchObject([
    { labels: { device: "new-device", host: "10.99.0.1" } },
  ]);
  const names = new Set(samples.filter(({ labels }) => labels.sensor_id === id).map(({ labels }) => labels.sensor));
  names.delete(undefined);
  expect([...names]).toEqual(['new "name"']);
});

test("another interval", async () => {
  const { id } = calmSensor();
  await send("PATCH", `/experimental/sensors/${id}`, { intervalgroup: { interval: "300" } });
  const samples = await polled();
  expect(of(samples, "prtg_sensor_interval_seconds", { sensor_id: id })).toMatchObject([{ value: "300" }]);
});

test("pause with an end, and what is left of it after that", async () => {
  const { id } = calmSensor();
  await send("POST", `/sensors/${id}/pause`, { duration: 90, message: "maintenance" });
  const paused = await polled();
  expect(statusOf(paused, id)).toBe("pauseduntil");
  expect(of(paused, "prtg_channel_value", { sensor_id: id })).toEqual([]);
  const [since] = of(paused, "prtg_sensor_status_since_timestamp_seconds", { sensor_id: id });
  expect(Number(since?.value)).toBe(Math.floor(at / 1000));
  advance(2 * MINUTE + 1000);
  await send("POST", `/sensors/${id}/scan`);
  const over = await polled();
  expect(statusOf(over, id)).toBe("up");
  expect(of(over, "prtg_channel_value", { sensor_id: id }).length).toBeGreaterThan(0);
  const [scanned] = of(over, "prtg_sensor_last_measurement_timestamp_seconds", { sensor_id: id });
  expect(Number(scanned?.value)).toBe(Math.floor(at / 1000));
});

test("pause of a device by filter, and its resumption", async () => {
  const device = calmSensor().parent;
  const filter = `id = "${device?.id}"`;
  await send("POST", "/devices/pause", { filter });
  const paused = await polled();
  for (const { id } of device?.children ?? []) expect(statusOf(paused, id)).toBe("pausedbydependency");
  expect(of(paused, "prtg_node_status_code", { id: device?.id ?? "" })[0]?.value).toBe("7");
  await send("POST", "/devices/resume", { filter });
  advance(6 * MINUTE);
  const resumed = await polled();
  for (const { id } of device?.children ?? []) expect(statusOf(resumed, id)).not.toMatch(/^paused/);
});

test("acknowledgement", async () => {
  const sensor = calmSensor();
  world.force(sensor.id, "down", at);
  expect(statusOf(await polled(), sensor.id)).toBe("down");
  await send("POST", `/sensors/${sensor.id}/acknowledge`, { duration: 60 });
  expect(statusOf(await polled(), sensor.id)).toBe("acknowledged");
  advance(MINUTE);
  expect(statusOf(await polled(), sensor.id)).toBe("down");
  world.resume(sensor.id, at);
});

test("dependency", async () => {
  const [sensor, other] = [calmSensor(), calmSensor(5)];
  expect(sensor.parent).not.toBe(other.parent);
  const body = { scheduledependency: { dependencytype: "1", dependency: other.id } };
  await send("PATCH", `/experimental/sensors/${sensor.id}`, body);
  expect(statusOf(await polled(), sensor.id)).not.toMatch(/^paused/);
  world.force(other.id, "down", at + 1);
  advance(1);
  expect(statusOf(await polled(), sensor.id)).toBe("pausedbydependency");
  world.resume(other.id, at + 1);
  advance(6 * MINUTE);
  expect(statusOf(await polled(), sensor.id)).toBe("up");
});

test("move", async () => {
  const sensor = calmSensor();
  const target = world
    .list("device")
    .find((device) => device !== sensor.parent && device.parent !== sensor.parent?.parent);
  await send("POST", `/objects/${sensor.id}/move`, { parent: target?.id, position_preset: "top" });
  const samples = await polled();
  const [value, ...others] = of(samples, "prtg_sensor_status", { sensor_id: sensor.id });
  expect(others).toEqual([]);
  expect(value?.labels.device).toBe(target?.name);
  expect(value?.labels.path).toContain(`${target?.name}/`);
  expect(of(samples, "prtg_sensor_info", { sensor_id: sensor.id })[0]?.labels.device_id).toBe(target?.id);
});

test("creation: nothing until it is ready, then everything", async () => {
  const [group] = world.list("group");
  const counts = (samples: readonly ParsedSample[]) =>
    ["device", "sensor"].map((kind) => Number(of(samples, "prtg_objects", { kind })[0]?.value));
  const before = counts(await polled());
  const body = { basic: { name: "new-srv", host: "10.98.0.1" } };
  const created = await send("POST", `/experimental/groups/${group?.id}/device`, body);
  const [{ id: deviceId }] = (await created.json()) as [{ id: string }];
  expect(counts(await polled())).toEqual(before);
  advance(2000);
  const answer = await send("POST", `/experimental/devices/${deviceId}/sensor?kindid=ping`, {
    basic: { name: "hello" },
  });
  const [{ id }] = (await answer.json()) as [{ id: string }];
  const half = await polled();
  expect(of(half, "prtg_device_info", { device_id: deviceId })).toMatchObject([
    { labels: { device: "new-srv", host: "10.98.0.1" } },
  ]);
  expect(statusOf(half, id)).toBeUndefined();
  advance(2 * MINUTE);
  const whole = await polled();
  expect(statusOf(whole, id)).toBe("up");
  expect(of(whole, "prtg_channel_value", { sensor_id: id }).length).toBeGreaterThan(0);
  expect(counts(whole)).toEqual(before.map((count) => count + 1));
});

test("clone, which is paused", async () => {
  const { parent: device } = calmSensor(3);
  const answer = await send("POST", `/devices/${device?.id}/clone`, {
    parent_id: device?.parent?.id,
    host: "10.97.0.1",
  });
  const id = answer.headers.get("location")?.split("/").at(-1) ?? "";
  advance(2000);
  const samples = await polled();
  expect(of(samples, "prtg_device_info", { device_id: id })).toMatchObject([{ labels: { host: "10.97.0.1" } }]);
  const sensors = of(samples, "prtg_sensor_info", { device_id: id });
  expect(sensors).toHaveLength(device?.children.length ?? 0);
  for (const { labels } of sensors) expect(statusOf(samples, labels.sensor_id ?? "")).toBe("pausedbydependency");
});

test("deletion: gone after the second complete poll", async () => {
  const sensor = calmSensor();
  const device = calmSensor(3).parent;
  expect(sensor.parent).not.toBe(device);
  const doomed = [sensor.id, ...(device?.children.map(({ id }) => id) ?? [])];
  await send("DELETE", `/experimental/sensors/${sensor.id}`);
  await send("DELETE", `/experimental/devices/${device?.id}`);
  await polled();
  const samples = await polled();
  expect(samples.filter(({ labels }) => doomed.includes(labels.sensor_id ?? ""))).toEqual([]);
  expect(of(samples, "prtg_device_info", { device_id: device?.id ?? "" })).toEqual([]);
  expect(Number(of(samples, "prtg_objects", { kind: "sensor" })[0]?.value)).toBe(world.list("sensor").length);
});
