import { expect, test } from "vitest";
import type { SimChannel, SimSensor } from "../../../src/world/model.ts";
import { createWorld } from "../../../src/world/world.ts";
import { DAY, HOUR, MINUTE, moments, STARTED_AT } from "../fixtures.ts";

const world = createWorld({ seed: 1, startedAt: STARTED_AT });

function sensorsOf(type: string): readonly SimSensor[] {
  return world.list("sensor").filter((sensor) => sensor.type === type);
}

function channelsOf(type: string, name: string): readonly SimChannel[] {
  return sensorsOf(type).flatMap(({ channels }) => channels.filter((channel) => channel.name === name));
}

function series(channel: SimChannel, from: number, step: number, count: number): number[] {
  return Array.from(
    { length: count },
    (_, index) => world.lastMeasurement(channel, from + index * step)?.displayValue,
  ).filter((value) => typeof value === "number");
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

test("a measurement depends only on seed and time, not on the order of reads", () => {
  const asked = moments(16, 200).flatMap((at, index) =>
    world
      .channels()
      .filter((_, position) => position % 397 === index)
      .map((channel) => ({
        id: `${channel.sensor.id}.${channel.number}`,
        at,
        found: world.lastMeasurement(channel, at),
      })),
  );
  expect(asked.length).toBeGreaterThan(400);
  const other = createWorld({ seed: 1, startedAt: STARTED_AT });
  for (const { id, at, found } of asked.toReversed()) {
    const channel = other.channel(id);
    expect(channel && other.lastMeasurement(channel, at)).toEqual(found);
  }
});

test("another seed gives other values", () => {
  const other = createWorld({ seed: 2, startedAt: STARTED_AT });
  const values = (of: typeof world): unknown[] =>
    of.channels().map((channel) => of.lastMeasurement(channel, STARTED_AT)?.displayValue);
  expect(values(other)).not.toEqual(values(world));
});

test("scans of all sensors spread over the interval in whole seconds and never go back", () => {
  const offsets = new Set<number>();
  for (const sensor of world.list("sensor").filter((_, index) => index % 13 === 0)) {
    const interval = sensor.intervalSeconds * 1000;
    const [channel] = sensor.channels;
    let last = -Infinity;
    for (let at = STARTED_AT; at < STARTED_AT + 3 * interval; at += interval / 3 + 7) {
      const measurement = channel && world.lastMeasurement(channel, at);
      if (measurement === undefined) continue;
      expect(measurement.at).toBeLessThanOrEqual(at);
      expect(measurement.at).toBeGreaterThanOrEqual(last);
      expect(measurement.at % 1000).toBe(0);
      offsets.add(measurement.at % interval);
      last = measurement.at;
    }
  }
  expect(offsets.size).toBeGreaterThan(40);
});

test("all channels of a sensor have the same scan", () => {
  for (const at of moments(1, 30)) {
    const scansOf = (sensor: SimSensor) => sensor.channels.map((channel) => world.lastMeasurement(channel, at)?.at);
    expect(world.list("sensor").filter((sensor) => new Set(scansOf(sensor)).size !== 1)).toEqual([]);
  }
});

test("value equals displayValue in the raw unit", () => {
  const [traffic] = channelsOf("snmptraffic", "Traffic In").filter(({ displayUnit }) => displayUnit === "Mbit/s");
  const [memory] = channelsOf("snmpmemory", "Available Memory");
  expect(traffic?.rawFactor).toBe(1e6 / 8);
  expect(memory?.rawFactor).toBe(2 ** 20);
  const wrong = world.channels().filter((channel) => {
    const { displayValue, value } = world.lastMeasurement(channel, STARTED_AT) ?? { displayValue: null, value: null };
    return value !== (displayValue === null ? null : displayValue * channel.rawFactor);
  });
  expect(wrong).toEqual([]);
});

test("every value is a finite number or null, and never -0", () => {
  for (const at of [STARTED_AT - 300 * DAY, STARTED_AT + 100 * DAY]) {
    const values = world.channels().map((channel) => world.lastMeasurement(channel, at)?.displayValue ?? null);
    expect(values.filter((value) => value !== null && (!Number.isFinite(value) || Object.is(value, -0)))).toEqual([]);
  }
});

test("percentages stay between 0 and 100", () => {
  for (const at of moments(1, 200)) {
    const percentages = world.channels().filter(({ displayUnit }) => displayUnit === "%");
    const values = percentages.map((channel) => world.lastMeasurement(channel, at)?.displayValue ?? 0);
    expect(values.filter((value) => value < 0 || value > 100)).toEqual([]);
  }
});

test("counts are whole, and rates have decimals", () => {
  const values = (unit: string): number[] =>
    world
      .channels()
      .filter(({ displayUnit }) => displayUnit === unit)
      .map((channel) => world.lastMeasurement(channel, STARTED_AT)?.displayValue)
      .filter((value) => typeof value === "number");
  expect(values("#").every(Number.isInteger)).toBe(true);
  expect(values("Mbit/s").filter(Number.isInteger).length).toBeLessThan(values("Mbit/s").length / 10);
});

test("traffic is whole bytes per interval, and the total is the sum", () => {
  const sensors = sensorsOf("snmptraffic").filter(({ channels }) => channels[0]?.displayUnit === "Mbit/s");
  for (const sensor of sensors.slice(0, 100)) {
    const read = (name: string): number | null | undefined => {
      const channel = sensor.channels.find((one) => one.name === name);
      return channel && world.lastMeasurement(channel, STARTED_AT)?.displayValue;
    };
    const [total, inbound, outbound] = [read("Traffic Total"), read("Traffic In"), read("Traffic Out")];
    if (typeof total !== "number" || typeof inbound !== "number" || typeof outbound !== "number") continue;
    expect(total).toBeCloseTo(inbound + outbound, 9);
    if (world.state(sensor, STARTED_AT).status !== "up") continue;
    const bytes = (inbound * 1e6 * sensor.intervalSeconds) / 8;
    expect(Math.abs(bytes - Math.round(bytes))).toBeLessThan(1e-3);
  }
});

test("an idle link carries only keep-alive frames of 64 bytes", () => {
  const channels = channelsOf("snmptraffic", "Traffic In").filter(
    (one) => one.displayUnit === "Mbit/s" && one.sensor.intervalSeconds === 60,
  );
  const idle = channels.filter((channel) => {
    const values = series(channel, STARTED_AT, HOUR, 24);
    return values.length > 0 && values.every((value) => value === (640 * 8) / 1e6 / 60);
  });
  expect(idle.length / channels.length).toBeGreaterThan(0.08);
  expect(idle.length / channels.length).toBeLessThan(0.22);
});

test("traffic of an office is high by day and low at night and at weekends", () => {
  // At the first site, one hour east of Greenwich: Thursday 11:00 and 03:00, Sunday 11:00.
  const channels = channelsOf("snmptraffic", "Traffic Total").slice(0, 60);
  const level = (at: number): number =>
    mean(channels.flatMap((channel) => series(channel, at, 5 * MINUTE, 12)).map(Math.log));
  const day = level(Date.UTC(2026, 2, 12, 10));
  const night = level(Date.UTC(2026, 2, 12, 2));
  const sunday = level(Date.UTC(2026, 2, 15, 10));
  expect(Math.exp(day - night)).toBeGreaterThan(10);
  expect(Math.exp(day - sunday)).toBeGreaterThan(3);
});

test("errors come in bursts", () => {
  const channels = channelsOf("snmptraffic", "Errors In").slice(0, 60);
  expect(channels.length).toBeGreaterThan(50);
  const windows = channels.flatMap((channel) =>
    // Each window holds one burst or none.
    Array.from({ length: 72 }, (_, index) => {
      const from = Math.floor(STARTED_AT / (20 * MINUTE)) * 20 * MINUTE + index * 20 * MINUTE;
      return series(channel, from + MINUTE, MINUTE, 18).filter((count) => count > 0).length;
    }),
  );
  const hit = windows.filter((count) => count > 0);
  expect(hit.length / windows.length).toBeLessThan(0.03);
  expect(hit.length).toBeGreaterThan(10);
  expect(mean(hit)).toBeGreaterThan(4);
});

test("disks fill slowly until a cleanup", () => {
  const channels = channelsOf("wmidiskspace", "Free Space C:\\").slice(0, 30);
  let falls = 0;
  let jumps = 0;
  for (const channel of channels) {
    const values = series(channel, STARTED_AT - 300 * DAY, DAY, 300);
    for (const [index, value] of values.entries()) {
      const before = values[index - 1] ?? value;
      if (value < before && before - value < 5) falls++;
      if (value > before + 20) jumps++;
    }
  }
  expect(falls).toBeGreaterThan(channels.length * 250);
  expect(jumps).toBeGreaterThan(channels.length / 2);
});

test("days of a certificate count down to its renewal", () => {
  for (const channel of channelsOf("paessler.certificate.ssl_certificate_sensor", "Days to Expiration").slice(0, 20)) {
    const values = series(channel, STARTED_AT, DAY, 60);
    if (values.length === 0) continue;
    expect(values.every(Number.isInteger)).toBe(true);
    const steps = values.slice(1).map((value, index) => value - (values[index] ?? 0));
    // The shortest cycle is 60 days.
    expect(steps.filter((step) => step > 0).length).toBeLessThanOrEqual(1);
    expect(steps.filter((step) => step === -1).length).toBeGreaterThan(steps.length / 2);
  }
});

test("uptime grows with the clock", () => {
  const [channel] = channelsOf("snmpuptime", "System Uptime");
  const values = channel === undefined ? [] : series(channel, STARTED_AT, HOUR, 24);
  const steps = values.slice(1).map((value, index) => value - (values[index] ?? 0));
  expect(steps.filter((step) => Math.abs(step - 1 / 24) < 0.01).length).toBeGreaterThan(20);
});

test("values start with the history", () => {
  for (const channel of world.channels().slice(0, 500)) {
    expect(world.lastMeasurement(channel, STARTED_AT - 366 * DAY)).toBeUndefined();
    expect(world.state(channel.sensor, STARTED_AT - 366 * DAY).status).toBe("unknown");
  }
  const measured = world
    .channels()
    .filter((channel) => world.lastMeasurement(channel, STARTED_AT - 364 * DAY) !== undefined);
  expect(measured.length).toBeGreaterThan(11_500);
});

test("unknown objects fail", () => {
  const other = createWorld({ seed: 1, size: { sensors: 1 }, startedAt: STARTED_AT });
  const [channel] = other.channels();
  expect(channel && world.lastMeasurement(channel, STARTED_AT)).toEqual(
    channel && other.lastMeasurement(channel, STARTED_AT),
  );
  expect(() => world.state({ ...other.root, id: "x" }, STARTED_AT)).toThrow(RangeError);
});
