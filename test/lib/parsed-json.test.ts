import { expect, test } from "vitest";
import { parsedJson, unquoted } from "../../src/lib/parsed-json.ts";

test.each([
  ['{"a":1}', { a: 1 }],
  ["null", null],
  ["", undefined],
  ["{", undefined],
])("reads %j", (text, value) => {
  expect(parsedJson(text)).toEqual(value);
});

test.each([
  ['"a\\"b"', 'a"b'],
  ['"a', undefined],
  ["12", undefined],
  [' "a"', undefined],
  ["", undefined],
])("unquotes %j", (text, value) => {
  expect(unquoted(text)).toBe(value);
});
