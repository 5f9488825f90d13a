import { describe, expect, test } from "vitest";
import type { SimSensor, SimStatus, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { DAY, HOUR, MINUTE, STARTED_AT } from "./fixtures.ts";

const UP: readonly SimStatus[] = ["up", "warning", "unusual"];
const DOWN: readonly SimStatus[] = ["down", "acknowledged", "partialdown"];

/** Scan by scan, as the server records it. */
function* observed(world: World, sensor: SimSensor, from: number, to: number) {
  const seen: { up: number | undefined; down: number | undefined } = { up: undefined, down: undefined };
  for (const { at } of world.measurements(sensor, from, to)) {
    const { status } = world.state(sensor, at);
    if (UP.includes(status)) seen.up = at;
    if (DOWN.includes(status)) seen.down = at;
    yield { at, status, ...seen };
  }
}

describe("time when a sensor was last up and down", () => {
  test("matches its scans at any time", () => {
    const world = createWorld({ seed: 3, size: { sensors: 60 }, startedAt: STARTED_AT });
    let ups = 0;
    let downs = 0;
    for (const sensor of world.list("sensor")) {
      const from = STARTED_AT - DAY;
      const scans = [...observed(world, sensor, from, STARTED_AT)];
      // All changes and some moments between, latest first.
      const changes = scans.filter(({ status }, index) => status !== scans[index - 1]?.status || index % 97 === 0);
      for (const { at, up, down } of changes.reverse()) {
        const seen = world.lastSeen(sensor, at);
        if (up !== undefined) expect([sensor.id, at, seen.up]).toEqual([sensor.id, at, up]);
        else expect(seen.up ?? 0).toBeLessThan(from);
        if (down !== undefined) expect([sensor.id, at, seen.down]).toEqual([sensor.id, at, down]);
        else expect(seen.down ?? 0).toBeLessThan(from);
        ups += Number(up !== undefined && up < at);
        downs += Number(down !== undefined && down < at);
      }
    }
    expect(Math.min(ups, downs)).toBeGreaterThan(20);
  });

  test("is the same in another world with the same seed", () => {
    const at = STARTED_AT + HOUR;
    const [asked, fresh] = [1, 2].map(() => createWorld({ seed: 5, size: { sensors: 200 }, startedAt: STARTED_AT }));
    if (asked === undefined || fresh === undefined) throw new Error("no worlds");
    for (let time = STARTED_AT; time < at; time += 5 * MINUTE) {
      for (const sensor of asked.list("sensor")) asked.lastSeen(sensor, time);
    }
    const of = (world: World) => world.list("sensor").map((sensor) => world.lastSeen(sensor, at));
    expect(of(asked)).toEqual(of(fresh));
  });

  test("stays during a pause, and a forced status counts from its start", () => {
    const world = createWorld({ seed: 1, size: { sensors: 50 }, startedAt: STARTED_AT });
    const sensor = world.list("sensor").find((one) => world.state(one, STARTED_AT).status === "up");
    if (sensor === undefined) throw new Error("no sensor is up");
    const before = world.lastSeen(sensor, STARTED_AT);
    world.pause(sensor.id, STARTED_AT + 1);
    expect(world.lastSeen(sensor, STARTED_AT + HOUR)).toEqual(before);
    world.force(sensor.id, "down", STARTED_AT + 2 * HOUR);
    expect(world.lastSeen(sensor, STARTED_AT + 2 * HOUR)).toEqual({ up: before.up, down: STARTED_AT + 2 * HOUR });
  });

  test("is undefined without a scan", () => {
    const world = createWorld({ seed: 1, size: { sensors: 50 }, startedAt: STARTED_AT });
    const [device] = world.list("device");
    const sensor = world.addSensor(device?.id ?? "", "New", STARTED_AT);
    expect(world.lastSeen(sensor, STARTED_AT)).toEqual({ up: undefined, down: undefined });
  });
});
