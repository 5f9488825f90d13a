import { describe, expect, test } from "vitest";
import type { SelectRule, SelectRules } from "../../src/config/select-schema.ts";
import { pathGlob } from "../../src/lib/glob.ts";
import { globsOfParents, isNarrower, RuleSet } from "../../src/selection/rules.ts";

const object = { id: "40", tags: ["red"], path: "Berlin/Network/a/b" };

describe("match of a rule", () => {
  test.each<[SelectRule, boolean]>([
    [{ kind: "id", id: "40" }, true],
    [{ kind: "id", id: "4" }, false],
    [{ kind: "tag", tag: "red" }, true],
    [{ kind: "tag", tag: "re" }, false],
    [{ kind: "path", path: "Berlin/Network/a/b" }, true],
    [{ kind: "path", path: "Berlin/Network" }, false],
    [{ kind: "path", path: "*/Network/*" }, false],
    [{ kind: "path", path: "*/Network/*/*" }, true],
    [{ kind: "path", path: "**/b" }, true],
    [{ kind: "filter", filter: "found" }, true],
    [{ kind: "filter", filter: "other" }, false],
  ])("%j: %s", (rule, expected) => {
    expect(new RuleSet([rule]).fits(object, (filter, id) => filter === "found" && id === "40")).toBe(expected);
  });

  test("excludes paths with unknown ancestors", () => {
    expect(new RuleSet([{ kind: "path", path: "**" }]).fits({ ...object, path: undefined }, () => false)).toBe(false);
  });
});

describe("globs for parents of a path", () => {
  test.each([
    ["Berlin/core", "Berlin/core", "Berlin"],
    ["*/core", "Bonn/core", "Bonn"],
    ["**/Ping", "Berlin/a/b/Ping", "Berlin/a/b"],
    ["Berlin/**", "Berlin/a/b", "Berlin/a"],
    ["Berlin/**", "Berlin/a", "Berlin"],
    ["a/b", "a/b", "a"],
    ["*/a/b", "x/a/b", "x"],
    ["B**n/core", "B/x/n/core", "B/x/n"],
    ["B**n", "B/x/n", "B/x"],
  ])("%s: %s, below %s", (path, child, parent) => {
    expect(pathGlob(path)(child)).toBe(true);
    expect(globsOfParents(path).some((glob) => pathGlob(glob)(parent))).toBe(true);
  });

  test("exclude objects below the root", () => {
    expect(globsOfParents("Berlin*")).toEqual([]);
  });
});

describe("containment of selections", () => {
  const one: SelectRule = { kind: "id", id: "1" };
  const two: SelectRule = { kind: "id", id: "2" };
  const of = (include: readonly SelectRule[], exclude: readonly SelectRule[] = []): SelectRules => ({
    include,
    exclude,
  });
  test.each<[string, SelectRules | undefined, SelectRules | undefined, boolean]>([
    ["anything in everything", undefined, of([one]), true],
    ["not everything in a part", of([one]), undefined, false],
    ["one rule in two", of([one, two]), of([one]), true],
    ["not two rules in one", of([one]), of([one, two]), false],
    ["not all in one rule", of([one]), of([]), false],
    ["with more excluded", of([one]), of([one], [two]), true],
    ["not with less excluded", of([one], [two]), of([one]), false],
  ])("%s", (_, before, after, expected) => {
    expect(isNarrower(before, after)).toBe(expected);
  });
});
