import { expect, test } from "vitest";
import { mapEntry } from "../../src/lib/map-entry.ts";

test("mapEntry creates the value of a key once", () => {
  const map = new Map<string, string[]>();
  mapEntry(map, "a", () => []).push("first");
  mapEntry(map, "a", () => []).push("second");
  mapEntry(map, "b", () => ["new"]);
  expect([...map]).toEqual([
    ["a", ["first", "second"]],
    ["b", ["new"]],
  ]);
});
