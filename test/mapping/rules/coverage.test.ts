import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { covers } from "../../../src/mapping/rules/coverage.ts";
import { type CompiledPattern, compilePattern, matches, parsePattern } from "../../../src/mapping/rules/pattern.ts";

function pattern(text: string, isPath = false): CompiledPattern {
  const compiled = compilePattern(parsePattern(text, isPath));
  if ("fault" in compiled) throw new Error(compiled.fault);
  return compiled;
}

describe("patterns that cover each other", () => {
  test.each([
    ["a", "a", true],
    ["a", "b", false],
    ["*", "a", true],
    ["*", "a*b?", true],
    ["a*", "ab*", true],
    ["ab*", "a*", false],
    ["*a*", "?a?", true],
    ["??", "a?", true],
    ["a?", "??", false],
    ["*b", "*ab", true],
    ["a*c", "a*b*c", true],
    ["/.*/", "a*", true],
    ["/a.*/", "ab", true],
    ["/a.*/", "a*", false],
    ["*", "/a+/", true],
    ["a*", "/a+/", false],
    ["~Free (%)", "free percent", true],
    ["~Free (%)", "~FREE %", true],
    ["~free", "fre*", false],
    ["fre*", "~free", false],
  ])("match, %s and %s: %s", (wide, narrow, expected) => {
    expect(covers(pattern(wide), pattern(narrow))).toBe(expected);
  });

  test.each([
    ["**", "a/*", true],
    ["*", "a/b", false],
    ["*", "**", false],
    ["**/b", "a/*/b", true],
    ["*/b", "a/*/b", false],
    ["*/b", "?/b", true],
    ["a/*", "a/b*", true],
    ["a/*", "a/**", false],
  ])("match paths, %s and %s: %s", (wide, narrow, expected) => {
    expect(covers(pattern(wide, true), pattern(narrow, true))).toBe(expected);
  });

  test("are correct for any sample texts", () => {
    const glob = fc
      .string({ unit: fc.constantFrom("a", "b", "/", "*", "?"), maxLength: 6 })
      .filter((text) => !/^\/.*\/$/.test(text));
    const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 6 }), { maxLength: 30 });
    fc.assert(
      fc.property(glob, glob, texts, fc.boolean(), (wide, narrow, samples, isPath) => {
        const [a, b] = [pattern(wide, isPath), pattern(narrow, isPath)];
        if (!covers(a, b)) return;
        for (const text of samples) {
          if (matches(b, text)) expect(matches(a, text)).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
