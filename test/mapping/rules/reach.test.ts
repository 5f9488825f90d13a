import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CompiledPattern, compilePattern, matches, parsePattern } from "../../../src/mapping/rules/pattern.ts";
import { covers } from "../../../src/mapping/rules/reach.ts";
import { Premise } from "../../support/premise.ts";
import { runs } from "../../support/runs.ts";

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
    const isNotRegExp = (text: string) => !/^\/.*\/$/.test(text);
    const glob = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", "?"), maxLength: 6 }).filter(isNotRegExp);
    const wider = fc.array(fc.constantFrom(undefined, undefined, "?", "*", "**"), { minLength: 6, maxLength: 6 });
    const globs = fc
      .tuple(glob, wider)
      .map(([narrow, instead]) => ({ narrow, wide: [...narrow].map((own, at) => instead[at] ?? own).join("") }))
      .filter(({ wide }) => isNotRegExp(wide));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 6 });
    const texts = fc.array(text, { minLength: 1, maxLength: 30 });
    const isCovered = new Premise();
    fc.assert(
      fc.property(globs, texts, fc.boolean(), ({ wide, narrow }, samples, isPath) => {
        const [a, b] = [pattern(wide, isPath), pattern(narrow, isPath)];
        const fitting = samples.map((sample) => narrow.replaceAll(/\*+/g, sample).replaceAll("?", sample[0] ?? "a"));
        const matching = covers(a, b) ? [...samples, ...fitting].filter((each) => matches(b, each)) : [];
        isCovered.holds(matching.length > 0);
        for (const each of matching) expect(matches(a, each)).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
    isCovered.expectOften();
  });
});
