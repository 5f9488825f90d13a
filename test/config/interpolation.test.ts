import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { interpolate } from "../../src/config/environment.ts";

const ENV = { A: "1", B_2: "two", EMPTY: "", TRICKY: "${A} $$ $&" };

describe("interpolate", () => {
  test.each([
    ["plain", "plain", []],
    ["${A}", "1", ["A"]],
    ["x${A}y${B_2}z", "x1ytwoz", ["A", "B_2"]],
    ["${A:-9}", "1", ["A"]],
    ["${NONE:-9}", "9", ["NONE"]],
    ["${NONE:-}", "", ["NONE"]],
    ["${EMPTY:-9}", "9", ["EMPTY"]],
    ["${EMPTY}", "", ["EMPTY"]],
    ["${NONE:-a:-b$c}", "a:-b$c", ["NONE"]],
    ["$$", "$", []],
    ["$${A}", "${A}", []],
    ["$$${A}", "$1", ["A"]],
    ["^a$", "^a$", []],
    ["$A", "$A", []],
    ["${TRICKY}", "${A} $$ $&", ["TRICKY"]],
  ])("%s becomes %s", (scalar, text, variables) => {
    expect(interpolate(scalar, ENV)).toMatchObject({ kind: "text", text, variables });
  });

  test.each([
    ["${A}", true],
    ["${EMPTY}", true],
    ["${A:-1}", false],
    ["${A}${A}", false],
    [" ${A}", false],
    ["$${A}", false],
    ["A", false],
  ])("%s is a complete reference: %s", (scalar, wholly) => {
    expect(interpolate(scalar, ENV)).toMatchObject({ wholly });
  });

  test.each(["${", "${}", "${1A}", "${A", "${A-B}", "${A:?must}", "${A:-${B_2}}", "a ${ A } b"])(
    "%s is malformed",
    (scalar) => {
      expect(interpolate(scalar, ENV)).toEqual({ kind: "malformed" });
    },
  );

  test("names every unset variable", () => {
    expect(interpolate("${X}${A}${Y}", ENV)).toEqual({ kind: "unset", variables: ["X", "Y"] });
  });

  test("ignores members of Object.prototype", () => {
    expect(interpolate("${constructor}${__proto__}", ENV)).toEqual({
      kind: "unset",
      variables: ["constructor", "__proto__"],
    });
  });

  test("keeps a text with doubled dollars", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("$", "{", "}", "A", ":", "-", "x") }), (text) => {
        expect(interpolate(text.replaceAll("$", "$$$$"), ENV)).toMatchObject({ kind: "text", text });
      }),
    );
  });

  test("inserts any value of a variable unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(interpolate("<${V}>", { V: value })).toMatchObject({ kind: "text", text: `<${value}>` });
      }),
    );
  });
});
