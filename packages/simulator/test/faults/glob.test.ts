import fc from "fast-check";
import { expect, test } from "vitest";
import { globPattern, MAX_GLOB_LENGTH } from "../../src/faults/glob.ts";

test.each<[glob: string, path: string, hits: boolean]>([
  ["/experimental/sensors*", "/experimental/sensors", true],
  ["/experimental/sensors*", "/experimental/sensors/7", true],
  ["/experimental/sensors*", "/sensors", false],
  ["*/sensors", "/experimental/sensors", true],
  ["*/sensors", "/sensors", true],
  ["/sensors", "/sensors/7", false],
  ["/sensors/7", "/sensors", false],
  ["*", "/anything", true],
  ["*", "", true],
  ["", "", true],
  ["", "/", false],
  ["/sensors/1.1", "/sensors/1x1", false],
  ["/*(a+)+$", "/(a+)+$", true],
  ["/sensors/{id}", "/sensors/7", true],
  ["/sensors/{id}", "/sensors/", false],
  ["/sensors/{id}", "/sensors/7/data", false],
  ["/sensors/{id}/data", "/sensors/7/data", true],
  ["/{id}7{id}", "/1727", true],
  ["/sensors/{id", "/sensors/7", false],
  ["/sensors/{id", "/sensors/{id", true],
  ["*{id", "/sensors/7", false],
  ["{id", "7", false],
  ["/{a-b}", "/7", false],
])("glob %s and path %s: %s", (glob, path, hits) => {
  expect(globPattern(glob).test(path)).toBe(hits);
});

test("matches like a regular expression", () => {
  const texts = (parts: readonly string[]) =>
    fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((chosen) => chosen.join(""));
  fc.assert(
    fc.property(texts(["*", "{id}", "a", "b", "/"]), texts(["a", "b", "/"]), (glob, text) => {
      const pattern = glob.replaceAll("*", ".*").replaceAll("{id}", "[^/]+");
      expect(globPattern(glob).test(text)).toBe(new RegExp(`^${pattern}$`).test(text));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["twelve wildcards", `${"*a".repeat(12)}*zz*`],
  ["500 wildcards", "*a".repeat(MAX_GLOB_LENGTH / 2)],
  ["only wildcards", "*".repeat(MAX_GLOB_LENGTH)],
  ["only placeholders", "{id}".repeat(MAX_GLOB_LENGTH / 4)],
])("matches a long path without backtracking: %s", (_, glob) => {
  const begin = performance.now();
  globPattern(glob).test("a".repeat(1000));
  expect(performance.now() - begin).toBeLessThan(2000);
});
