import { describe, expect, test } from "vitest";
import { FaultSyntaxError } from "../../src/faults/grammar.ts";
import { compileScenario } from "../../src/scenario/compiler.ts";
import type { ScenarioRun } from "../../src/scenario/run.ts";
import { parseScenario } from "../../src/scenario/scenario.ts";
import { ScenarioError } from "../../src/scenario/scenario-error.ts";
import type { SimNode, SimSensor, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { HOUR, MINUTE, STARTED_AT } from "../world/fixtures.ts";

function smallWorld(): World {
  return createWorld({ seed: 5, size: { sensors: 45 }, startedAt: STARTED_AT });
}

function scenarioOf(steps: string): string {
  return `name: test\nsteps:\n${steps.replaceAll(/^/gm, "  ")}`;
}

function lay(world: World, steps: string): ScenarioRun {
  return compileScenario(parseScenario(scenarioOf(steps), "test.yaml"), world, STARTED_AT);
}

function complaints(world: World, steps: string): readonly string[] {
  try {
    lay(world, steps);
  } catch (error) {
    if (error instanceof ScenarioError) return error.message.split("\n");
    throw error;
  }
  return [];
}

function sensorThatStaysUp(world: World): SimSensor {
  const staysUp = (sensor: SimSensor): boolean =>
    Array.from({ length: 24 }, (_, index) => STARTED_AT + index * 10 * MINUTE).every(
      (at) => world.state(sensor, at).status === "up",
    );
  const found = world.list("sensor").find((sensor) => sensor.intervalSeconds <= 60 && staysUp(sensor));
  if (found === undefined) throw new Error("no sensor stays up");
  return found;
}

describe("scenario in a world", () => {
  test("schedules a flapping link and its acknowledgement in advance", () => {
    const world = smallWorld();
    const { id } = sensorThatStaysUp(world);
    const run = lay(
      world,
      `- at: +10m
  select: { id: ${id} }
  status: down
  message: Link down
  for: 5m
  repeat: { times: 3, every: 20m }
- at: +33m
  select: { id: ${id} }
  acknowledge: true
  message: On it`,
    );
    const status = (minutes: number): string =>
      world.state(world.node(id) as SimNode, STARTED_AT + minutes * MINUTE).status;
    // The order of queries does not matter.
    expect([53, 48, 35, 32.5, 28, 13, 10].map(status)).toEqual([
      "down",
      "up",
      "acknowledged",
      "down",
      "up",
      "down",
      "up",
    ]);
    expect(run.steps.map(({ at }) => (at - STARTED_AT) / MINUTE)).toEqual([10, 33]);
    run.cancel();
    expect(status(12)).toBe("up");
  });

  test("changes the tree at the given times, in order, once", () => {
    const world = smallWorld();
    const [device, other] = world.list("device");
    const group = world.list("group").at(-1);
    if (device === undefined || other === undefined || group === undefined) throw new Error("too small");
    const name = device.name;
    const run = lay(
      world,
      `- { at: +3m, select: { id: ${device.id} }, rename: "{name} (old)" }
- { at: +1m, select: { id: ${device.id} }, add: { sensor: "extra {n}", count: 2 } }
- { at: +2m, select: { id: ${device.id} }, move: { id: ${group.id} } }
- { at: +4m, select: { id: ${other.id} }, remove: true }
- { at: +5m, select: { id: ${group.id} }, add: { device: new one } }`,
    );
    const shape = (): unknown => [device.name, device.parent?.id === group.id, world.node(other.id) !== undefined];
    run.advance(STARTED_AT + MINUTE - 1);
    expect(device.children.some(({ name: each }) => each === "extra 1")).toBe(false);
    run.advance(STARTED_AT + MINUTE);
    expect(device.children.slice(-2).map((child) => child.name)).toEqual(["extra 1", "extra 2"]);
    expect(shape()).toEqual([name, device.parent?.id === group.id, true]);
    run.advance(STARTED_AT + HOUR);
    run.advance(STARTED_AT + 2 * HOUR);
    expect(shape()).toEqual([`${name} (old)`, true, false]);
    expect(group.children.at(-1)).toMatchObject({ kind: "device", name: "new one" });
    expect(run.failures).toEqual([]);
    // As if added at that time.
    const added = device.children.at(-1) as SimSensor;
    expect(world.schedule(added).first).toBeGreaterThanOrEqual(STARTED_AT + MINUTE);
    expect(world.schedule(added).first).toBeLessThan(STARTED_AT + MINUTE + added.intervalSeconds * 1000);
  });

  test("reports steps that failed after a change of the world", () => {
    const world = smallWorld();
    const [device] = world.list("device");
    if (device === undefined) throw new Error("no device");
    const run = lay(world, `- { at: +1m, select: { id: ${device.id} }, rename: other }`);
    world.remove(device.id);
    run.advance(STARTED_AT + HOUR);
    expect(run.failures).toMatchObject([{ reason: `there is no object with the id ${device.id}` }]);
  });

  test("pauses objects daily at a time of the day", () => {
    const world = smallWorld();
    const { id } = sensorThatStaysUp(world);
    lay(world, `- { at: "10:05", daily: true, select: { id: ${id} }, status: pausedbyschedule, for: 10m }`);
    for (const day of [13, 14, 30]) {
      const at = Date.UTC(2026, 2, day, 10, 5);
      const status = (when: number): string => world.state(world.node(id) as SimNode, when).status;
      expect([at - 1, at, at + 10 * MINUTE - 1].map(status)[1]).toBe("pausedbyschedule");
      expect(status(at + 10 * MINUTE)).not.toBe("pausedbyschedule");
      expect(status(at - 1)).not.toBe("pausedbyschedule");
    }
    expect(world.state(world.node(id) as SimNode, Date.UTC(2026, 2, 12, 14, 8)).status).not.toBe("pausedbyschedule");
  });
});

describe("impossible steps", () => {
  const world = smallWorld();
  const [device, other] = world.list("device");
  const [sensor] = world.list("sensor");
  const [probe] = world.list("probe");
  const [d, o, s, p] = [device?.id, other?.id, sensor?.id, probe?.id];

  test.each<[steps: string, complaint: RegExp]>([
    [
      "- { at: +1m, select: { id: 99 }, status: down }",
      /^test\.yaml:3:26: steps\[0\]\.select\.id: there is no object with the id 99$/,
    ],
    [
      "- { at: +1m, select: { kind: pong }, status: down }",
      /^test\.yaml:3:16: steps\[0\]\.select: no object of the world matches$/,
    ],
    [
      "- { at: +1m, select: { type: sensor, first: 5000 }, status: down }",
      /select\.first: only 45 objects of the world match$/,
    ],
    ["- { at: +1m, select: { type: sensor, below: { kind: pong } }, status: down }", /select\.below: no object/],
    [
      `- { at: +1m, select: { id: ${d} }, status: collecting }`,
      /:3:\d+: steps\[0\]\.status: a device \(\d+\) cannot be made collecting$/,
    ],
    [
      `- { at: +1m, select: { id: ${s} }, set: { channel: Nothing, to: 5 } }`,
      /set\.channel: no such channel: the sensor \d+ .* has "/,
    ],
    [
      `- { at: +1m, select: { id: ${d} }, set: { channel: Nothing, to: 5 } }`,
      /set\.channel: the device \d+ \(.*\) is not a sensor$/,
    ],
    [
      `- { at: +1m, select: { id: ${s} }, acknowledge: true }`,
      /acknowledge: nothing is down at 2026-03-12T14:06:10.000Z: the sensor/,
    ],
    [`- { at: +1m, select: { id: ${p} }, move: { id: ${p} } }`, /move: the probe .* cannot be moved into itself$/],
    [`- { at: +1m, select: { id: ${s} }, move: { id: ${p} } }`, /move: the probe .* cannot hold the sensor/],
    [
      `- { at: +1m, select: { id: ${s} }, move: { type: device, below: { id: ${p} } } }`,
      /move: more than one object matches/,
    ],
    [`- { at: +1m, select: { id: ${s} }, add: { sensor: x } }`, /add: the sensor .* cannot hold a sensor$/],
    [`- { at: +1m, select: { id: ${d} }, add: { sensor: x, kind: pong } }`, /add\.kind: there is no sensor kind pong$/],
    [`- { at: +1m, select: { id: ${d} }, add: { device: x } }`, /add: the device .* cannot hold a device$/],
    [
      `- { at: +2m, select: { type: sensor, below: { id: ${d} } }, status: down }\n- { at: +1m, select: { id: ${d} }, remove: true }`,
      /^test\.yaml:3:16: steps\[0\]\.select: the sensor \d+ \(.*\) was removed by an earlier step$/,
    ],
  ])("%s", (steps, complaint) => {
    const found = complaints(world, steps);
    expect(
      found.some((line) => complaint.test(line)),
      found.join("\n"),
    ).toBe(true);
  });

  test("change nothing", () => {
    const node = world.node(o ?? "") as SimNode;
    const sensors = node.children.map((child) => world.state(child, STARTED_AT + HOUR));
    const steps = `- { at: +1m, select: { id: ${o} }, status: down }\n- { at: +1m, select: { id: 99 }, status: down }`;
    expect(complaints(world, steps)).toHaveLength(1);
    expect(node.children.map((child) => world.state(child, STARTED_AT + HOUR))).toEqual(sensors);
  });
});

describe("step with a fault", () => {
  function recorded() {
    const inForce: string[] = [];
    const faults = {
      check: () => undefined,
      add: (fault: string) => void inForce.push(fault),
      remove: (fault: string) => inForce.splice(inForce.indexOf(fault), 1).length > 0,
    };
    return { inForce, faults };
  }

  test("adds the fault and removes it after the step and the scenario", () => {
    const { inForce, faults } = recorded();
    const steps = `- { at: +1m, fault: hang, for: 10m }
- { at: +2m, fault: "html@/version", for: 1m, repeat: { times: 2, every: 4m } }
- { at: +20m, fault: cut }`;
    const run = compileScenario(parseScenario(scenarioOf(steps), "test.yaml"), smallWorld(), STARTED_AT, faults);
    const seen = [0, 1, 2, 3, 5, 6, 7, 11, 20].map((minutes) => {
      run.advance(STARTED_AT + minutes * MINUTE);
      return inForce.join(" ");
    });
    const html = "html@/version";
    expect(seen).toEqual(["", "hang", `hang ${html}`, "hang", "hang", `hang ${html}`, "hang", "", "cut"]);
    run.cancel();
    expect(inForce).toEqual([]);
  });

  test("reports a fault that no operation can match at its place", () => {
    const check = (fault: string) => {
      throw new FaultSyntaxError(fault, "no operation has the path /sensor");
    };
    const faults = { check, add: () => undefined, remove: () => false };
    const scenario = parseScenario(scenarioOf('- { at: +1m, fault: "hang@/sensor" }'), "test.yaml");
    expect(() => compileScenario(scenario, smallWorld(), STARTED_AT, faults)).toThrow(
      /test\.yaml:\d+:\d+: steps\[0\]\.fault: fault "hang@\/sensor": no operation has the path/,
    );
  });

  test.each([
    ["{ at: +1m, fault: explode }", "there is no fault called"],
    ["{ at: +1m, fault: hang, select: { id: 1 } }", "steps[0].select: is not allowed with fault"],
    ["{ at: +1m, fault: hang, for: 1m, daily: true }", "steps[0].daily: is not allowed with fault"],
    ["{ at: +1m, status: down }", "steps[0].select: expected a map that selects objects"],
  ])("%s", (step, complaint) => {
    expect(complaints(smallWorld(), `- ${step}`).join("\n")).toContain(complaint);
  });
});
