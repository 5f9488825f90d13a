import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { EXPORTER_FAMILIES } from "../../src/telemetry/metric-declarations.ts";
import { presetFamilies } from "../support/known-metrics.ts";
import { promqlLabels } from "../support/promql-labels.ts";
import { promqlNames } from "../support/promql-names.ts";
import { ALERTS, RECORDS, RULE_TESTS, RULES } from "../support/rule-files.ts";

const RUNBOOKS = new URL("../../docs/runbooks/", import.meta.url);
const runbooks = readdirSync(RUNBOOKS);
/** Added by a scrape job. */
const TARGET_LABELS = ["job", "instance"];
/** Cluster labels that only `without` drops. */
const CLUSTER_LABELS = ["pod"];

const families: readonly MetricFamily[] = [
  ...Object.values(TREE_FAMILIES),
  ...EXPORTER_FAMILIES,
  ...(await presetFamilies()),
];
const labelsOf = new Map(families.map(({ name, labels }) => [name, [...TARGET_LABELS, ...labels]]));
// Set by Prometheus for each target.
labelsOf.set("up", TARGET_LABELS);
// An alert has read its other labels from ALERTS since its first evaluation, which found them elsewhere.
// Alerts about members of outages read each other's phase.
labelsOf.set("ALERTS", ["alertname", "alertstate", "phase"]);
for (const { record, expr } of RECORDS) labelsOf.set(record, [...promqlLabels(expr, labelsOf).labels]);

/** For selectors without a name. */
const ANY_LABELS = ["__name__", ...[...labelsOf.values()].flat()];
const knownLabels = (metric: string) => (metric === "" ? ANY_LABELS : labelsOf.get(metric));

function labelsIn(expr: string): string[] {
  const { metrics, made } = promqlNames(expr);
  return [...[...metrics].flatMap((name) => knownLabels(name) ?? []), ...made];
}

function unknownNames(expr: string): string[] {
  const { metrics, matched, listed } = promqlNames(expr);
  const known = new Set([...labelsIn(expr), ...CLUSTER_LABELS]);
  return [
    ...[...metrics].filter((name) => knownLabels(name) === undefined),
    ...matched
      .filter(([name, label]) => !knownLabels(name)?.includes(label))
      .map(([name, label]) => `${name}{${label}}`),
    ...[...listed].filter((label) => !known.has(label)),
  ];
}

test.each([
  ["an unknown name", "prtg_nothing > 0", ["prtg_nothing"]],
  ["a label of another family", 'prtg_up{sensor_id="1"} == 0', ["prtg_up{sensor_id}"]],
  ["a label in a list", "sum by (server, sensors) (prtg_sensors)", ["sensors"]],
  [
    "an unknown label in a join",
    "prtg_up * on (server) group_left (nme) topk by (server) (1, prtg_sensors[5m:1m])",
    ["nme"],
  ],
  ["nothing in created labels", 'sum by (x, y) (label_replace(count_values("y", prtg_up), "x", "", "", ""))', []],
  ["an unknown label in a selector without a name", '{__name__!~"prtg_.*",channel_id!="",nme!=""}', ["{nme}"]],
  ["nothing in text that looks like a name", 'time() - prtg_sensors{status="foo{bar}"} offset 5m # comment', []],
] as const)("the check finds %s", (_title, expr, found) => {
  expect(unknownNames(expr)).toEqual(found);
});

describe("metrics and labels in the metric table", () => {
  test.each(RULES.map((rule) => [rule.alert ?? rule.record, rule.expr] as const))(
    "cover the rule %s",
    (_name, expr) => {
      expect(promqlNames(expr).metrics.size).toBeGreaterThan(0);
      expect(unknownNames(expr)).toEqual([]);
    },
  );

  test.each(RULE_TESTS.map(({ name, input_series }) => [name, input_series] as const))(
    "cover the test of %s",
    (_name, input) => {
      for (const { series } of input) {
        const { metrics, matched } = promqlNames(series);
        const [metric = ""] = metrics;
        const labels = matched.map(([, label]) => label).filter((label) => !CLUSTER_LABELS.includes(label));
        expect(labels.sort(), series).toEqual([...(labelsOf.get(metric) ?? [])].sort());
      }
    },
  );

  test.each(runbooks)("cover %s", (file) => {
    const text = readFileSync(new URL(file, RUNBOOKS), "utf8");
    const lines = [...text.matchAll(/```promql\n(.*?)```/gs)].flatMap(([, block = ""]) => block.trim().split("\n"));
    for (const line of lines) expect(unknownNames(line), line).toEqual([]);
  });
});

describe.each(ALERTS)("$alert", ({ alert, expr, labels, annotations, for: pending }) => {
  const labelsOfAlert: ReadonlySet<string> = promqlLabels(expr, labelsOf).labels;

  test("has a summary, a severity, links and a runbook", () => {
    // A target that fails has no servers.
    const isOfServer = labelsOfAlert.has("server") && alert !== "PrtgExporterAbsent";
    const links = isOfServer ? ["prtg_url", "page_url"] : [];
    expect(Object.keys(annotations)).toEqual(["summary", "description", ...links, "runbook_url"]);
    expect(annotations.runbook_url).toBe(`https://prtg-exporter.github.io/prtg-exporter/runbooks/${alert}`);
    // Own severity, or that of the sensor's priority.
    const ofSeries = labelsOfAlert.has("severity");
    expect(["critical", "warning", "info"]).toContain(ofSeries ? "info" : labels.severity);
    expect(ofSeries).toBe(labels.severity === undefined);
    expect(pending).toMatch(/^\d+m$/);
  });

  test("reads its own names and state from ALERTS", () => {
    const read = [...expr.matchAll(/ALERTS\{alertname="(\w+)"/g)].map(([, name]) => name);
    const isPending = pending !== "0m" && labelsOfAlert.has("path");
    const isOver = labels.phase === "over";
    expect(new Set(read)).toEqual(new Set(isPending || isOver ? [alert] : []));
  });

  test("shows labels of its series", () => {
    const shown = Object.values(annotations).flatMap((text) =>
      [...text.matchAll(/\$labels\.(\w+)/g)].map(([, name]) => name),
    );
    expect(shown.filter((name) => name === undefined || !labelsOfAlert.has(name))).toEqual([]);
  });
});

test("every alert has a runbook, and every runbook an alert", () => {
  expect(runbooks.sort()).toEqual([...new Set(ALERTS.map(({ alert }) => `${alert}.md`))].sort());
  for (const file of runbooks) {
    expect(readFileSync(new URL(file, RUNBOOKS), "utf8").split("\n", 1)).toEqual([`# ${file.replace(/\.md$/, "")}`]);
  }
});
