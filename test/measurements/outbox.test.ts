import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";
import type { MeasurementRow, Resolution } from "../../src/measurements/measurement.ts";
import { type Batch, Outbox } from "../../src/measurements/outbox.ts";
import { runs } from "../support/runs.ts";

function row(sensorId: string, at: number, points = 1, resolution: Resolution = "live"): MeasurementRow {
  const values = Array.from({ length: points }, (_, channel) => [String(channel), at] as const);
  return { sensorId, at, resolution, values };
}

function filled(rows: readonly MeasurementRow[], maxPoints = 1_000): Outbox {
  const outbox = new Outbox(maxPoints);
  for (const each of rows) expect(outbox.offer(each)).toBe("taken");
  return outbox;
}

const shown = (batch: Batch | undefined) => batch?.rows.map(({ sensorId, at }) => `${sensorId}@${at}`);

function take(outbox: Outbox, maxPoints = 1_000): Batch {
  const batch = outbox.take(maxPoints);
  if (batch === undefined) throw new Error("nothing to take");
  return batch;
}

describe("Outboxes of many servers", () => {
  const SERVERS = 20;
  /** In values. */
  const ROOM = 100_000;

  function full() {
    const memory = new MemoryBudget(100 * ROOM);
    const shares = Array.from({ length: SERVERS }, () => memory.open());
    const outboxes = shares.map((share) => new Outbox(50_000, share));
    const offerAll = (from: number, to: number) => {
      for (let at = from; at < to; at++) for (const outbox of outboxes) outbox.offer(row(`s${at % 7}`, at, 100));
    };
    const points = () => outboxes.reduce((sum, outbox) => sum + outbox.points, 0);
    return { memory, shares, outboxes, offerAll, points };
  }

  test("share the total room, each with a minimum", () => {
    const { outboxes, offerAll, points } = full();
    expect(outboxes.some(({ isCrowded }) => isCrowded)).toBe(false);
    offerAll(0, 400);
    expect(points()).toBeLessThanOrEqual(ROOM);
    expect(points()).toBeGreaterThan(ROOM / 2);
    expect(outboxes.every(({ isCrowded }) => isCrowded)).toBe(true);
    for (const outbox of outboxes) expect(outbox.points).toBeGreaterThanOrEqual(2_000);
  });

  test("let a new server deliver when others fill the room", () => {
    const { memory, offerAll } = full();
    offerAll(0, 400);
    const late = new Outbox(50_000, memory.open());
    for (let at = 0; at < 40; at++) late.offer(row("late", at, 100));
    expect(late.points).toBe(2_000);
    late.settle(take(late, 1_000).rows);
    expect([late.points, late.offer(row("late", 100, 100))]).toEqual([1_000, "taken"]);
  });

  test("free room after delivery or loss", () => {
    const { memory, outboxes, offerAll } = full();
    offerAll(0, 400);
    const held = memory.heldBytes;
    const [first, second] = outboxes;
    first?.settle(take(first, 50_000).rows);
    for (let sensor = 0; sensor < 7; sensor++) second?.drop(`s${sensor}`, -1);
    expect([first?.points, second?.points]).toEqual([0, 0]);
    expect(memory.heldBytes).toBe(held - (2 * held) / SERVERS);
  });
});

describe("Outbox", () => {
  test("knows channels with waiting values", () => {
    const outbox = filled([row("a", 1, 2), row("b", 1, 1)]);
    expect(outbox.holds("a", "1")).toBe(true);
    expect([outbox.holds("a", "2"), outbox.holds("b", "1"), outbox.holds("c", "0")]).toEqual([false, false, false]);
    const batch = take(outbox);
    expect(outbox.holds("a", "1")).toBe(true);
    outbox.settle(batch.rows);
    expect(outbox.holds("a", "1")).toBe(false);
  });

  test("returns rows oldest first per sensor, with sensors in order of arrival", () => {
    const outbox = filled([row("b", 1), row("a", 1), row("b", 2), row("a", 3)]);
    expect(shown(outbox.take(10))).toEqual(["b@1", "b@2", "a@1", "a@3"]);
    expect(outbox.take(10)).toBeUndefined();
  });

  test("rejects rows that are too late", () => {
    const outbox = filled([row("a", 5)]);
    expect(outbox.offer(row("a", 5))).toBe("late");
    expect(outbox.offer(row("a", 4))).toBe("late");
    expect(outbox.offer(row("b", 4))).toBe("taken");
  });

  test("has a limit of values", () => {
    const outbox = filled([row("a", 1, 4), row("b", 1, 5)], 10);
    expect(outbox.offer(row("c", 1, 2))).toBe("full");
    expect(outbox.offer(row("c", 1, 1))).toBe("taken");
    expect(outbox.points).toBe(10);
  });

  test("accepts a row larger than its limit if it is empty", () => {
    const outbox = filled([row("a", 1, 50)], 10);
    expect(outbox.offer(row("b", 1, 1))).toBe("full");
    outbox.settle(take(outbox).rows);
    expect(outbox.offer(row("b", 1, 1))).toBe("taken");
  });

  test("is crowded from half of its room", () => {
    const outbox = filled([row("a", 1, 4)], 10);
    expect(outbox.isCrowded).toBe(false);
    outbox.offer(row("a", 2, 1));
    expect(outbox.isCrowded).toBe(true);
  });

  test("never splits a row, and returns at least one", () => {
    const outbox = filled([row("a", 1, 3), row("a", 2, 3), row("a", 3, 3), row("b", 1, 9)]);
    const batches = [take(outbox, 7), take(outbox, 5)];
    expect(batches.map(shown)).toEqual([["a@1", "a@2"], ["b@1"]]);
    expect(batches.map(({ points }) => points)).toEqual([6, 9]);
  });

  test("holds a sensor's other rows during its delivery", () => {
    const outbox = filled([row("a", 1), row("a", 2), row("b", 1)]);
    const first = take(outbox, 1);
    expect(shown(first)).toEqual(["a@1"]);
    expect(shown(outbox.take(10))).toEqual(["b@1"]);
    expect(outbox.take(10)).toBeUndefined();
    outbox.settle(first.rows);
    expect(shown(outbox.take(10))).toEqual(["a@2"]);
  });

  test("returns rejected rows before newer ones", () => {
    const outbox = filled([row("a", 1), row("b", 1)]);
    const batch = take(outbox);
    outbox.offer(row("a", 2));
    expect(outbox.pointsToTake).toBe(1);
    outbox.putBack(batch.rows);
    expect(outbox.pointsToTake).toBe(3);
    expect(shown(outbox.take(10))).toEqual(["a@1", "a@2", "b@1"]);
  });

  test("skips sensors with history on request", () => {
    const minutes = (count: number) => count * 60_000;
    const outbox = filled([row("old", 0), row("old", minutes(6)), row("live", minutes(1)), row("live", minutes(6))]);
    expect(shown(outbox.take(10, { skipsHistory: true }))).toEqual([`live@${minutes(1)}`, `live@${minutes(6)}`]);
    expect(shown(outbox.take(10))).toEqual(["old@0", `old@${minutes(6)}`]);
  });

  test("removes delivered rows", () => {
    const outbox = filled([row("a", 1, 3)]);
    outbox.settle(take(outbox).rows);
    expect([outbox.points, outbox.pointsToTake, outbox.pending().size]).toEqual([0, 0, 0]);
    expect(outbox.newestOf("a")).toBeUndefined();
  });

  test("puts only rows of one resolution into a batch", () => {
    const outbox = filled([row("a", 1, 1, "short"), row("a", 2), row("b", 1), row("c", 1, 1, "short")]);
    const short = take(outbox);
    expect([short.resolution, shown(short)]).toEqual(["short", ["a@1", "c@1"]]);
    expect(shown(outbox.take(10))).toEqual(["b@1"]);
    outbox.settle(short.rows);
    const live = take(outbox);
    expect([live.resolution, shown(live)]).toEqual(["live", ["a@2"]]);
  });

  test("drops rows newer than a time, except rows in delivery", () => {
    const outbox = filled([row("a", 1, 2), row("a", 2, 2), row("a", 3, 2), row("b", 3)]);
    expect(outbox.drop("a", 2)).toBe(2);
    expect(outbox.newestOf("a")?.at).toBe(2);
    const batch = take(outbox, 2);
    expect(outbox.drop("a", 0)).toBe(2);
    expect(outbox.newestOf("a")?.at).toBe(1);
    expect(outbox.points).toBe(3);
    outbox.settle(batch.rows);
    expect(outbox.drop("a", 0)).toBe(0);
    expect(outbox.drop("b", 0)).toBe(1);
    expect(outbox.points).toBe(0);
  });

  test("reports waiting rows by resolution", () => {
    const outbox = filled([row("a", 10, 2, "medium"), row("a", 20, 2), row("b", 15, 3)]);
    outbox.take(3);
    expect(outbox.pending()).toEqual(
      new Map([
        ["medium", { points: 2, oldestAt: 10 }],
        ["live", { points: 5, oldestAt: 15 }],
      ]),
    );
  });

  test("delivers or drops each row once in order, with correct sums, in any sequence of steps", () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant("offer" as const),
          sensor: fc.constantFrom("a", "b", "c"),
          points: fc.integer({ min: 1, max: 4 }),
          resolution: fc.constantFrom<Resolution>("live", "short"),
        }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("take" as const), max: fc.integer({ min: 1, max: 9 }) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("settle", "put back") }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant("drop" as const), sensor: fc.constantFrom("a", "b", "c") }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const outbox = new Outbox(30);
        const expected = new Map<string, MeasurementRow[]>([
          ["a", []],
          ["b", []],
          ["c", []],
        ]);
        const flying: Batch[] = [];
        let now = 0;
        for (const each of steps) {
          now++;
          if (each.do === "offer") {
            const offered = row(each.sensor, now, each.points, each.resolution);
            if (outbox.offer(offered) === "taken") expected.get(each.sensor)?.push(offered);
          } else if (each.do === "take") {
            const batch = outbox.take(each.max);
            if (batch === undefined) continue;
            expect(batch.points).toBe(batch.rows.reduce((sum, { values }) => sum + values.length, 0));
            expect(batch.points <= each.max || batch.rows.length === 1).toBe(true);
            expect(new Set(batch.rows.map(({ resolution }) => resolution))).toEqual(new Set([batch.resolution]));
            flying.push(batch);
          } else if (each.do === "drop") {
            const aloft = flying.flatMap(({ rows }) => rows).filter(({ sensorId }) => sensorId === each.sensor).length;
            const dropped = expected.get(each.sensor)?.splice(aloft) ?? [];
            expect(outbox.drop(each.sensor, 0)).toBe(dropped.reduce((sum, { values }) => sum + values.length, 0));
          } else {
            const batch = flying.shift();
            if (batch === undefined) continue;
            if (each.do === "put back") outbox.putBack(batch.rows);
            else {
              outbox.settle(batch.rows);
              for (const settled of batch.rows) expect(expected.get(settled.sensorId)?.shift()).toBe(settled);
            }
          }
          const waiting = [...expected.values()].flat();
          expect(outbox.points).toBe(waiting.reduce((sum, { values }) => sum + values.length, 0));
          const inFlight = flying.reduce((sum, { points }) => sum + points, 0);
          expect(outbox.pointsToTake).toBe(outbox.points - inFlight);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
