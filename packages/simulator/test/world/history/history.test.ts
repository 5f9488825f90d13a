import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import type {
  SimAverages,
  SimChannel,
  SimNode,
  SimRow,
  SimSensor,
  SimStatus,
  World,
} from "../../../src/world/model.ts";
import { createWorld } from "../../../src/world/world.ts";
import { DAY, HOUR, MINUTE, STARTED_AT } from "../fixtures.ts";

const OPTIONS = { seed: 11, size: { probes: 8, sensors: 300 }, startedAt: STARTED_AT };
const SPANS = [5 * MINUTE, HOUR, DAY];

let world: World;
beforeEach(() => {
  world = createWorld(OPTIONS);
});

function sensorAt(position: number): SimSensor {
  const sensors = world.list("sensor");
  const sensor = sensors[position % sensors.length];
  if (sensor === undefined) throw new Error("no sensors");
  return sensor;
}

function stepByStep(sensor: SimSensor, from: number, to: number): SimRow[] {
  const {
    first,
    everyMs,
    next = (at) => first + Math.max(0, Math.ceil((at - first) / everyMs)) * everyMs,
  } = world.schedule(sensor);
  const rows: SimRow[] = [];
  for (let at = next(from); at <= to; at = next(at + 1)) {
    const scans = sensor.channels.map((channel) => world.lastMeasurement(channel, at));
    if (scans[0]?.at === at) rows.push({ at, displayValues: scans.map((scan) => scan?.displayValue ?? null) });
  }
  return rows;
}

/** Definition of an average, from the raw record. A failed scan counts only in `downtime`. */
function averagesOf({ channels }: SimSensor, rows: readonly SimRow[], spanMs: number): SimAverages[] {
  const downtime = channels.findIndex(({ number }) => number === -4);
  const spans = Map.groupBy(rows, ({ at }) => Math.floor(at / spanMs) * spanMs);
  return [...spans].map(([at, scans]) => {
    const complete = scans.filter(({ displayValues }) => !displayValues.includes(null));
    return {
      at,
      displayValues: channels.map((_, index) => mean(complete.map((scan) => scan.displayValues[index]))),
      downtime: mean(scans.map((scan) => scan.displayValues[downtime])) ?? Number.NaN,
    };
  });
}

function mean(values: readonly (number | null | undefined)[]): number | null {
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** On a sensor or an ancestor. */
interface Change {
  readonly what: "pause" | "resume" | "move" | SimStatus;
  readonly sensor: number;
  readonly levels: number;
  readonly at: number;
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  what: fc.constantFrom("pause", "resume", "move", "down", "warning", "unusual", "disconnected"),
  sensor: fc.nat(299),
  levels: fc.nat(3),
  at: fc.integer({ min: STARTED_AT - 20 * DAY, max: STARTED_AT }),
});

function apply({ what, sensor: position, levels, at }: Change): void {
  const sensor = sensorAt(position);
  let node: SimNode = sensor;
  for (let level = 0; level < levels; level++) node = node.parent ?? node;
  if (what === "pause") world.pause(node.id, at);
  else if (what === "resume") world.resume(node.id, at);
  else if (what === "move") world.move(sensor.id, world.list("device")[position % 20]?.id ?? "");
  else world.force(sensor.id, what, at);
}

describe("past measurements", () => {
  test("match lastMeasurement scan by scan after any changes", () => {
    const window = fc.record({
      sensor: fc.nat(299),
      ago: fc.oneof(fc.nat(20 * DAY), fc.nat(366 * DAY)),
      length: fc.nat(10 * HOUR),
    });
    let scans = 0;
    let missed = 0;
    fc.assert(
      fc.property(
        fc.array(anyChange, { maxLength: 6 }),
        fc.array(window, { minLength: 4, maxLength: 4 }),
        (changes, windows) => {
          world = createWorld(OPTIONS);
          for (const one of changes) apply(one);
          for (const { sensor: position, ago, length } of windows) {
            // Half of the time, picks a sensor with an action.
            const sensor = sensorAt(position % 2 === 0 ? (changes[0]?.sensor ?? position) : position);
            const to = STARTED_AT - ago;
            const rows = world.measurements(sensor, to - length, to);
            expect(rows).toEqual(stepByStep(sensor, to - length, to));
            scans += rows.length;
            missed += Math.floor(length / 1000 / sensor.intervalSeconds) - rows.length;
            const last = rows.at(-1);
            if (last === undefined) continue;
            const ends = sensor.channels.map((channel) => world.lastMeasurement(channel, to));
            expect(ends.map((scan) => scan?.displayValue)).toEqual(last.displayValues);
            expect(new Set(ends.map((scan) => scan?.at))).toEqual(new Set([last.at]));
          }
        },
      ),
      { numRuns: 20, seed: 3 },
    );
    expect(scans).toBeGreaterThan(10_000);
    expect(missed).toBeGreaterThan(1000);
  });

  test("include scans at both ends of the time range", () => {
    const sensor = sensorAt(0);
    const all = world.measurements(sensor, STARTED_AT - HOUR, STARTED_AT);
    const [second, third] = [all[1]?.at ?? 0, all[2]?.at ?? 0];
    expect(world.measurements(sensor, second, third)).toEqual(all.slice(1, 3));
    expect(world.measurements(sensor, second + 1, third - 1)).toEqual([]);
    expect(world.measurements(sensor, third, second)).toEqual([]);
  });

  test("start with the first scan of the sensor", () => {
    const device = world.list("device")[3];
    const added = world.addSensor(device?.id ?? "", "new", STARTED_AT - 10 * MINUTE);
    const { first, everyMs } = world.schedule(added);
    expect(everyMs).toBe(added.intervalSeconds * 1000);
    expect(first).toBeGreaterThanOrEqual(STARTED_AT - 10 * MINUTE);
    expect(first).toBeLessThan(STARTED_AT - 10 * MINUTE + everyMs);
    const rows = world.measurements(added, 0, STARTED_AT);
    expect(rows[0]?.at).toBe(first);
    expect(rows).toEqual(stepByStep(added, 0, STARTED_AT));
    expect(world.averages(added, 0, STARTED_AT, 5 * MINUTE)).toEqual(averagesOf(added, rows, 5 * MINUTE).slice(0, -1));
  });

  test("are empty for a sensor without scans, like its averages", () => {
    const large = createWorld({ seed: 1, startedAt: STARTED_AT });
    const never = large.list("sensor").find((sensor) => large.state(sensor, STARTED_AT).status === "none");
    if (never === undefined) throw new Error("every sensor was scanned");
    expect(large.measurements(never, 0, STARTED_AT)).toEqual([]);
    for (const span of SPANS) expect(large.averages(never, 0, STARTED_AT, span)).toEqual([]);
  });

  test("refuse objects of another world", () => {
    const foreign = { ...sensorAt(0) };
    expect(() => world.schedule(foreign)).toThrow(RangeError);
    expect(() => world.measurements(foreign, 0, STARTED_AT)).toThrow(RangeError);
    expect(() => world.averages(foreign, 0, STARTED_AT, HOUR)).toThrow(RangeError);
  });
});

describe("past averages", () => {
  test.each(SPANS)("over %i ms are the mean of the scans in each whole span", (spanMs) => {
    let nulls = 0;
    let gaps = 0;
    for (let position = 0; position < 12; position++) {
      const sensor = sensorAt(position * 14);
      if (position % 4 === 1) world.force(sensor.id, "down", STARTED_AT - 45 * HOUR);
      if (position % 4 === 2) {
        world.pause(sensor.id, STARTED_AT - 30 * HOUR);
        world.resume(sensor.id, STARTED_AT - 90 * MINUTE);
      }
      const from = STARTED_AT - 2 * DAY - position * 61_000;
      const to = STARTED_AT - position * 7000;
      const averages = world.averages(sensor, from, to, spanMs);
      const expected = averagesOf(sensor, world.measurements(sensor, from - spanMs, to), spanMs).filter(
        ({ at }) => at >= from && at + spanMs <= to,
      );
      expect(averages).toEqual(expected);
      nulls += averages.flatMap(({ displayValues }) => displayValues).filter((value) => value === null).length;
      gaps += averages.filter(({ at }, index) => at - (averages[index - 1]?.at ?? at) > spanMs).length;
    }
    expect(nulls > 0 && (gaps > 0 || spanMs === DAY)).toBe(true);
  });

  test("equal the weighted averages of its hours for a day", () => {
    const day = Math.floor(STARTED_AT / DAY) * DAY - DAY;
    for (let position = 0; position < 300; position += 43) {
      const sensor = sensorAt(position);
      const rows = world.measurements(sensor, day, day + DAY - 1);
      const hours = world.averages(sensor, day, day + DAY, HOUR);
      const whole = world.averages(sensor, day, day + DAY, DAY)[0];
      for (const index of sensor.channels.keys()) {
        let sum = 0;
        let count = 0;
        for (const hour of hours) {
          const inHour = rows.filter(({ at }) => Math.floor(at / HOUR) * HOUR === hour.at);
          const weight = inHour.filter(({ displayValues }) => displayValues[index] !== null).length;
          sum += weight * (hour.displayValues[index] ?? 0);
          count += weight;
        }
        const expected = sum / count;
        expect(Math.abs((whole?.displayValues[index] ?? Number.NaN) - expected)).toBeLessThanOrEqual(
          1e-9 * Math.abs(expected),
        );
      }
    }
  });

  test("do not depend on earlier questions", () => {
    const range = fc.record({
      sensor: fc.constantFrom(3, 40, 41),
      span: fc.constantFrom(5 * MINUTE, HOUR),
      ago: fc.nat(3 * DAY),
      length: fc.nat(12 * HOUR),
    });
    fc.assert(
      fc.property(fc.array(range, { minLength: 12, maxLength: 12 }), (ranges) => {
        for (const { sensor: position, span, ago, length } of ranges) {
          const sensor = sensorAt(position);
          const to = STARTED_AT - ago;
          const rows = world.measurements(sensor, to - length, to);
          const expected = averagesOf(sensor, rows, span).filter(({ at }) => at >= to - length && at + span <= to);
          expect(world.averages(sensor, to - length, to, span)).toEqual(expected);
        }
      }),
      { numRuns: runs(30), seed: 5 },
    );
  });

  const CHANGES: readonly [name: string, change: (sensor: SimSensor, channel: SimChannel) => void][] = [
    ["a pause", (sensor) => world.pause(sensor.id, STARTED_AT - 3 * HOUR)],
    ["a pause of the group above", (sensor) => world.pause(sensor.parent?.parent?.id ?? "", STARTED_AT - 3 * HOUR)],
    ["a forced state", (sensor) => world.force(sensor.id, "down", STARTED_AT - 3 * HOUR)],
    ["another interval", (sensor) => Object.assign(sensor, { intervalSeconds: 7 * sensor.intervalSeconds })],
    ["another limit", (_, channel) => Object.assign(channel.limits, { maxError: 1e-3 })],
  ];

  test.each(CHANGES)("follow %s that comes after the question", (_, change) => {
    const sensor = sensorThatStaysUp();
    const [channel] = sensor.channels;
    if (channel === undefined) throw new Error("no channels");
    const before = world.averages(sensor, STARTED_AT - DAY, STARTED_AT, HOUR);
    change(sensor, channel);
    const after = world.averages(sensor, STARTED_AT - DAY, STARTED_AT, HOUR);
    expect(after).not.toEqual(before);
    const rows = world.measurements(sensor, STARTED_AT - DAY, STARTED_AT);
    expect(after).toEqual(
      averagesOf(sensor, rows, HOUR).filter(({ at }) => at >= STARTED_AT - DAY && at + HOUR <= STARTED_AT),
    );
  });
});

/** Scans every minute, values above zero all day. */
function sensorThatStaysUp(): SimSensor {
  const found = world.list("sensor").find((sensor) => {
    const rows = world.measurements(sensor, STARTED_AT - DAY, STARTED_AT);
    return (
      sensor.intervalSeconds === 60 && rows.length === 1440 && rows.every((row) => (row.displayValues[0] ?? 0) > 1)
    );
  });
  if (found === undefined) throw new Error("no sensor stays up");
  return found;
}
