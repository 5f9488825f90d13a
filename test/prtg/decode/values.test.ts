import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  booleanOf,
  finiteNumber,
  idOf,
  noProblems,
  parseTimestamp,
  readTimestamp,
  sharedText,
  text,
} from "../../../src/prtg/decode/values.ts";
import { runs } from "../../support/runs.ts";

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
  ])("%j gives %s", (value, number) => {
    expect(finiteNumber(value)).toBe(number);
  });

  test("reads any number written as text", () => {
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
])("idOf(%j) returns %j", (value, id) => {
  expect(idOf(value)).toBe(id);
});

test.each([
  ["Ping", "Ping"],
  ["", ""],
  [5, "5"],
  [null, undefined],
  [true, undefined],
  [{}, undefined],
])("text(%j) returns %j", (value, expected) => {
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
])("booleanOf(%j) returns %j", (value, expected) => {
  expect(booleanOf(value)).toBe(expected);
});

describe("parseTimestamp", () => {
  test.each([
    ["2026-03-12T17:55:10Z", Date.UTC(2026, 2, 12, 17, 55, 10)],
    ["2026-03-12t17:55:10z", Date.UTC(2026, 2, 12, 17, 55, 10)],
    ["2026-03-12 17:55:10", Date.UTC(2026, 2, 12, 17, 55, 10)],
    ["2026-03-12T17:55:10.5Z", Date.UTC(2026, 2, 12, 17, 55, 10, 500)],
    ["2026-03-12T17:55:10.1234567Z", Date.UTC(2026, 2, 12, 17, 55, 10, 123)],
    ["2026-03-12T17:55:10", Date.UTC(2026, 2, 12, 17, 55, 10)],
    ["2026-03-12T17:55:10+02:00", Date.UTC(2026, 2, 12, 15, 55, 10)],
    ["2026-13-12T17:55:10Z", undefined],
    ["2026-03-12T27:55:10Z", undefined],
    ["2026-03-12", undefined],
    ["1", undefined],
    ["12.03.2026 17:55:10", undefined],
    ["2026-03-12T17:55:10Z trailing", undefined],
  ])("%s", (text, ms) => {
    expect(parseTimestamp(text)).toBe(ms);
  });

  test("reads any second in the form of the specification", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), (seconds) => {
        const text = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
        expect(parseTimestamp(text)).toBe(seconds * 1000);
      }),
    );
  });

  test("reads the usual form like any other", () => {
    const digits = (count: number) =>
      fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: count, maxLength: count });
    const parts = fc.tuple(digits(4), ...[2, 2, 2, 2, 2].map(digits), fc.option(digits(3)));
    const early = fc.tuple(
      fc.constantFrom("2024", "2026"),
      ...Array(5).fill(fc.constantFrom("00", "02", "12", "24", "29", "31", "60")),
      fc.option(digits(3)),
    );
    fc.assert(
      fc.property(fc.oneof(parts, early), ([year, month, day, hour, minute, second, fraction]) => {
        const text = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction === null ? "" : `.${fraction}`}`;
        expect(parseTimestamp(`${text}Z`)).toBe(parseTimestamp(`${text}+00:00`));
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe("readTimestamp", () => {
  test.each([
    { value: null, problems: 0 },
    { value: undefined, problems: 0 },
    { value: "", problems: 0 },
    { value: "0001-01-01T00:00:00Z", problems: 0 },
    { value: "1899-12-30T00:00:00Z", problems: 0 },
    { value: "yesterday", problems: 1 },
    { value: 1_700_000_000, problems: 1 },
    { value: {}, problems: 1 },
  ])("$value gives no time and $problems problems", ({ value, problems }) => {
    const counted = noProblems();
    expect(readTimestamp(value, counted)).toBeUndefined();
    expect(counted).toEqual({ ...noProblems(), timestamp: problems });
  });

  test("counts the same bad text each time, and reads good ones in between", () => {
    const counted = noProblems();
    for (const text of ["bad", "bad", "2026-03-12T17:55:10Z", "2026-03-12T17:55:10Z", "bad"])
      readTimestamp(text, counted);
    expect(counted.timestamp).toBe(3);
    expect(readTimestamp("2026-03-12T17:55:10Z", counted)).toBe(Date.UTC(2026, 2, 12, 17, 55, 10));
  });
});

test("sharedText returns an equal text after any others", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom("", "a", "Traffic In", "Traffic Out", "x".repeat(64), "x".repeat(65)),
  );
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 50 }), (given) => {
      expect(given.map(sharedText)).toEqual(given);
    }),
  );
});
