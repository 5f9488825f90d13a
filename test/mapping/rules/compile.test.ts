import { describe, expect, test } from "vitest";
import { compileRules } from "../../../src/mapping/rules/compile.ts";
import type { MetricRule, RuleMatch, RuleSettings } from "../../../src/mapping/rules/rule.ts";

function problemsOf(...rules: readonly RuleSettings[]) {
  const { ruleSet, problems } = compileRules([{ label: "rules.yaml", isPreset: false, rules }], {
    byteUnits: "binary",
  });
  expect(ruleSet === undefined).toBe(problems.some(({ severity }) => severity === "error"));
  return problems;
}

function metric(match: RuleMatch, more: Partial<MetricRule> = {}): MetricRule {
  return { kind: "metric", match, name: "prtg_x", ...more };
}

/** The second rule: positions begin with its index. */
function pathsOf(rule: MetricRule): readonly string[] {
  return problemsOf({ kind: "drop", match: { kind: "ftp" } }, rule).map(({ path }) => path.join("."));
}

describe("a wrong rule", () => {
  test.each<[string, MetricRule, string]>([
    ["without conditions", metric({}), "1.match"],
    ["with a broken pattern", metric({ channel: "/(/" }), "1.match.channel"],
    ["with a broken pattern in a list", metric({ channel: ["a", "/(/"] }), "1.match.channel.1"],
    ["with a pattern that is too long", metric({ channel: ["a", "b", "x".repeat(1_001)] }), "1.match.channel.2"],
    ["with factor 0", metric({ kind: "*" }, { factor: 0 }), "1.factor"],
    ["with an infinite factor", metric({ kind: "*" }, { factor: Number.POSITIVE_INFINITY }), "1.factor"],
    ["with an offset that is no number", metric({ kind: "*" }, { offset: Number.NaN }), "1.offset"],
    ["with an empty label", metric({ kind: "*" }, { labels: { site: " " } }), "1.labels.site"],
    ["with an unknown group", metric({ kind: "*" }, { labels: { site: "$1" } }), "1.labels.site"],
    ["with a group of some patterns", metric({ kind: ["/(a)/", "b"] }, { labels: { site: "$1" } }), "1.labels.site"],
    ["with a group of two attributes", metric({ kind: "/(a)/", unit: "/(b)/" }, { labels: { a: "$1" } }), "1.labels.a"],
  ])("%s names the position", (_, rule, path) => {
    expect(pathsOf(rule)).toEqual([path]);
  });
});

describe("a unit of a rule", () => {
  const seconds = (match: RuleMatch, more: Partial<MetricRule> = {}) =>
    metric(match, { name: "prtg_x_seconds", unit: "seconds", ...more });

  test.each<[string, MetricRule, readonly string[]]>([
    ["may convert", seconds({ unit: ["ms", "d"] }), []],
    ["may be a pattern", seconds({ unit: "*" }), []],
    ["may convert by its base unit", seconds({ base_unit: "seconds" }), []],
    ["may be unknown with a factor", seconds({ unit: "widgets" }, { factor: 2 }), []],
    ["may be another one with an offset", seconds({ unit: "%" }, { offset: 2 }), []],
    ["may be anything without a unit of the metric", metric({ unit: "widgets" }), []],
    ["must be known otherwise", seconds({ unit: "widgets" }), ["1.match.unit: it is unknown: set factor"]],
    ["must convert otherwise", seconds({ unit: ["ms", "%"] }), ["1.match.unit.1: it converts to ratio"]],
    ["must be the base unit", seconds({ base_unit: ["bytes"] }), ["1.match.base_unit.0: it converts to bytes"]],
  ])("%s", (_, rule, expected) => {
    const problems = problemsOf({ kind: "drop", match: { kind: "ftp" } }, rule);
    expect(problems.map(({ path, fault }) => `${path.join(".")}: ${fault}`)).toEqual(expected);
  });
});

test("labels of a metric are sorted by name", () => {
  for (const names of ["abc", "acb", "bac", "bca", "cab", "cba"]) {
    const labels = Object.fromEntries([...names].map((name) => [name, `is ${name}`]));
    const rules = [metric({ kind: "*" }, { labels })];
    const { ruleSet } = compileRules([{ label: "rules.yaml", isPreset: false, rules }], { byteUnits: "binary" });
    const sensor = { type: "ping", typeName: "Ping", tags: [], inheritedTags: [], device: "d", path: "d/p" };
    const mapping = ruleSet?.map(sensor, { name: "Time", unit: "" });
    expect(mapping).toMatchObject({ family: { ruleLabels: ["a", "b", "c"] }, labels: ["is a", "is b", "is c"] });
  }
});
