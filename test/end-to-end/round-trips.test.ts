import { afterAll, beforeAll, expect, test } from "vitest";
import type { SimSensor, World } from "../../packages/simulator/src/world/model.ts";
import type { ParsedSample } from "../support/parse-sample.ts";
import { type SimulatedExporter, startSimulatedExporter, TEST_KEY } from "../support/simulated-exporter.ts";

const MINUTE = 60_000;

let exporter: SimulatedExporter;
let world: World;
let at: number;

beforeAll(async () => {
  exporter = await startSimulatedExporter({
    seed: 5,
    size: { probes: 2, groups: 6, devices: 12, sensors: 48 },
    // A step of minutes would look like an outage and cause a backfill.
    settings: "collectors: { timeseries: { mode: off } }",
  });
  ({ world } = exporter.simulator);
  // The world does not change between two polls.
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

async function polled(): Promise<readonly ParsedSample[]> {
  expect(await exporter.poll()).toBe(true);
  return [...(await exporter.samples()).values()];
}

function of(samples: readonly ParsedSample[], name: string, labels: Readonly<Record<string, string>>): ParsedSample[] {
  const pairs = Object.entries(labels);
  return samples.filter((one) => one.name === name && pairs.every(([key, value]) => one.labels[key] === value));
}

function statusOf(samples: readonly ParsedSample[], sensorId: string): string | undefined {
  const [found, ...more] = of(samples, "prtg_sensor_status", { sensor_id: sensorId });
  expect(more).toEqual([]);
  return found?.labels.status;
}

/** Up, with a value, scanned every minute. */
function calmSensor(index = 0): SimSensor {
  const calm = world.list("sensor").filter((sensor) => {
    const { status, since } = world.state(sensor, at + 60 * MINUTE);
    return status === "up" && since < at - 60 * MINUTE && sensor.intervalSeconds === 60;
  });
  const sensor = calm.at(index);
  if (sensor?.parent === undefined) throw new Error("nothing is calm");
  return sensor;
}

test("a rename reaches the page", async () => {
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

test("a new interval reaches the page", async () => {
  const { id } = calmSensor();
  await send("PATCH", `/experimental/sensors/${id}`, { intervalgroup: { interval: "300" } });
  const samples = await polled();
  expect(of(samples, "prtg_sensor_interval_seconds", { sensor_id: id })).toMatchObject([{ value: "300" }]);
});

test("a move reaches the page", async () => {
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

test("a new object appears completely once it is ready", async () => {
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

test("a deleted object disappears after the second complete poll", async () => {
  const sensor = calmSensor();
  const device = calmSensor(-1).parent;
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
