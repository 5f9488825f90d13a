import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Projector, type ServedFamily } from "../../src/projection/projector.ts";
import { SeriesTable } from "../../src/store/series-table.ts";

const FAMILY = { name: "f", type: "gauge", help: "", labels: ["a", "b"] } as const;
const IDENTITY = 1;
const VALUE = 2;
const OTHER = 4;
const NOW = 0;

interface Thing {
  readonly row: number;
  name: string;
  value: number | undefined;
  until: number;
}

type ThingFamily = ServedFamily<Thing, unknown>;

const nameOf = (_server: string, { name }: Thing) => [name];

const BOTH: ThingFamily = {
  family: FAMILY,
  labelsOf: (_server, { row, name }) => [String(row), name],
  facts: VALUE,
  value: ({ value }) => value,
  expiresAt: ({ until }) => until,
};

function present(table: SeriesTable): Record<string, number> {
  const entries: [string, number][] = [];
  for (let slot = 0; slot < table.slots; slot++) {
    if (table.isPresent(slot)) entries.push([table.labels(slot).join("|"), table.value(slot)]);
  }
  return Object.fromEntries(entries);
}

function projecting(families: readonly ThingFamily[], shardKey: () => number = () => 0) {
  const table = new SeriesTable(FAMILY);
  const projector = new Projector<Thing, unknown>({
    server: "core",
    families,
    tables: { table: () => table },
    shardKey,
    identity: IDENTITY,
  });
  return { table, projector };
}

function thing(more: Partial<Thing> = {}): Thing {
  return { row: 0, name: "x", value: 1, until: Number.POSITIVE_INFINITY, ...more };
}

describe("Projector", () => {
  test("shows objects after any changes in any order", () => {
    const row = fc.integer({ min: 0, max: 2 });
    const command = fc.oneof(
      fc.record({
        do: fc.constant("show" as const),
        row,
        name: fc.constantFrom("x", "y"),
        value: fc.option(fc.integer(), { nil: undefined }),
        life: fc.integer({ min: 0, max: 5 }),
      }),
      fc.record({ do: fc.constant("remove" as const), row }),
      fc.record({ do: fc.constant("tick" as const) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const { table, projector } = projecting([BOTH]);
        const known = new Map<number, Thing>();
        let now = 0;
        for (const step of commands) {
          if (step.do === "tick") table.expire(++now);
          else if (step.do === "remove") {
            const gone = known.get(step.row);
            if (gone !== undefined) projector.remove(gone, undefined);
            known.delete(step.row);
          } else {
            const { name, value, life } = step;
            const before = known.get(step.row) ?? thing({ row: step.row });
            const facts = before.name === name ? VALUE : VALUE | IDENTITY;
            known.set(step.row, Object.assign(before, { name, value, until: now + life }));
            projector.update(before, undefined, facts, now);
          }
          const shown = [...known.values()].filter((each) => each.value !== undefined && each.until > now);
          expect(present(table)).toEqual(
            Object.fromEntries(shown.map((each) => [`${each.row}|${each.name}`, each.value])),
          );
          expect(table.size).toBe(shown.length);
          for (const each of known.values()) {
            const isShown = shown.includes(each);
            expect([...projector.present(each, undefined, now)].map(({ labels, value }) => [labels, value])).toEqual(
              isShown ? [[[String(each.row), each.name], each.value]] : [],
            );
          }
        }
      }),
    );
  });

  test("reuses free slots", () => {
    const { table, projector } = projecting([BOTH]);
    for (let row = 0; row < 1_000; row++) {
      projector.update(thing({ row }), undefined, IDENTITY | VALUE, NOW);
      projector.remove(thing({ row }), undefined);
    }
    expect(table.slots).toBe(1);
    expect(table.size).toBe(0);
  });

  test("visits only families with the changed facts", () => {
    const { table, projector } = projecting([BOTH]);
    const known = thing();
    projector.update(known, undefined, VALUE, NOW);
    known.value = 2;
    projector.update(known, undefined, OTHER, NOW);
    expect(present(table)).toEqual({ "0|x": 1 });
    projector.update(known, undefined, OTHER | VALUE, NOW);
    expect(present(table)).toEqual({ "0|x": 2 });
  });

  test("relabels series in their slots, also without a value", () => {
    const { table, projector } = projecting([BOTH]);
    const known = thing();
    projector.update(known, undefined, VALUE, NOW);
    known.value = undefined;
    projector.update(known, undefined, VALUE, NOW);
    known.name = "y";
    projector.update(known, undefined, IDENTITY, NOW);
    known.value = 3;
    projector.update(known, undefined, VALUE, NOW);
    expect(present(table)).toEqual({ "0|y": 3 });
    expect(table.slots).toBe(1);
  });

  test("frees slots of relabelled series if the family requires it", () => {
    const { table, projector } = projecting([{ ...BOTH, freesSlotOnRelabel: true }]);
    const [renamed, other] = [thing(), thing({ row: 1 })];
    projector.update(renamed, undefined, VALUE, NOW);
    renamed.name = "y";
    projector.update(renamed, undefined, IDENTITY, NOW);
    expect(present(table)).toEqual({ "0|y": 1 });
    renamed.value = undefined;
    renamed.name = "z";
    projector.update(renamed, undefined, VALUE | IDENTITY, NOW);
    projector.update(other, undefined, VALUE, NOW);
    expect(table.slots).toBe(1);
  });

  test("updates the shard key even if labels stay", () => {
    let shardKey = 1;
    const { table, projector } = projecting([BOTH], () => shardKey);
    projector.update(thing(), undefined, VALUE, NOW);
    shardKey = 2;
    projector.update(thing(), undefined, IDENTITY, NOW);
    expect(table.shardKey(0)).toBe(2);
  });

  test("has a series for each value of the last label, and removes missing ones", () => {
    const has = new Set(["min", "max"]);
    const each: ThingFamily = {
      ...BOTH,
      labelsOf: nameOf,
      lastLabel: { name: "b", values: ["min", "max"] },
      has: (_, _about, name) => has.has(name),
    };
    const { table, projector } = projecting([each]);
    const others = [1, 2].map((row) => thing({ row, name: `y${row}` }));
    for (const one of [thing(), ...others]) projector.update(one, undefined, VALUE, NOW);
    const ofOthers = { "y1|min": 1, "y1|max": 1, "y2|min": 1, "y2|max": 1 };
    expect(present(table)).toEqual({ "x|min": 1, "x|max": 1, ...ofOthers });
    has.delete("min");
    projector.update(thing({ value: 2 }), undefined, VALUE, NOW);
    expect(present(table)).toEqual({ "x|max": 2, ...ofOthers });
    has.add("min");
    projector.update(thing({ value: 2 }), undefined, VALUE, NOW);
    expect(table.slots).toBe(6);
  });

  test("updates the last label if it depends on the value", () => {
    const own: ThingFamily = {
      ...BOTH,
      labelsOf: nameOf,
      lastLabel: { name: "b", textOf: ({ value }) => `is ${value}` },
    };
    const { table, projector } = projecting([own]);
    projector.update(thing(), undefined, VALUE, NOW);
    projector.update(thing({ value: 2 }), undefined, VALUE, NOW);
    expect(present(table)).toEqual({ "x|is 2": 2 });
  });

  test("moves a series to the table of another family", () => {
    const other = { ...FAMILY, name: "g" };
    const tables = new Map([FAMILY, other].map((family) => [family.name, new SeriesTable(family)]));
    const projector = new Projector<Thing, string>({
      server: "core",
      families: [{ ...BOTH, family: (name) => (name === "f" ? FAMILY : other) }],
      tables: { table: ({ name }) => tables.get(name) ?? new SeriesTable(FAMILY) },
      shardKey: () => 0,
      identity: IDENTITY,
    });
    const sizes = () => [...tables.values()].map(({ size }) => size);
    projector.update(thing(), "f", VALUE, NOW);
    projector.removeMoved(thing(), "f", "f");
    expect(sizes()).toEqual([1, 0]);
    projector.removeMoved(thing(), "f", "g");
    projector.update(thing(), "g", VALUE, NOW);
    expect(sizes()).toEqual([0, 1]);
  });

  test("keeps a series in the only table of its family, whatever changes", () => {
    const { table, projector } = projecting([BOTH]);
    projector.update(thing(), "f", VALUE, NOW);
    projector.removeMoved(thing(), "f", "g");
    expect(present(table)).toEqual({ "0|x": 1 });
  });
});
