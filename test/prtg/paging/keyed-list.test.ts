import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeyedList } from "../../../src/prtg/paging/keyed-list.ts";

interface Item {
  readonly key: string;
  readonly value: number;
}

function listOf(items: readonly Item[]): KeyedList<Item> {
  const list = new KeyedList<Item>(({ key }) => key);
  for (const item of items) list.set(item);
  return list;
}

describe("a keyed list", () => {
  test("holds what a Map holds, in its order, whatever comes", () => {
    const item = fc.record({ key: fc.string({ maxLength: 3, unit: "binary" }), value: fc.integer() });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 400 }), (items) => {
        const list = listOf(items);
        const expected = [...new Map(items.map((one) => [one.key, one])).values()];
        expect(list.items).toEqual(expected);
        expect(list.size).toBe(expected.length);
      }),
    );
  });

  test("keeps the first item of a key where items are added", () => {
    const list = new KeyedList<Item>(({ key }) => key);
    const [first, second] = [1, 2].map((value) => ({ key: "a", value }));
    if (first === undefined || second === undefined) throw new Error("there are two");
    expect(list.add(first)).toBeUndefined();
    expect(list.add(second)).toBe(first);
    expect(list.items).toEqual([first]);
    list.set(second);
    expect(list.items).toEqual([second]);
  });

  test("holds each pair once where keys have two parts, whatever these are", () => {
    const part = fc.oneof(
      fc.integer({ min: -12, max: 120 }).map(String),
      fc.string({ maxLength: 3, unit: fc.constantFrom(..."-0159/:x") }),
    );
    const pair = fc.record({ key: fc.constantFrom("", "1", "2000", "2001"), part, value: fc.integer() });
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 400 }), (items) => {
        const list = new KeyedList<(typeof items)[number]>(
          ({ key }) => key,
          (item) => item.part,
        );
        for (const item of items) list.set(item);
        const expected = new Map(items.map((item) => [JSON.stringify([item.key, item.part]), item]));
        expect(list.items).toEqual([...expected.values()]);
      }),
    );
  });

  test.each([0, 3, 1_000, 5_000])("holds just what came where %i were expected", (expected) => {
    const list = new KeyedList<Item>(({ key }) => key);
    list.set({ key: "0", value: 0 });
    list.expect(expected);
    const items = Array.from({ length: 1_200 }, (_, value) => ({ key: String(value), value }));
    for (const item of items) list.set(item);
    expect(list.items).toEqual(items);
    list.set({ key: "more", value: 1_200 });
    expect(list.size).toBe(1_201);
    expect(list.finish()).toEqual([...items, { key: "more", value: 1_200 }]);
  });

  test("keeps ids of the same hash apart", () => {
    // FNV-1a gives both the same 32 bits.
    const [one, other] = ["costarring", "liquid"];
    expect(listOf([one, other, one].map((key, value) => ({ key, value }))).items).toEqual([
      { key: one, value: 2 },
      { key: other, value: 1 },
    ]);
  });

  test("finds every id again after it has grown", () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `${2_000 + (index >> 3)}.${(index & 7) - 4}`);
    const list = listOf(ids.map((key, value) => ({ key, value })));
    for (const key of ids) list.set({ key, value: -1 });
    expect(list.size).toBe(ids.length);
    expect(list.items.map(({ key }) => key)).toEqual(ids);
    expect(list.items.every(({ value }) => value === -1)).toBe(true);
  });
});
