import { expect, test } from "vitest";
import { Averages } from "../../../src/world/history/averages.ts";
import { scanRunsOf } from "../../../src/world/history/scan-runs.ts";
import { SensorNode } from "../../../src/world/nodes/nodes.ts";
import { SpanCollector } from "../../../src/world/states/span-collector.ts";
import { createWorld } from "../../../src/world/world.ts";
import { HOUR, STARTED_AT } from "../fixtures.ts";

const LAST_HOUR = Math.floor(STARTED_AT / HOUR);

function setUp(mostCells: number) {
  const world = createWorld({ seed: 1, size: { sensors: 12 }, startedAt: STARTED_AT });
  const sensors = world.list("sensor").filter((sensor) => sensor instanceof SensorNode);
  const influences = new SpanCollector(() => ({ isDown: false, since: -Infinity }));
  const worked: { readonly id: string; readonly from: number; readonly to: number }[] = [];
  const averages = new Averages((sensor, from, to) => {
    worked.push({ id: sensor.id, from: from / HOUR, to: (to + 1) / HOUR });
    return scanRunsOf(influences, sensor, from, to);
  }, mostCells);
  const first = sensors[0];
  if (first === undefined) throw new Error("no sensors");
  return { sensors, first, averages, worked };
}

test("averages keep finished spans and compute only new ones", () => {
  const { first, averages, worked } = setUp(1e6);
  const spans = (from: number, count: number) => {
    worked.length = 0;
    const block = averages.block(first, HOUR, LAST_HOUR - from, count);
    expect(block.first).toBeLessThanOrEqual(LAST_HOUR - from);
    expect(block.first + block.count).toBeGreaterThanOrEqual(LAST_HOUR - from + count);
    return worked.map(({ from: begin, to }) => [LAST_HOUR - begin, LAST_HOUR - to]);
  };
  expect(spans(10, 5)).toEqual([[10, 5]]);
  expect(spans(10, 5)).toEqual([]);
  expect(spans(8, 2)).toEqual([]);
  // Just after, overlapping, before, on both sides.
  expect(spans(5, 1)).toEqual([[5, 4]]);
  expect(spans(8, 6)).toEqual([[4, 2]]);
  expect(spans(12, 2)).toEqual([[12, 10]]);
  expect(spans(13, 12)).toEqual([
    [13, 12],
    [2, 1],
  ]);
  // Skips the range in between.
  expect(spans(40, 3)).toEqual([[40, 37]]);
  // A change of the sensor invalidates its cache.
  first.revision++;
  expect(spans(40, 3)).toEqual([[40, 37]]);
  expect(spans(40, 3)).toEqual([]);
  averages.forget(first);
  expect(averages.kept).toBe(0);
  expect(spans(40, 3)).toEqual([[40, 37]]);
});

test("averages keep a limited number of spans and evict the oldest", () => {
  const { sensors, first, averages, worked } = setUp(200);
  for (const sensor of sensors) {
    averages.block(first, HOUR, LAST_HOUR - 10, 10);
    averages.block(sensor, HOUR, LAST_HOUR - 10, 10);
    expect(averages.kept).toBeLessThanOrEqual(200);
  }
  expect(worked.filter(({ id }) => id === first.id)).toHaveLength(1);
  // The cache evicted most others.
  const others = sensors.slice(1).toReversed();
  worked.length = 0;
  for (const sensor of others) averages.block(sensor, HOUR, LAST_HOUR - 10, 10);
  expect(worked.length).toBeGreaterThan(others.length / 2);
  // A single one may exceed the limit.
  averages.block(first, HOUR, LAST_HOUR - 1000, 1000);
  expect(averages.kept).toBe(1000 * (first.channels.length + 1));
  worked.length = 0;
  averages.block(first, HOUR, LAST_HOUR - 1000, 1000);
  expect(worked).toEqual([]);
});
