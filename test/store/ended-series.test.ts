import fc from "fast-check";
import { expect, test } from "vitest";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { dropRevivedFrom, endedSlots } from "../../src/store/ended-series.ts";
import { EndedSeries, SeriesTable } from "../../src/store/series-table.ts";
import { Store } from "../../src/store/store.ts";
import { runs } from "../support/runs.ts";

const FAMILY: MetricFamily = { name: "f", type: "gauge", help: "", labels: ["id", "name"] };
/** Same series with reordered labels and an additional, possibly empty one. */
const RESHAPED: MetricFamily = { ...FAMILY, labels: ["name", "tag", "id"] };
const AT_ONE_GO = { step: () => undefined };
const NAMES = ["x", "y", ""];
const TAGS = ["", "t"];

/** A receiver's series by their labels. */
class ReceiverModel {
  readonly alive = new Set<string>();
  readonly ended: string[] = [];
}

function keyOf(table: SeriesTable, slot: number): string {
  const pairs = table.family.labels.map((name, column) => `${name}=${table.label(slot, column)}`);
  return pairs
    .filter((pair) => !pair.endsWith("="))
    .sort()
    .join();
}

/** A push like the state producer's. A lost one reaches no receiver. */
async function push(store: Store, receiver: ReceiverModel, isLost: boolean): Promise<void> {
  const table = store.table(FAMILY);
  const settled: (() => void)[] = [];
  const present: string[] = [];
  for (let slot = 0; slot < table.slots; slot++) {
    if (!table.isPresent(slot)) continue;
    present.push(keyOf(table, slot));
    table.markPushed(slot);
  }
  for (const retired of store.retired) await dropRevivedFrom(retired, table, AT_ONE_GO);
  const ended: string[] = [];
  for (const each of [table, ...store.retired]) {
    for (const slot of await endedSlots(each, AT_ONE_GO, (at) => each.isPresent(at))) {
      ended.push(keyOf(each, slot));
      const labelVersion = each.markEnding(slot);
      settled.push(() => each.ended(slot, labelVersion));
    }
  }
  expect(ended.filter((key) => present.includes(key))).toEqual([]);
  expect(new Set(ended).size).toBe(ended.length);
  if (isLost) return;
  for (const key of present) receiver.alive.add(key);
  for (const key of ended) receiver.alive.delete(key);
  receiver.ended.push(...ended);
  for (const settle of settled) settle();
}

interface Thing {
  slot: number;
  name: string;
  value: number | undefined;
}

test("a receiver has exactly the present series after any changes of series, tables and pushes", async () => {
  const id = fc.integer({ min: 0, max: 3 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("set" as const), id }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("withdraw" as const), id }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant("rename" as const), id, name: fc.constantFrom(...NAMES) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("reshape" as const), tag: fc.constantFrom(...TAGS) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("push" as const), isLost: fc.boolean() }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const store = new Store([FAMILY]);
      const receiver = new ReceiverModel();
      const things = new Map<number, Thing>();
      let tag: string | undefined;
      const labels = (of: number, name: string): readonly string[] =>
        tag === undefined ? [String(of), name] : [name, tag, String(of)];
      for (const each of steps) {
        const table = store.table(FAMILY);
        if (each.do === "push") await push(store, receiver, each.isLost);
        else if (each.do === "reshape") {
          // Back and forth, so that series return unchanged.
          tag = tag === undefined ? each.tag : undefined;
          await store.reshape([tag === undefined ? FAMILY : RESHAPED], async (tables) => {
            const next = tables.table(FAMILY);
            for (const [of, thing] of things) {
              thing.slot = next.add(labels(of, thing.name));
              if (thing.value !== undefined) next.set(thing.slot, thing.value);
            }
            return () => undefined;
          });
        } else {
          let thing = things.get(each.id);
          if (thing === undefined) {
            thing = { slot: table.add(labels(each.id, "x")), name: "x", value: undefined };
            things.set(each.id, thing);
          }
          if (each.do === "set") {
            thing.value = 1;
            table.set(thing.slot, 1);
          } else if (each.do === "withdraw") {
            thing.value = undefined;
            table.withdraw(thing.slot);
          } else if (each.do === "rename") {
            thing.name = each.name;
            table.relabel(thing.slot, labels(each.id, each.name));
          } else {
            table.remove(thing.slot);
            things.delete(each.id);
          }
        }
      }
      await push(store, receiver, false);
      const table = store.table(FAMILY);
      const present = [...things.values()].filter(({ value }) => value !== undefined);
      expect([...receiver.alive].sort()).toEqual(present.map(({ slot }) => keyOf(table, slot)).sort());
      expect(store.endedSeries.count).toBe(0);
      // Each end once.
      const told = receiver.ended.length;
      await push(store, receiver, false);
      expect(receiver.ended).toHaveLength(told);
    }),
    { numRuns: runs(500) },
  );
});

function tableWith(left: EndedSeries): SeriesTable {
  return new SeriesTable(FAMILY, left);
}

test("the table limits series that wait for their end and counts dropped ones", async () => {
  const left = new EndedSeries(2);
  const table = tableWith(left);
  const slots = ["1", "2", "3", "4"].map((id) => table.add([id, "x"]));
  for (const slot of slots) {
    table.set(slot, 1);
    table.markPushed(slot);
  }
  for (const slot of slots.slice(0, 2)) table.remove(slot);
  table.relabel(slots[2] ?? 0, ["3", "y"]);
  table.remove(slots[3] ?? 0);
  expect(left.count).toBe(2);
  expect(left.takeDropped()).toBe(2);
  expect(left.takeDropped()).toBe(0);
  const ended = await endedSlots(table, AT_ONE_GO, (slot) => table.isPresent(slot));
  expect(ended.map((slot) => table.label(slot, 0))).toEqual(["1", "2"]);
  for (const slot of ended) table.ended(slot, table.markEnding(slot));
  expect(left.count).toBe(0);
  const { slots: before } = table;
  for (const id of ["5", "6", "7"]) table.add([id, "x"]);
  expect(table.slots).toBe(before);
});

test("a store keeps 200,000 series that wait for their end", () => {
  const { endedSeries } = new Store([FAMILY]);
  for (let count = 0; count < 200_000; count++) endedSeries.take();
  expect(endedSeries.takeDropped()).toBe(0);
  expect(endedSeries.take()).toBe(false);
});

test("an unpushed series leaves nothing behind", () => {
  const left = new EndedSeries(10);
  const table = tableWith(left);
  table.markPushed(table.add(["0", "x"]));
  const slot = table.add(["1", "x"]);
  table.set(slot, 1);
  table.relabel(slot, ["1", "y"]);
  table.remove(slot);
  expect(left.count).toBe(0);
});

test("a value pushed during its end gets a later end", async () => {
  const table = tableWith(new EndedSeries(10));
  const slot = table.add(["1", "x"]);
  table.markPushed(slot);
  const labelVersion = table.markEnding(slot);
  table.markPushed(slot);
  table.ended(slot, labelVersion);
  expect(await endedSlots(table, AT_ONE_GO, (at) => table.isPresent(at))).toEqual([slot]);
});

test("the table keeps nothing after the push stops", async () => {
  const store = new Store([FAMILY]);
  const table = store.table(FAMILY);
  const [gone = 0, stays = 0] = ["1", "2"].map((id) => table.add([id, "x"]));
  for (const slot of [gone, stays]) table.markPushed(slot);
  table.remove(gone);
  expect(store.endedSeries.count).toBe(1);
  store.forgetPushed();
  expect(store.endedSeries.count).toBe(0);
  expect(await endedSlots(table, AT_ONE_GO, () => false)).toEqual([]);
});

test("a series that returns during its end and disappears gets a later end", async () => {
  const table = tableWith(new EndedSeries(10));
  const slot = table.add(["1", "x"]);
  table.markPushed(slot);
  const labelVersion = table.markEnding(slot);
  table.markPushed(slot);
  table.remove(slot);
  table.ended(slot, labelVersion);
  expect(await endedSlots(table, AT_ONE_GO, (at) => table.isPresent(at))).toEqual([slot]);
});

test("a relabelled series ends only under its old labels", async () => {
  const table = tableWith(new EndedSeries(10));
  table.add(["0", "x"]);
  const slot = table.add(["1", "x"]);
  table.markPushed(slot);
  table.relabel(slot, ["1", "y"]);
  const ended = await endedSlots(table, AT_ONE_GO, (at) => table.isPresent(at));
  expect(ended.map((at) => table.label(at, 1))).toEqual(["x"]);
});
