import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathGlob } from "../../src/lib/glob.ts";
import { runs } from "../support/runs.ts";

describe("path glob", () => {
  test.each([
    ["Berlin/**", "Berlin/Switches/core 1/Ping", true],
    ["Berlin/**", "Berlin", false],
    ["**", "", true],
    ["**", "a/b\nc", true],
    ["a/**/c", "a/b\nb/b/c", true],
    ["a/*/c", "a/b/b/c", false],
    ["", "", true],
    ["", "a", false],
    ["*/Ping", "core 1/Ping", true],
    ["*/Ping", "Berlin/core 1/Ping", false],
    ["*", "a/b", false],
    ["**/Ping", "a/b/Ping", true],
    ["a***b", "a/x/b", true],
    ["??", "🖨️", true],
    ["?", "/", false],
    ["a/(1) [x]+.\\", "a/(1) [x]+.\\", true],
    ["a.c", "abc", false],
    ["*a*", "bab", true],
    ["*a*", "bbb", false],
  ])("%j against %j: %s", (pattern, path, hit) => {
    expect(pathGlob(pattern)(path)).toBe(hit);
  });

  test("matches like its regular expression", () => {
    const wildcards: Readonly<Record<string, string>> = { "**": ".*", "*": "[^/]*", "?": "[^/]" };
    const expressionOf = (pattern: string) => {
      const source = pattern.replace(/\*\*|[*?]|[^*?]+/g, (part) => wildcards[part] ?? RegExp.escape(part));
      return new RegExp(`^${source}$`, "su");
    };
    const character = fc.constantFrom("a", "b", "/", "*", "**", "?", ".", "é", "😀", "\n");
    const text = fc.array(character, { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (pattern, path) => {
        expect(pathGlob(pattern)(path)).toBe(expressionOf(pattern).test(path));
      }),
      { numRuns: runs(3_000) },
    );
  });

  test("takes no longer for a path that nearly matches", () => {
    const matches = pathGlob(`${"*a".repeat(20)}*b`);
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round++) expect(matches("a".repeat(500))).toBe(false);
    // Backtracking would need 10^30 steps.
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
