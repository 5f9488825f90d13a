import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Incident, SimChannel, SimNode, SimSensor, SimStatus, World } from "../../../src/world/model.ts";
import { lastOccurrence, nextOccurrence } from "../../../src/world/states/incidents.ts";
import { createWorld } from "../../../src/world/world.ts";
import { HOUR, MINUTE, STARTED_AT } from "../fixtures.ts";

function once(start: number, lengthMs: number, effect: Incident["effect"]): Incident {
  return { start, lengthMs, everyMs: lengthMs, times: 1, effect };
}

function shows(status: SimStatus, message?: string): Incident["effect"] {
  return { kind: "status", status, message };
}

/** Small worlds contain no pauses. */
function smallWorld(): World {
  return createWorld({ seed: 5, size: { sensors: 45 }, startedAt: STARTED_AT });
}

function below(node: SimNode): SimSensor[] {
  return node.kind === "sensor" ? [node as SimSensor] : node.children.flatMap(below);
}

function limitedChannel(world: World, fits: (channel: SimChannel) => boolean): SimChannel {
  const found = world.channels().find(fits);
  if (found === undefined) throw new Error("no such channel");
  return found;
}

describe("occurrences of an incident", () => {
  const incident = fc.record({
    start: fc.integer({ min: 0, max: 1000 }),
    lengthMs: fc.integer({ min: 1, max: 50 }),
    everyMs: fc.integer({ min: 50, max: 120 }),
    times: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(Infinity)),
    effect: fc.constant(shows("down")),
  });

  test("enclose every moment with the last and the next one", () => {
    fc.assert(
      fc.property(incident, fc.integer({ min: -50, max: 2000 }), (one, at) => {
        const all = Array.from({ length: Math.min(one.times, 60) }, (_, index) => one.start + index * one.everyMs);
        expect(lastOccurrence(one, at)?.start).toBe(all.findLast((start) => start <= at));
        expect(nextOccurrence(one, at)).toBe(all.find((start) => start > at) ?? Infinity);
      }),
    );
  });

  test("have no end if the incident is endless", () => {
    const forGood = once(7, Infinity, shows("down"));
    expect(lastOccurrence(forGood, 1e12)).toEqual({ start: 7, end: Infinity });
    expect(nextOccurrence(forGood, 7)).toBe(Infinity);
  });
});

describe("incident with a status", () => {
  test("appears in all sensors of a device at their next scan and ends with their first scan after it", () => {
    const world = smallWorld();
    const [, device] = world.list("device");
    if (device === undefined) throw new Error("no device");
    const start = STARTED_AT + HOUR;
    world.addIncident(device.id, once(start, 10 * MINUTE, shows("down", "No power")));
    expect(world.state(device, start + 9 * MINUTE).status).toBe("up");
    for (const sensor of below(device)) {
      const interval = sensor.intervalSeconds * 1000;
      const during = world.state(sensor, start + 10 * MINUTE - 1);
      expect(during).toMatchObject({ status: "down", message: "No power" });
      expect(during.since).toBeGreaterThanOrEqual(start);
      expect(during.since).toBeLessThan(start + interval);
      expect(world.lastMeasurement(sensor.channels[0] as SimChannel, during.since)).toMatchObject({
        at: during.since,
        displayValue: null,
      });
      expect(world.state(sensor, start + 10 * MINUTE + interval).message).not.toBe("No power");
    }
  });

  test("stops objects below and their measurements immediately if it is a pause", () => {
    const world = smallWorld();
    const [group] = world.list("group").filter((node) => below(node).length > 0);
    if (group === undefined) throw new Error("no group");
    const start = STARTED_AT + HOUR + 123;
    world.addIncident(group.id, once(start, HOUR, shows("pausedbyschedule", "Maintenance")));
    expect(world.state(group, start)).toMatchObject({
      status: "pausedbyschedule",
      since: start,
      message: "Maintenance",
    });
    expect(world.state(group, start - 1).status).toBe("up");
    expect(world.state(group, start + HOUR)).toMatchObject({ status: "up", since: start + HOUR });
    for (const sensor of below(group)) {
      expect(world.state(sensor, start + 30 * MINUTE)).toMatchObject({ status: "pausedbydependency", since: start });
      const rows = world.measurements(sensor, start + 1, start + HOUR - 1);
      expect(rows).toEqual([]);
      expect(world.measurements(sensor, start + HOUR, start + 2 * HOUR).length).toBeGreaterThan(0);
    }
  });

  test("disconnects a probe and sets objects below to unknown", () => {
    const world = smallWorld();
    const probe = world.list("probe")[0] as SimNode;
    world.addIncident(probe.id, once(STARTED_AT + HOUR, 5 * MINUTE, shows("disconnected")));
    expect(world.state(probe, STARTED_AT + HOUR).status).toBe("disconnected");
    const statuses = below(probe).map((sensor) => world.state(sensor, STARTED_AT + HOUR + MINUTE).status);
    expect(new Set(statuses)).toEqual(new Set(["unknown"]));
  });

  test("repeats daily", () => {
    const world = smallWorld();
    const sensor = world.list("sensor")[3] as SimSensor;
    const [start, day] = [STARTED_AT + 2 * HOUR, 24 * HOUR];
    const effect = shows("pausedbylicense");
    world.addIncident(sensor.id, { start, lengthMs: HOUR, everyMs: day, times: Infinity, effect });
    for (const number of [0, 1, 40]) {
      const begin = start + number * day;
      expect(world.state(sensor, begin - 1).status).not.toBe("pausedbylicense");
      expect(world.state(sensor, begin + HOUR - 1)).toMatchObject({ status: "pausedbylicense", since: begin });
      expect(world.state(sensor, begin + HOUR).status).not.toBe("pausedbylicense");
    }
  });

  test("yields to a pause and to a forced status", () => {
    const world = smallWorld();
    const sensor = world.list("sensor")[3] as SimSensor;
    world.addIncident(sensor.id, once(STARTED_AT, Infinity, shows("down")));
    world.pause(sensor.id, STARTED_AT + HOUR);
    expect(world.state(sensor, STARTED_AT + HOUR).status).toBe("pausedbyuser");
    world.force(sensor.id, "up", STARTED_AT + 2 * HOUR);
    expect(world.state(sensor, STARTED_AT + 2 * HOUR).status).toBe("up");
    world.resume(sensor.id, STARTED_AT + 3 * HOUR);
    expect(world.state(sensor, STARTED_AT + 4 * HOUR).status).toBe("down");
    world.acknowledge(sensor.id, STARTED_AT + 4 * HOUR);
    expect(world.state(sensor, STARTED_AT + 5 * HOUR)).toMatchObject({ status: "acknowledged" });
  });

  test("yields to a later incident of the node or an ancestor", () => {
    const world = smallWorld();
    const sensor = world.list("sensor")[3] as SimSensor;
    world.addIncident(sensor.id, once(STARTED_AT, 5 * HOUR, shows("down")));
    world.addIncident(sensor.id, once(STARTED_AT + HOUR, HOUR, shows("unusual")));
    world.addIncident((sensor.parent as SimNode).id, once(STARTED_AT + 3 * HOUR, HOUR, shows("partialdown")));
    const found = [0.9, 1.9, 2.9, 3.9, 4.9].map((hours) => world.state(sensor, STARTED_AT + hours * HOUR).status);
    expect(found).toEqual(["down", "unusual", "down", "partialdown", "down"]);
  });

  test("leaves no trace after its withdrawal", () => {
    const world = smallWorld();
    const sensor = world.list("sensor")[3] as SimSensor;
    const at = STARTED_AT + HOUR;
    const before = world.state(sensor, at);
    const takeBack = world.addIncident(sensor.id, once(STARTED_AT, Infinity, shows("down", "odd")));
    expect(world.state(sensor, at)).not.toEqual(before);
    takeBack();
    expect(world.state(sensor, at)).toEqual(before);
  });

  test.each<[kind: "probe" | "group" | "device" | "sensor", status: SimStatus, possible: boolean]>([
    ["probe", "disconnected", true],
    ["device", "disconnected", false],
    ["sensor", "disconnected", false],
    ["sensor", "collecting", true],
    ["group", "collecting", false],
    ["device", "pauseduntil", true],
    ["sensor", "pausedbydependency", false],
    ["sensor", "acknowledged", false],
  ])("a %s accepts %s: %s", (kind, status, possible) => {
    const world = smallWorld();
    const node = world.list(kind as "sensor")[0] as SimNode;
    const arrange = (): unknown => world.addIncident(node.id, once(STARTED_AT, MINUTE, shows(status)));
    if (possible) expect(arrange).not.toThrow();
    else expect(arrange).toThrow(RangeError);
  });

  test("fails if it is impossible", () => {
    const world = smallWorld();
    const { id } = world.list("sensor")[0] as SimSensor;
    const down = shows("down");
    for (const incident of [
      once(STARTED_AT + 0.5, MINUTE, down),
      once(STARTED_AT, 0, down),
      { ...once(STARTED_AT, MINUTE, down), times: 0 },
      { start: STARTED_AT, lengthMs: HOUR, everyMs: MINUTE, times: 2, effect: down },
      once(STARTED_AT, MINUTE, { kind: "reading", channel: 99, to: 1, overMs: 0 }),
      once(STARTED_AT, MINUTE, { kind: "reading", channel: -4, to: 1, overMs: 0 }),
    ]) {
      expect(() => world.addIncident(id, incident)).toThrow(RangeError);
    }
    expect(() => world.addIncident("77", once(STARTED_AT, MINUTE, down))).toThrow("no object with the id 77");
  });
});

describe("incident with a value", () => {
  const world = createWorld({ seed: 1, startedAt: STARTED_AT });

  test("crosses the limits, and status and record follow scan by scan", () => {
    const channel = limitedChannel(
      world,
      ({ name, limits }) => /^Free Space C/.test(name) && limits.minError !== undefined,
    );
    const { sensor, limits } = channel;
    const [start, overMs] = [STARTED_AT + HOUR, 3 * HOUR];
    const effect = { kind: "reading", channel: channel.number, to: 1, overMs } as const;
    const takeBack = world.addIncident(sensor.id, once(start, 6 * HOUR, effect));
    const seen: SimStatus[] = [];
    const index = sensor.channels.indexOf(channel);
    for (const { at, displayValues } of world.measurements(sensor, start, start + 6 * HOUR - 1)) {
      const value = displayValues[index] ?? Number.NaN;
      const expected = value < (limits.minError ?? 0) ? "down" : value < (limits.minWarning ?? 0) ? "warning" : "up";
      const { status, since } = world.state(sensor, at);
      expect(status).toBe(expected);
      expect(world.state(sensor, since - 1).status).not.toBe(status);
      expect(world.lastMeasurement(channel, at)).toMatchObject({ at, displayValue: value });
      if (seen.at(-1) === status) continue;
      // Changed in this scan.
      if (seen.length > 0) expect(since).toBe(at);
      seen.push(status);
    }
    expect(seen).toEqual(["up", "warning", "down"]);
    const last = world.state(sensor, start + 6 * HOUR - 1);
    expect(last.message).toBe(`1 % (${channel.name}) is below the error limit of ${limits.minError} %`);
    expect(world.state(sensor, start + 7 * HOUR).status).not.toBe("down");
    takeBack();
  });

  test("changes related channels", () => {
    const channel = limitedChannel(world, ({ name, sensor }) => name === "Traffic Total" && sensor.channels.length > 3);
    const { sensor } = channel;
    const at = STARTED_AT + 2 * HOUR;
    const takeBack = world.addIncident(sensor.id, once(at, HOUR, { kind: "reading", channel: -1, to: 321, overMs: 0 }));
    const [total = 0, inbound = 0, outbound = 0] = sensor.channels
      .slice(0, 3)
      .map((one) => world.lastMeasurement(one, at + HOUR / 2)?.displayValue ?? 0);
    expect(total).toBe(321);
    expect(inbound + outbound).toBeCloseTo(321, 6);
    takeBack();
  });

  test("stays within the possible range, and whole for counts", () => {
    const channel = limitedChannel(world, ({ name, sensor }) => name === "Total" && sensor.type === "snmpcpu");
    const { id } = channel.sensor;
    const reading = (to: number): Incident =>
      once(STARTED_AT, MINUTE, { kind: "reading", channel: channel.number, to, overMs: 0 });
    expect(() => world.addIncident(id, reading(101))).toThrow("its range is 0 to 100");
    expect(() => world.addIncident(id, reading(Number.NaN))).toThrow(RangeError);
    expect(() => world.addIncident(id, reading(50.5))).toThrow("whole numbers");
  });

  test("keeps status and limits consistent for any course", () => {
    const channels = world.channels().filter(({ limits, number }) => number !== -4 && Object.keys(limits).length > 0);
    const way = fc.record({
      pick: fc.nat(),
      to: fc.double({ min: -0.5, max: 2, noNaN: true }),
      overMs: fc.integer({ min: 0, max: 2 * HOUR }),
      after: fc.integer({ min: 0, max: 3 * HOUR }),
    });
    fc.assert(
      fc.property(way, ({ pick, to, overMs, after }) => {
        const channel = channels[pick % channels.length] as SimChannel;
        const { sensor, limits } = channel;
        const limit = Object.values(limits)[0] ?? 0;
        const target = Math.max(0, Math.min(100, Math.round(limit * to)));
        const effect = { kind: "reading", channel: channel.number, to: target, overMs } as const;
        let takeBack: (() => void) | undefined;
        try {
          takeBack = world.addIncident(sensor.id, once(STARTED_AT, 4 * HOUR, effect));
        } catch (error) {
          // Outside the channel's range.
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        const { status, since } = world.state(sensor, STARTED_AT + after);
        const measured = world.lastMeasurement(channel, STARTED_AT + after);
        if (measured !== undefined && measured.at >= STARTED_AT && ["up", "warning", "down"].includes(status)) {
          const value = measured.displayValue ?? Number.NaN;
          const error = value > (limits.maxError ?? Infinity) || value < (limits.minError ?? -Infinity);
          const warning = value > (limits.maxWarning ?? Infinity) || value < (limits.minWarning ?? -Infinity);
          expect(status).toBe(error ? "down" : warning ? "warning" : "up");
          expect(world.state(sensor, since - 1).status).not.toBe(status);
        }
        takeBack();
      }),
      { numRuns: 200 },
    );
  });
});
