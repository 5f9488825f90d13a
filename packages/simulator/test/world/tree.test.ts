import { expect, test } from "vitest";
import type { SimNode } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { STARTED_AT } from "./fixtures.ts";

const world = createWorld({ seed: 1, startedAt: STARTED_AT });
const KINDS = ["probe", "group", "device", "sensor"] as const;

function listAll(of = world): SimNode[] {
  return [...of.list("probe"), ...of.list("group"), ...of.list("device"), ...of.list("sensor")];
}

function outline(of = world): unknown[] {
  return [
    ...listAll(of).map(({ id, kind, name, type, tags, priority, favorite, parent }) => ({
      ...{ id, kind, name, type, tags, priority, favorite, parent: parent?.id },
    })),
    ...of
      .channels()
      .map(({ sensor, number, name, displayUnit, limits }) => [sensor.id, number, name, displayUnit, limits]),
  ];
}

test("the same seed gives the same world, and another seed another world", () => {
  expect(outline(createWorld({ seed: 1, startedAt: STARTED_AT }))).toEqual(outline());
  expect(outline(createWorld({ seed: 2, startedAt: STARTED_AT }))).not.toEqual(outline());
});

test("ids are decimal, unique and ascending in each list", () => {
  const ids = listAll().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[1-9]\d*$/.test(id))).toBe(true);
  for (const kind of KINDS) {
    const numbers = listAll()
      .filter((node) => node.kind === kind)
      .map(({ id }) => Number(id));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
  expect(world.root.id).toBe("0");
  expect(world.node("0")).toBe(world.root);
});

test("every node has a parent of a permitted kind", () => {
  const parents = { probe: ["root"], group: ["probe", "group"], device: ["probe", "group"], sensor: ["device"] };
  for (const kind of KINDS) {
    const wrong = listAll().filter((node) => {
      const isPlaced = parents[kind].includes(node.parent?.kind ?? "") && node.parent?.children.includes(node);
      return node.kind === kind && !(isPlaced && world.node(node.id) === node);
    });
    expect(wrong).toEqual([]);
  }
});

test("groups nest, and each probe has its own device", () => {
  const depth = (node: SimNode): number => (node.parent === undefined ? 0 : depth(node.parent) + 1);
  expect(Math.max(...world.list("group").map(depth))).toBeGreaterThanOrEqual(4);
  expect(world.list("probe")[0]?.name).toBe("Local Probe");
  for (const probe of world.list("probe")) {
    expect(probe.children.filter(({ type }) => type === "Probe Device")).toHaveLength(1);
  }
});

test("the only device of a world sits in its group", () => {
  const smallest = createWorld({
    seed: 1,
    size: { probes: 1, groups: 1, devices: 1, sensors: 1 },
    startedAt: STARTED_AT,
  });
  const [sensor] = smallest.list("sensor");
  const names = [sensor?.parent, sensor?.parent?.parent, sensor?.parent?.parent?.parent].map((node) => node?.kind);
  expect(names).toEqual(["device", "group", "probe"]);
});

test("channel ids work with negative numbers", () => {
  // One check: thousands take a second.
  const wrong = world.channels().filter((one) => world.channel(`${one.sensor.id}.${one.number}`) !== one);
  expect(wrong).toEqual([]);
  expect(world.channel("0.1")).toBeUndefined();
  expect(world.channel("999999.1")).toBeUndefined();
  expect(world.channel(world.list("sensor")[0]?.id ?? "")).toBeUndefined();
  expect(world.channel(`${world.list("sensor")[0]?.id}.01`)).toBeUndefined();
});

test("channels have the order of sensors, then positions", () => {
  expect(world.channels()).toEqual(world.list("sensor").flatMap(({ channels }) => channels));
});

test("sensors have usual intervals", () => {
  const share = (seconds: number): number => {
    const sensors = world.list("sensor");
    return sensors.filter(({ intervalSeconds }) => intervalSeconds === seconds).length / sensors.length;
  };
  expect(share(60)).toBeGreaterThan(0.7);
  for (const seconds of [10, 30, 300, 3600]) expect(share(seconds)).toBeGreaterThan(0.01);
  // Includes kinds that always scan every minute.
  expect(
    world.list("sensor").some(({ type, intervalSeconds }) => type === "snmpuptime" && intervalSeconds === 300),
  ).toBe(true);
  for (const sensor of world.list("sensor")) expect(sensor.intervalInherited).toBe(sensor.intervalSeconds === 60);
});

test("kinds, units and first channel numbers vary like real ones", () => {
  expect(new Set(world.list("sensor").map(({ typeName }) => typeName)).size).toBeGreaterThan(30);
  expect(world.list("sensor").map(({ type }) => type)).toContain("paessler.snmp.cpu_usage_sensor.65");
  const units = new Set(world.channels().map(({ displayUnit }) => displayUnit));
  for (const unit of ["%", "msec", "Mbit/s", "kbit/s", "MB", "GByte", "°C", "#", "d", "", "widgets"]) {
    expect(units).toContain(unit);
  }
  const lowest = new Set(
    world.list("sensor").map(({ channels }) => Math.min(...channels.map((c) => c.number).filter((n) => n >= 0))),
  );
  expect(lowest).toEqual(new Set([0, 1]));
  expect(world.channels().map(({ number }) => number)).toContain(-1);
});

test("names of channels and sensors repeat below one parent", () => {
  const repeats = (names: readonly string[]): boolean => new Set(names).size < names.length;
  expect(world.list("sensor").some(({ channels }) => repeats(channels.map(({ name }) => name)))).toBe(true);
  expect(world.list("device").some(({ children }) => repeats(children.map(({ name }) => name)))).toBe(true);
});

test.each<[string, RegExp]>([
  ["a quote", /"/],
  ["a backslash", /\\/],
  ["a line feed", /\n/],
  ["an emoji", /\p{Extended_Pictographic}/u],
  ["right-to-left text", /\p{Script=Hebrew}/u],
  ["a closing script tag", /<\/script>/],
  ["braces", /\{path=/],
  ["more than 500 characters", /^.{500,}$/s],
  ["white space at its ends", /^\s.*\s$/s],
])("some names contain %s", (_, pattern) => {
  const names = [...listAll(), ...world.channels()].map(({ name }) => name);
  expect(names.filter((name) => pattern.test(name)).length).toBeGreaterThan(0);
});
