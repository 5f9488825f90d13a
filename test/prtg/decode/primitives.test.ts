import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { booleanOf, finiteNumber, idOf, text } from "../../../src/prtg/decode/primitives.ts";

describe("finiteNumber", () => {
  test.each([
    [0, 0],
    [-1.5, -1.5],
    ["74", 74],
    ["-0.25", -0.25],
    ["+3", 3],
    [" 1e3 ", 1000],
    ["8.533380741004116e-05", 8.533380741004116e-5],
    [".5", 0.5],
    ["5.", 5],
    ["", undefined],
    [" ", undefined],
    ["1,5", undefined],
    ["1 000", undefined],
    ["12 %", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["1e999", undefined],
    ["0x10", undefined],
    ["n/a", undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [true, undefined],
    [null, undefined],
    [undefined, undefined],
    [[1], undefined],
    [{}, undefined],
  ])("%j is %s", (value, number) => {
    expect(finiteNumber(value)).toBe(number);
  });

  test("reads back any number that was written as text", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(finiteNumber(String(number))).toBe(Number(String(number)));
      }),
    );
  });
});

test.each([
  ["2490", "2490"],
  [2490, "2490"],
  ["0", "0"],
  [0, "0"],
  ["", undefined],
  [null, undefined],
  [true, undefined],
  [["2490"], undefined],
])("idOf(%j) is %j", (value, id) => {
  expect(idOf(value)).toBe(id);
});

test.each([
  ["Ping", "Ping"],
  ["", ""],
  [5, "5"],
  [null, undefined],
  [true, undefined],
  [{}, undefined],
])("text(%j) is %j", (value, expected) => {
  expect(text(value)).toBe(expected);
});

test.each([
  [true, true],
  ["true", true],
  ["TRUE", true],
  ["1", true],
  [1, true],
  [false, false],
  ["False", false],
  ["0", false],
  [0, false],
  ["yes", undefined],
  ["", undefined],
  [2, undefined],
  [null, undefined],
  [undefined, undefined],
])("booleanOf(%j) is %j", (value, expected) => {
  expect(booleanOf(value)).toBe(expected);
});
