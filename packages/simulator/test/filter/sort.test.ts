import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../src/api-errors.ts";
import { parseSort } from "../../src/filter/sort.ts";
import { type PropertyName, propertyTable, VOCABULARY } from "../../src/filter/vocabulary.ts";
import { idOf, type SimObject } from "../../src/world/objects.ts";
import { StaticWorld } from "../support/static-world.ts";
import { everythingOf, scopeOf } from "../support/tree-filter.ts";

const world = new StaticWorld();

function sorted(text: string, subjects: readonly SimObject[] = everythingOf(world)): string {
  const { properties, context } = scopeOf(world, "specification");
  return [...subjects]
    .sort(parseSort(text, properties, context))
    .map(idOf)
    .join(" ");
}

const NODES = [...world.list("device"), ...world.list("sensor")];
const CHANNELS = "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3";

describe("order of sort_by", () => {
  test.each([
    // Absent values come first, with - last. Equal ones keep list order.
    ["basic.host", "1000 1001 1002 2000 100 101 200"],
    ["-basic.host", "200 101 100 1000 1001 1002 2000"],
    ["priority,-id", "2000 1002 1001 200 101 100 1000"],
    ["-priority,+name", "1000 1002 2000 1001 100 200 101"],
    [" -priority , +name", "1000 1002 2000 1001 100 200 101"],
    ["scanninginterval,name", "1001 1002 1000 2000 100 200 101"],
    ["intervalgroup.interval,name", "1001 1002 1000 2000 100 200 101"],
    // Order of the specification's tokens and types.
    ["status,id", "100 101 200 1000 2000 1002 1001"],
    ["type", "100 101 200 1000 1001 1002 2000"],
    ["-favorite", "1001 100 101 200 1000 1002 2000"],
    ["parentid,-name", "100 101 200 1001 1000 1002 2000"],
  ])("sort_by=%s", (text, ids) => {
    expect(sorted(text, NODES)).toBe(ids);
  });

  test("sorts ids by number, then by channel number", () => {
    expect(sorted("id", [...world.channels()].reverse())).toBe("1000.-4 1000.0 1001.1 1001.2 1002.0 2000.3");
    expect(sorted("id").startsWith("1 2 10 11 20 100")).toBe(true);
    expect(sorted("-limitmaxerror", world.channels())).toBe(CHANNELS);
    expect(sorted("limitmaxerror", world.channels())).toBe("1000.-4 1001.1 1001.2 1002.0 2000.3 1000.0");
  });

  test("puts ids without a number last", () => {
    const { specification } = propertyTable<string, undefined>({ id: (text) => text });
    const compare = parseSort("id", specification, undefined);
    expect(["prtg.b", "10", "a", "9", "prtg.a"].sort(compare)).toEqual(["9", "10", "a", "prtg.a", "prtg.b"]);
  });
});

describe("properties of sort_by", () => {
  test.each(Object.keys(VOCABULARY) as PropertyName[])("%s", (name) => {
    if (VOCABULARY[name].type === "texts") {
      expect(() => sorted(name)).toThrow(`sort_by: ${name} is a list and has no order`);
    } else {
      expect(sorted(name).split(" ").sort()).toEqual(everythingOf(world).map(idOf).sort());
    }
  });
});

test.each(["nonsense", "name,", ",", "--name", "name -id", "last value", "NAME", "-", "toString"])(
  "the server refuses sort_by=%s",
  (text) => {
    expect(() => sorted(text)).toThrow(ApiError);
    expect(() => sorted(text)).toThrow("sort_by: unknown property");
  },
);

test.each([null, "", "  "])("sort_by=%j keeps the order of the list", (text) => {
  const { properties, context } = scopeOf(world, "specification");
  expect(parseSort(text, properties, context)).toBeUndefined();
});

test("sort_by applies several keys in order, with absent values", () => {
  interface Entry {
    readonly text: string | undefined;
    readonly number: number | undefined;
    readonly place: number;
  }
  const { specification } = propertyTable<Entry, undefined>({ comment: (e) => e.text, priority: (e) => e.number });
  const compare = parseSort("comment,-priority", specification, undefined);
  const entry = fc.record({
    text: fc.option(fc.constantFrom("a", "b", "B", ""), { nil: undefined }),
    number: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(entry), (drawn) => {
      const entries = drawn.map((each, place): Entry => ({ ...each, place }));
      const places = [...entries].sort(compare);
      for (const [index, one] of places.entries()) {
        const next = places[index + 1];
        if (next === undefined) continue;
        const texts = [undefined, "", "B", "a", "b"];
        const [left, right] = [one, next].map((e) => [texts.indexOf(e.text), -(e.number ?? -9), e.place]);
        const difference = left?.map((value, part) => value - (right?.[part] ?? 0)).find((each) => each !== 0);
        expect(difference).toBeLessThan(0);
      }
    }),
  );
});
