import { describe, expect, test } from "vitest";
import { SeriesTable } from "../../src/store/series-table.ts";

const FAMILY = { name: "f", type: "gauge", help: "", labels: ["a", "b"] } as const;

function newTable(): SeriesTable {
  return new SeriesTable(FAMILY);
}

function present(table: SeriesTable): Record<string, number> {
  const entries: [string, number][] = [];
  for (let slot = 0; slot < table.slots; slot++) {
    if (table.isPresent(slot)) entries.push([table.labels(slot).join("|"), table.value(slot)]);
  }
  return Object.fromEntries(entries);
}

describe("SeriesTable", () => {
  test("shows a series only while it has a value", () => {
    const table = newTable();
    const slot = table.add(["1", "2"]);
    expect(present(table)).toEqual({});
    table.set(slot, 7);
    expect(present(table)).toEqual({ "1|2": 7 });
    table.withdraw(slot);
    expect(present(table)).toEqual({});
    table.set(slot, 0);
    expect(present(table)).toEqual({ "1|2": 0 });
  });

  test("changes its version only after visible changes", () => {
    const table = newTable();
    const slot = table.add(["1", "2"]);
    table.set(slot, Number.NaN, 10);
    const { version } = table;
    table.set(slot, Number.NaN, 20);
    expect(table.version).toBe(version);
    table.set(slot, 1, 20);
    expect(table.version).toBeGreaterThan(version);
  });

  test("expires exactly at the given time", () => {
    const table = newTable();
    table.set(table.add(["early", ""]), 1, 10);
    table.set(table.add(["late", ""]), 2, 20);
    table.set(table.add(["never", ""]), 3);
    table.expire(9);
    expect(table.size).toBe(3);
    table.expire(10);
    expect(present(table)).toEqual({ "late|": 2, "never|": 3 });
    expect(table.nextExpiry).toBe(20);
    table.expire(1e9);
    expect(present(table)).toEqual({ "never|": 3 });
    expect(table.nextExpiry).toBe(Number.POSITIVE_INFINITY);
  });

  test("rejects labels that do not fit the family", () => {
    expect(() => newTable().add(["only one"])).toThrow(RangeError);
  });
});
