import { expect, test } from "vitest";
import { readFamilies } from "../../../src/mapping/rules/families.ts";
import type { MetricRule, Report } from "../../../src/mapping/rules/rule.ts";
import type { BaseUnitName } from "../../../src/mapping/units/base-units.ts";

type Problem = Parameters<Report>[0];

/** Problems of two rules. Default: only the first rule exists. */
function problemsOf(first: Partial<MetricRule>, second?: Partial<MetricRule>): readonly Problem[] {
  const problems: Problem[] = [];
  const given = second === undefined ? [first] : [first, second];
  const members = given.map((more, index) => ({
    rule: { kind: "metric", match: { kind: "ping" }, name: "prtg_x", ...more } as const,
    isPreset: false,
    title: `rules[${index}]`,
    report: (problem: Problem) => void problems.push(problem),
  }));
  readFamilies(members);
  return problems;
}

test.each<[name: string, unit: BaseUnitName | undefined, fault: string | undefined]>([
  ["prtg_ping_seconds", "seconds", undefined],
  ["prtg_ping", "seconds", "a metric in seconds ends with _seconds"],
  ["prtg_ping_bytes", "seconds", "a metric in seconds ends with _seconds"],
  ["prtg_ping", undefined, undefined],
  ["prtg_ping_seconds", undefined, "this suffix belongs to unit: seconds"],
  ["prtg_traffic_bytes_per_second", undefined, "this suffix belongs to unit: bytes_per_second"],
  ["prtg_errors", "count", undefined],
  ["prtg_errors_ratio", "count", "this suffix belongs to unit: ratio"],
  ["prtg_errors_total", undefined, "mapped metrics are gauges, which cannot end in _total"],
])("the name %s in the unit %s has the fault: %s", (name, unit, fault) => {
  const expected = "the name of a metric such as prtg_ping_seconds";
  expect(problemsOf({ name, unit })).toEqual(
    fault === undefined ? [] : [{ path: ["name"], expected, found: name, fault }],
  );
});

test.each<[string, Partial<MetricRule>, Partial<MetricRule>, object | undefined]>([
  ["the same help", { help: "X." }, { help: "X." }, undefined],
  ["a help and none", { help: "X." }, {}, undefined],
  ["another help", { help: "X." }, { help: "Y." }, { path: ["help"], found: "Y." }],
  ["another unit", { unit: "count" }, {}, { path: ["unit"], found: undefined }],
  ["other labels", { labels: { a: "1", b: "2" } }, { labels: { a: "3" } }, { path: ["labels"], found: "a" }],
  ["the same labels in another order", { labels: { a: "1", b: "2" } }, { labels: { b: "3", a: "4" } }, undefined],
])("rules of one metric are compared: %s", (_, first, second, problem) => {
  expect(problemsOf(first, second)).toMatchObject(problem === undefined ? [] : [problem]);
});
