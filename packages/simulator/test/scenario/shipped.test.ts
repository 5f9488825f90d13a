import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileScenario } from "../../src/scenario/compiler.ts";
import type { ScenarioRun } from "../../src/scenario/run.ts";
import { parseScenario } from "../../src/scenario/scenario.ts";
import { selectNodes, sensorsOf } from "../../src/scenario/selection.ts";
import type { SimSensor, SimStatus, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { HOUR, MINUTE, STARTED_AT } from "../world/fixtures.ts";

const FOLDER = new URL("../../scenarios/", import.meta.url);
const files = readdirSync(FOLDER);

function begin(file: string, seed = 1): { readonly world: World; readonly run: ScenarioRun } {
  const world = createWorld({ seed, startedAt: STARTED_AT });
  const scenario = parseScenario(readFileSync(new URL(file, FOLDER), "utf8"), file);
  return { world, run: compileScenario(scenario, world, STARTED_AT) };
}

function statuses(
  { world, run }: ReturnType<typeof begin>,
  sensors: readonly SimSensor[],
  minutes: number,
): SimStatus[] {
  const at = STARTED_AT + minutes * MINUTE;
  run.advance(at);
  return sensors.map((sensor) => world.state(sensor, at).status);
}

function share(of: readonly SimStatus[], wanted: readonly SimStatus[]): number {
  return of.filter((status) => wanted.includes(status)).length / of.length;
}

test("each shipped scenario runs to its end in the default world", () => {
  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const file of files) {
    for (const seed of [1, 2]) {
      const { run } = begin(file, seed);
      run.advance(STARTED_AT + 48 * HOUR);
      expect(run.failures, `${file}, seed ${seed}`).toEqual([]);
    }
  }
});

describe("datacenter-power.yaml", () => {
  const played = begin("datacenter-power.yaml");
  const { world } = played;
  const below = { tag: "nue" };
  const racks = sensorsOf(selectNodes(world, { kind: "snmpcustomtable", limited: true, below }));
  const servers = sensorsOf(selectNodes(world, { type: "device", tag: "server", below }));
  const windows = sensorsOf(selectNodes(world, { type: "group", tag: "windows", below }));

  test("empties batteries, and their limits set sensors down", () => {
    const battery = sensorsOf(selectNodes(world, { kind: "snmpapchardware", below }))
      .flatMap(({ channels }) => channels.slice(0, 1))
      .find(({ limits }) => limits.minError !== undefined);
    if (battery === undefined) throw new Error("no battery has limits");
    const levels = [3, 6, 10, 16].map(
      (minutes) => world.lastMeasurement(battery, STARTED_AT + minutes * MINUTE)?.displayValue ?? 0,
    );
    expect(levels).toEqual(levels.toSorted((a, b) => b - a));
    expect(levels.at(-1)).toBe(3);
    expect(world.state(battery.sensor, STARTED_AT + 20 * MINUTE)).toMatchObject({
      status: "down",
      message: expect.stringContaining("below the error limit"),
    });
  });

  test("heats up, sets servers down and acknowledges them", () => {
    expect(share(statuses(played, racks, 1), ["down"])).toBeLessThan(0.2);
    expect(share(statuses(played, servers, 10), ["down"])).toBeLessThan(0.1);
    expect(share(statuses(played, racks, 30), ["down"])).toBeGreaterThan(0.8);
    expect(share(statuses(played, servers, 24), ["down"])).toBeGreaterThan(0.9);
    expect(share(statuses(played, servers, 26), ["acknowledged"])).toBeGreaterThan(0.9);
  });

  test("ends with a repair and no alarms", () => {
    expect(share(statuses(played, windows, 55), ["pausedbydependency"])).toBeGreaterThan(0.9);
    expect(share(statuses(played, servers, 90), ["up", "warning"])).toBeGreaterThan(0.8);
    expect(world.node("1")?.name).toBe("Local Probe (after power failure)");
  });
});

describe("flapping-link.yaml", () => {
  const played = begin("flapping-link.yaml");
  const { world } = played;
  const links = sensorsOf(
    selectNodes(world, { kind: "snmptraffic", below: { type: "device", tag: "cisco", first: 1 }, first: 1 }),
  );
  const detour = sensorsOf(
    selectNodes(world, { kind: "snmptraffic", limited: true, below: { tag: "switch" }, first: 3 }),
  );

  test("the link flaps, gets an acknowledgement and recovers", () => {
    const at = [4, 8, 13, 17, 22, 39.9, 40.5, 50, 70].map((minutes) => statuses(played, links, minutes)[0]);
    expect(at.slice(0, 6)).toEqual(["down", "up", "down", "up", "down", "down"]);
    expect(at.slice(6)).toEqual(["acknowledged", "pausedbydependency", "up"]);
    expect(links[0]?.name).toMatch(/ \(new cable\)$/);
  });

  test("the detour exceeds its limit", () => {
    expect(share(statuses(played, detour, 20), ["down"])).toBe(1);
    for (const sensor of detour)
      expect(world.state(sensor, STARTED_AT + 20 * MINUTE).message).toMatch(/above the error limit/);
  });
});

describe("busy-morning.yaml", () => {
  test("plays all steps", () => {
    const played = begin("busy-morning.yaml");
    const { world, run } = played;
    const at = (minutes: number): number => STARTED_AT + minutes * MINUTE;
    const [disk] = sensorsOf(selectNodes(world, { kind: "wmidiskspace", limited: true, first: 2 }));
    const [gone] = sensorsOf(selectNodes(world, { type: "sensor", kind: "wmiservice", first: 1 }));
    const [printer] = selectNodes(world, { type: "device", tag: "printer", first: 1 });
    const [database] = selectNodes(world, { type: "device", tag: "database", first: 1 });
    const [storage] = selectNodes(world, { type: "group", tag: "storage", first: 1 });
    const before = database?.children.length ?? 0;
    if (disk === undefined || storage === undefined) throw new Error("the world is too small");
    expect(world.state(disk, at(25)).status).toBe("down");
    expect(statuses(played, sensorsOf(selectNodes(world, { id: "1" })), 6)).toContain("warning");
    run.advance(at(30));
    expect(world.node(gone?.id ?? "")).toBeUndefined();
    expect([printer?.name.endsWith("(2nd floor)"), printer?.parent?.tags]).toEqual([true, ["power"]]);
    expect(database?.children.length).toBe(before + 3);
    for (const night of [13, 14, 20]) {
      const window = world.state(storage, Date.UTC(2026, 2, night, 3));
      expect(window).toMatchObject({ status: "pausedbyschedule", message: "Backup window" });
    }
  });
});

test("the same scenario gives the same result twice", () => {
  const facts = [0, 1].map(() => {
    const { world, run } = begin("busy-morning.yaml", 2);
    run.advance(STARTED_AT + HOUR);
    return world.list("sensor").map((sensor) => [sensor.id, sensor.name, world.state(sensor, STARTED_AT + HOUR)]);
  });
  expect(facts[0]).toEqual(facts[1]);
});
