import { describe, expect, test } from "vitest";
import type { SimChannel, SimLimits, SimNode, SimSensor, SimStatus, World } from "../../src/world/model.ts";
import { mix } from "../../src/world/noise.ts";
import { createWorld } from "../../src/world/world.ts";
import { countStatuses, DAY, HOUR, MINUTE, moments, ownChannels, STARTED_AT } from "./fixtures.ts";

const world = createWorld({ seed: 1, startedAt: STARTED_AT });

/** A live server with 2,621 sensors, 3 probes, 47 groups and 240 devices. */
const LIVE: readonly [SimStatus, number][] = [
  ["up", 2453],
  ["warning", 82],
  ["pausedbydependency", 50],
  ["down", 13],
  ["unknown", 11],
  ["unusual", 9],
  ["acknowledged", 2],
  ["pausedbyuser", 1],
];

describe("states of the default world over time", () => {
  const counts = moments(12, 150).map((at) => countStatuses(world, at));
  const average = (status: SimStatus): number =>
    counts.reduce((sum, one) => sum + (one.get(status) ?? 0), 0) / counts.length;

  test.each(LIVE)("%s: near the %i of a live server", (status, live) => {
    const slack = Math.max(2, live * (status === "up" ? 0.03 : 0.7));
    expect(Math.abs(average(status) - live)).toBeLessThan(slack);
  });

  test("start with most sensors up and all probes connected", () => {
    expect(countStatuses(world, STARTED_AT).get("up")).toBeGreaterThan(2350);
    for (const at of [STARTED_AT, ...moments(50, 100)]) {
      for (const probe of world.list("probe")) expect(world.state(probe, at).status).toBe("up");
    }
  });

  test("change every few minutes", () => {
    const before = new Map(world.list("sensor").map((sensor) => [sensor, world.state(sensor, STARTED_AT).status]));
    const changed = world
      .list("sensor")
      .filter((sensor) => world.state(sensor, STARTED_AT + 20 * MINUTE).status !== before.get(sensor));
    expect(changed.length).toBeGreaterThan(3);
    expect(changed.length).toBeLessThan(150);
  });

  test("include pauses by users and by schedules", () => {
    const seen = new Set<SimStatus>();
    // 02:00 in Europe, during nightly pauses.
    const pauses = ["pausedbyuser", "pauseduntil", "pausedbyschedule", "pausedbydependency"] as const;
    for (let day = 0; day < 40 && !pauses.every((status) => seen.has(status)); day += 3) {
      for (const status of countStatuses(world, Date.UTC(2026, 2, 12 + day, 1)).keys()) seen.add(status);
    }
    for (const status of pauses) expect(seen).toContain(status);
  });
});

function breach({ limits }: { readonly limits: SimLimits }, value: number): "error" | "warning" | undefined {
  const { maxError = Infinity, maxWarning = Infinity, minWarning = -Infinity, minError = -Infinity } = limits;
  if (value > maxError || value < minError) return "error";
  return value > maxWarning || value < minWarning ? "warning" : undefined;
}

function worst(sensor: SimSensor, at: number): "error" | "warning" | "empty" | undefined {
  const found = ownChannels(sensor).map((channel: SimChannel) => {
    const value = world.lastMeasurement(channel, at)?.displayValue;
    return typeof value === "number" ? breach(channel, value) : "empty";
  });
  return (["empty", "error", "warning"] as const).find((one) => found.includes(one));
}

test("state and measurement of a sensor agree at any moment", () => {
  const seen = new Map<string, number>();
  for (const at of moments(3, 150, 2)) {
    for (const sensor of world.list("sensor")) {
      const { status, since } = world.state(sensor, at);
      const [primary] = sensor.channels;
      const downtime = sensor.channels.at(-1);
      const scan = primary && world.lastMeasurement(primary, at);
      const idle = downtime && world.lastMeasurement(downtime, at)?.displayValue;
      const bad = worst(sensor, at);
      const label = `${sensor.id} at ${at}: ${status}`;
      switch (status) {
        case "up":
        case "unusual":
          expect(
            // Scans are late at times.
            [scan !== undefined && scan.at >= since && at - scan.at < 1.6 * sensor.intervalSeconds * 1000, idle, bad],
            label,
          ).toEqual([true, 0, undefined]);
          break;
        case "warning":
          expect([scan !== undefined && scan.at >= since, idle], label).toEqual([true, 0]);
          expect(["warning", undefined], label).toContain(bad);
          break;
        case "down":
        case "acknowledged":
          expect([scan !== undefined && scan.at >= since, idle], label).toEqual([true, 100]);
          expect(["empty", "error"], label).toContain(bad);
          break;
        default:
          // Nothing is scanned: measurements are older.
          expect(scan === undefined || scan.at <= since, label).toBe(true);
      }
      const key = `${status} ${bad}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  }
  // Most warnings come from a limit.
  expect(seen.get("warning warning") ?? 0).toBeGreaterThan(4 * (seen.get("warning undefined") ?? 0));
  expect(seen.get("down error")).toBeGreaterThan(2);
  expect(seen.get("down empty")).toBeGreaterThan(30);
});

test("a sensor without an answer measures nothing", () => {
  const silent = moments(3, 100, 3).flatMap((at) =>
    world
      .list("sensor")
      .filter((sensor) => world.state(sensor, at).status === "down")
      .map((sensor) => ({ sensor, at })),
  );
  for (const { sensor, at } of silent.filter((one) => worst(one.sensor, one.at) === "empty")) {
    for (const channel of ownChannels(sensor)) {
      expect(world.lastMeasurement(channel, at)).toMatchObject({ displayValue: null, value: null });
    }
  }
});

test("a message names the channel that exceeds its limit, and its value", () => {
  const limited = world.list("sensor").find((sensor) => world.state(sensor, STARTED_AT).message.includes("limit of"));
  const { message = "" } = limited ? world.state(limited, STARTED_AT) : {};
  const named = limited?.channels.find(({ name }) => message.includes(`(${name})`));
  const value = named && world.lastMeasurement(named, STARTED_AT)?.displayValue;
  expect(Number.parseFloat(message)).toBeCloseTo(value ?? Number.NaN, 1);
});

function checkSince(of: World, node: SimNode, at: number): void {
  const { status, since } = of.state(node, at);
  const label = `${node.id} ${status} at ${at} since ${since}`;
  expect(since, label).toBeLessThanOrEqual(at);
  expect(of.state(node, since).status, label).toBe(status);
  for (let step = 1; step < 8; step++) {
    const between = since + Math.floor(((at - since) * (mix(at, step) % 1000)) / 1000);
    expect(of.state(node, between), `${label}, seen at ${between}`).toMatchObject({ status, since });
  }
  const createdAt = STARTED_AT - 365 * DAY;
  if (since > createdAt) expect(of.state(node, since - 1).status, label).not.toBe(status);
}

test("since is the start of the status", () => {
  for (const [index, at] of moments(40, 300, 4).entries()) {
    const moment = Math.max(at, STARTED_AT - 364 * DAY);
    for (const sensor of world.list("sensor")) {
      // All sensors that are not plainly up, and some that are.
      if (mix(index, Number(sensor.id)) % 400 === 0 || (index < 2 && world.state(sensor, moment).status !== "up")) {
        checkSince(world, sensor, moment);
      }
    }
    for (const node of [...world.list("group"), ...world.list("device")].filter((_, place) => place % 40 === index)) {
      checkSince(world, node, moment);
    }
  }
});

test("states change at scans, except pauses", () => {
  let changes = 0;
  for (const sensor of world.list("sensor").filter((_, index) => index % 9 === 0)) {
    const [channel] = sensor.channels;
    const { status, since } = world.state(sensor, STARTED_AT);
    if (channel === undefined || !["up", "warning", "down", "unusual", "acknowledged"].includes(status)) continue;
    expect(world.lastMeasurement(channel, since)?.at).toBe(since);
    changes++;
  }
  expect(changes).toBeGreaterThan(200);
});

test("a paused object pauses all objects below by dependency and keeps their last measurements", () => {
  const paused = moments(12, 150, 5).flatMap((at) =>
    [...world.list("group"), ...world.list("device")]
      .filter((node) => ["pausedbyuser", "pauseduntil"].includes(world.state(node, at).status))
      .map((node) => ({ node, at })),
  );
  expect(paused.some(({ node }) => node.kind === "group")).toBe(true);
  expect(paused.some(({ node }) => node.kind === "device")).toBe(true);
  const below = (node: SimNode): SimNode[] => node.children.flatMap((child) => [child, ...below(child)]);
  for (const { node, at } of paused) {
    const { since } = world.state(node, at);
    for (const child of below(node)) {
      const { status } = world.state(child, at);
      expect(["pausedbydependency", "pausedbyuser", "pauseduntil", "pausedbyschedule"]).toContain(status);
    }
    for (const sensor of world.list("sensor").filter((one) => below(node).includes(one))) {
      for (const channel of sensor.channels) {
        expect(world.lastMeasurement(channel, at)).toEqual(world.lastMeasurement(channel, since));
      }
    }
  }
});

test("a nightly pause lasts from 20:00 to 06:00 in the time zone of the sensor", () => {
  const hours = new Set<number>();
  for (let hour = 0; hour < 24; hour += 4) {
    const at = STARTED_AT + hour * HOUR;
    for (const sensor of world.list("sensor")) {
      const { status, since } = world.state(sensor, at);
      if (status !== "pausedbyschedule") continue;
      hours.add((since % DAY) / HOUR);
      expect(world.state(sensor, since + 10 * HOUR - 1)).toMatchObject({ status, since });
      expect(world.state(sensor, since + 10 * HOUR).status).not.toBe(status);
    }
  }
  // Sites include Nürnberg, Tōkyō and Mumbai.
  expect(hours.size).toBeGreaterThanOrEqual(2);
  expect([19, 11, 14.5, 12, 10]).toEqual(expect.arrayContaining([...hours]));
});

test("a few sensors have no scan yet", () => {
  const never = world
    .list("sensor")
    .filter(({ channels }) => channels[0] && world.lastMeasurement(channels[0], STARTED_AT + 300 * DAY) === undefined);
  expect(never.length).toBeGreaterThan(2);
  expect(never.length).toBeLessThan(26);
  for (const sensor of never) {
    for (const at of [STARTED_AT - 200 * DAY, STARTED_AT, STARTED_AT + 200 * DAY]) {
      expect(["unknown", "none", "pausedbydependency", "pausedbyuser", "pauseduntil"]).toContain(
        world.state(sensor, at).status,
      );
      expect(sensor.channels.map((channel) => world.lastMeasurement(channel, at))).toEqual(
        sensor.channels.map(() => undefined),
      );
    }
  }
});

test("a long alarm gets an acknowledgement", () => {
  const found = moments(8, 150, 6)
    .flatMap((at) => world.list("sensor").map((sensor) => ({ sensor, ...world.state(sensor, at) })))
    .filter(({ status }) => status === "acknowledged");
  expect(found.length).toBeGreaterThan(5);
  for (const { sensor, since } of found) expect(world.state(sensor, since - 1).status).toBe("down");
});

test("in a large world, remote probes disconnect for minutes", () => {
  const large = createWorld({
    seed: 3,
    size: { probes: 12, groups: 12, devices: 24, sensors: 60, channels: 130 },
    startedAt: STARTED_AT,
  });
  const [local, ...remote] = large.list("probe");
  let lost = 0;
  for (let at = STARTED_AT; at < STARTED_AT + 12 * DAY; at += 4 * MINUTE) {
    expect(local && large.state(local, at).status).toBe("up");
    for (const probe of remote.filter((one) => large.state(one, at).status === "disconnected")) {
      lost++;
      expect(at - large.state(probe, at).since).toBeLessThan(HOUR);
      for (const child of probe.children) expect(large.state(child, at).status).toMatch(/^(unknown|paused)/);
    }
  }
  expect(lost).toBeGreaterThan(5);
});

test("a small world has no pauses by default", () => {
  const small = createWorld({ seed: 4, size: { sensors: 20 }, startedAt: STARTED_AT });
  for (const at of moments(60, 300, 7)) {
    for (const status of countStatuses(small, at).keys())
      expect(["up", "warning", "down", "unusual", "acknowledged"]).toContain(status);
  }
});
