import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import type { SimNode, SimSensor, World } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { DAY, HOUR, MINUTE, STARTED_AT } from "./fixtures.ts";

const AT = STARTED_AT + HOUR;
const LAST = AT + 3 * HOUR;
/** Large enough for some incidents of its own. */
const SIZE = { probes: 2, groups: 5, devices: 9, sensors: 36 };

function newWorld(): World {
  return createWorld({ seed: 9, size: SIZE, startedAt: STARTED_AT });
}

/** Picks objects by position. */
interface Change {
  readonly what: number;
  readonly node: number;
  readonly other: number;
  readonly minutes: number;
  readonly later: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  what: fc.nat({ max: 12 }),
  node: fc.nat({ max: 200 }),
  other: fc.nat({ max: 200 }),
  minutes: fc.integer({ min: 1, max: 90 }),
  /** Milliseconds after the previous change. */
  later: fc.nat({ max: 20 * MINUTE }),
});

function nodesOf(world: World): readonly SimNode[] {
  return [...world.list("probe"), ...world.list("group"), ...world.list("device"), ...world.list("sensor")];
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("nothing there");
  return item;
}

/** Impossible changes throw and change nothing. */
function apply(world: World, { what, node, other, minutes }: Change, at: number): void {
  const any = pick(nodesOf(world), node);
  const second = pick(nodesOf(world), other);
  const sensor = pick(world.list("sensor"), node);
  const device = pick(world.list("device"), other);
  const until = at + minutes * MINUTE;
  const changes: readonly (() => void)[] = [
    () => world.pause(any.id, at, "timed", until),
    () => world.pause(any.id, at),
    () => world.resume(any.id, at),
    () => world.force(sensor.id, "down", at),
    () => world.acknowledge(sensor.id, at, "seen", minutes % 2 === 0 ? until : undefined),
    () => world.scan(sensor.id, at),
    () => world.edit(any.id, { interval: { seconds: pick([10, 30, 60, 300], minutes), errorIntervalsDown: 1 } }, at),
    () => world.edit(any.id, { dependency: { schedule: "none", dependsOn: second.id } }, at),
    () => world.edit(any.id, { dependency: { schedule: "none", dependsOn: undefined } }, at),
    () => world.move(any.id, second.id, { at, index: minutes }),
    () => world.clone(any.id, any.parent?.id ?? "", "copy", at),
    () => world.addSensor(device.id, "new", at),
    () => world.list("sensor").length > 20 && world.remove(sensor.id, at),
  ];
  try {
    pick(changes, what)();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** Client queries, not in order of time. */
function answers(world: World, end: number): unknown {
  const moments = [end, AT - HOUR, end - 7 * MINUTE, end + HOUR, end - 1, end];
  return moments.map((at) => [
    nodesOf(world).map((node) => world.state(node, at)),
    world.list("sensor").map(({ channels: [primary] }) => primary && world.lastMeasurement(primary, at)),
    world.list("sensor").map((sensor) => world.measurements(sensor, at - 12 * MINUTE, at)),
    world.averages(pick(world.list("sensor"), 3), at - 4 * HOUR, at, HOUR),
  ]);
}

describe("world under random changes", () => {
  test("gives the same answers after any other questions", () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
        const [asked, unasked] = [newWorld(), newWorld()];
        let at = AT;
        for (const one of changes) {
          at = Math.min(LAST, at + one.later);
          answers(asked, at);
          apply(asked, one, at);
          apply(unasked, one, at);
        }
        expect(answers(asked, at)).toEqual(answers(unasked, at));
      }),
      { numRuns: runs(30) },
    );
  });

  test("shows the start of each status, and each scan once", () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
        const world = newWorld();
        let at = AT;
        for (const one of changes) {
          at = Math.min(LAST, at + one.later);
          apply(world, one, at);
        }
        for (const node of nodesOf(world)) expectSince(world, node, at + 5 * MINUTE);
        for (const sensor of world.list("sensor")) expectScans(world, sensor, AT - 10 * MINUTE, at + 5 * MINUTE);
      }),
      { numRuns: runs(30) },
    );
  });
});

function expectSince(world: World, node: SimNode, at: number): void {
  const { status, since } = world.state(node, at);
  expect(since).toBeLessThanOrEqual(at);
  expect([since, Math.ceil((since + at) / 2)].map((when) => world.state(node, when).status)).toEqual([status, status]);
  // Before the history, the status has no other value.
  if (world.state(node, since - 1).status === status)
    expect([STARTED_AT - 365 * DAY, "unknown"]).toContain(since < AT ? since : status);
}

/** A row for each change of the last measurement. */
function expectScans(world: World, sensor: SimSensor, from: number, to: number): void {
  const rows = world.measurements(sensor, from, to);
  const [primary] = sensor.channels;
  if (primary === undefined) throw new Error("no channel");
  const times = rows.map(({ at }) => at);
  expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
  expect(times.every((at) => at % 1000 === 0)).toBe(true);
  for (const [index, { at, displayValues }] of rows.entries()) {
    const until = rows[index + 1]?.at ?? to + 1;
    for (const when of [at, until - 1]) {
      expect(world.lastMeasurement(primary, when)).toMatchObject({ at, displayValue: displayValues[0] });
    }
  }
  const { next } = world.schedule(sensor);
  if (next !== undefined) for (const at of times) expect(next(at)).toBe(at);
}
