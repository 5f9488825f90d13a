import { expect, test } from "vitest";
import { nearest } from "../../src/faults/nearest.ts";

test.each([
  ["limt", ["offset", "limit", "include"], ["limit"]],
  ["", ["abc", "a"], ["a"]],
  ["sesion", ["session", "version"], ["session"]],
  ["x", [], []],
  ["/SENSORS", ["/abcdefg", "/sensors"], ["/sensors"]],
  ["id", ["ab", "ID"], ["ID"]],
])("the nearest word to %j in %j is %j", (text, candidates, expected) => {
  expect(nearest(text, candidates, 1)).toEqual(expected);
});

test("names three without repeats, nearest first", () => {
  expect(nearest("aa", ["aaaa", "aa", "aa", "aaa", "bbbbbb"])).toEqual(["aa", "aaa", "aaaa"]);
});

test("reads only the beginning of a long text", () => {
  const begin = performance.now();
  expect(nearest(`html${"x".repeat(10_000_000)}`, ["hang", "html"], 1)).toEqual(["html"]);
  expect(performance.now() - begin).toBeLessThan(1000);
});
