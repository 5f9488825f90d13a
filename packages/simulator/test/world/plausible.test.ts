import { expect, test } from "vitest";
import type { SimChannel, SimSensor } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { DAY, HOUR, STARTED_AT } from "./fixtures.ts";

const world = createWorld({ seed: 1, startedAt: STARTED_AT });

function channelOf({ channels }: SimSensor, name: string): SimChannel | undefined {
  return channels.find((channel) => channel.name === name);
}

function day(channel: SimChannel | undefined): number[] {
  return Array.from({ length: 48 }, (_, index) => {
    const at = STARTED_AT + index * (HOUR / 2);
    return channel === undefined ? undefined : world.lastMeasurement(channel, at)?.displayValue;
  }).filter((value) => typeof value === "number");
}

function sensorsOf(type: string): readonly SimSensor[] {
  return world.list("sensor").filter((sensor) => sensor.type === type);
}

test("only temperatures, radio levels, offsets, balances and days left can be negative", () => {
  for (const channel of world.channels()) {
    if (["°C", "dBm", "µs", "d"].includes(channel.displayUnit) || channel.name.includes("Balance")) continue;
    const value = world.lastMeasurement(channel, STARTED_AT)?.displayValue ?? 0;
    expect(value, `${channel.sensor.type}: ${channel.name}`).toBeGreaterThanOrEqual(0);
  }
});

test("all channels that change have different values", () => {
  const seen = new Map<string, string>();
  for (const channel of world.channels().filter(({ number }, index) => number !== -4 && index % 21 === 0)) {
    const values = day(channel);
    // Rarely changing codes and counters look alike.
    if (new Set(values).size < 12) continue;
    const key = values.join(" ");
    expect(seen.get(key), `${channel.sensor.id}.${channel.number}`).toBeUndefined();
    seen.set(key, channel.name);
  }
  expect(seen.size).toBeGreaterThan(160);
});

test("a link carries no more than its capacity, and its total is the sum of both directions", () => {
  for (const sensor of sensorsOf("snmptraffic").slice(0, 60)) {
    const total = channelOf(sensor, "Traffic Total");
    if (total === undefined) continue;
    const capacity = total.displayUnit === "Mbit/s" ? 1000 : 20_000;
    for (const value of day(total)) expect(value).toBeLessThanOrEqual(capacity);
    const [inbound, outbound] = [channelOf(sensor, "Traffic In"), channelOf(sensor, "Traffic Out")];
    if (inbound === undefined || outbound === undefined) continue;
    for (let at = STARTED_AT; at < STARTED_AT + DAY; at += HOUR) {
      const [sum, one, other] = [total, inbound, outbound].map((each) => world.lastMeasurement(each, at)?.displayValue);
      if (typeof sum !== "number" || typeof one !== "number" || typeof other !== "number") continue;
      expect(one + other).toBeCloseTo(sum, 6);
    }
  }
});

test("rates have a unit per second", () => {
  const rates = world
    .channels()
    .filter(({ name }) => /^(Traffic|Read|Write|Disk (read|write)|Network|Repository Throughput)\b/.test(name));
  expect(rates.length).toBeGreaterThan(1000);
  for (const { name, displayUnit } of rates) expect(displayUnit, name).toMatch(/\/s$/);
});

test("free space in bytes and in percent describe the same disk", () => {
  for (const sensor of sensorsOf("snmplinuxdiskfree")) {
    const [percent, bytes] = [channelOf(sensor, "Free Space"), channelOf(sensor, "Free Bytes")];
    if (percent === undefined || bytes === undefined) continue;
    const sizes = day(percent).map((share, index) => (100 * (day(bytes)[index] ?? 0)) / share);
    for (const size of sizes) {
      expect(size).toBeCloseTo(sizes[0] ?? 0, 4);
      expect(size).toBeLessThan(1000);
    }
  }
});

test("a self-signed certificate is untrusted", () => {
  let selfSigned = 0;
  for (const sensor of sensorsOf("paessler.certificate.ssl_certificate_sensor")) {
    const [own] = day(channelOf(sensor, "Self-Signed"));
    const [trusted] = day(channelOf(sensor, "Root Authority Trusted"));
    if (own === undefined || trusted === undefined) continue;
    expect(own + trusted).toBe(1);
    selfSigned += own;
  }
  expect(selfSigned).toBeGreaterThan(0);
});

test("all devices have different addresses", () => {
  const hosts = world
    .list("device")
    .map(({ host }) => host)
    .filter((host) => host !== "127.0.0.1");
  expect(new Set(hosts).size).toBe(hosts.length);
});

test("a value beyond a limit continues to change from scan to scan", () => {
  let jumps = 0;
  let steps = 0;
  for (const sensor of world.list("sensor").filter((one) => world.state(one, STARTED_AT).status === "warning")) {
    const { since, message } = world.state(sensor, STARTED_AT);
    const channel = sensor.channels.find(({ name }) => message.includes(`(${name}) is `));
    const limit = channel?.limits.maxWarning ?? channel?.limits.minWarning;
    if (channel === undefined || limit === undefined) continue;
    const index = sensor.channels.indexOf(channel);
    const rows = world.measurements(sensor, Math.max(since, STARTED_AT - HOUR), STARTED_AT);
    const values = rows.map(({ displayValues }) => displayValues[index] ?? 0);
    const width = Math.max(...values.map((value) => Math.abs(value - limit)));
    for (const [place, value] of values.entries()) {
      if (place === 0) continue;
      steps++;
      if (Math.abs(value - (values[place - 1] ?? 0)) > 0.5 * width + 1) jumps++;
    }
  }
  expect(steps).toBeGreaterThan(500);
  expect(jumps / steps).toBeLessThan(0.05);
});
