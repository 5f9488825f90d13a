import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { RULE_FILES, RULES, RULES_FOLDER } from "../support/rule-files.ts";

/** As Grafana's loader reads it (pkg/services/provisioning/alerting/rules_types.go), unknown fields refused. */
const query = z.strictObject({
  refId: z.string(),
  relativeTimeRange: z.strictObject({ from: z.int(), to: z.int() }),
  datasourceUid: z.string(),
  model: z.record(z.string(), z.unknown()),
});
const duration = z.string().regex(/^\d+[smhd]$/);
const rule = z.strictObject({
  uid: z.string().regex(/^[a-zA-Z0-9_-]{1,40}$/),
  title: z.string().min(1).max(190),
  condition: z.string().optional(),
  data: z.array(query).min(1),
  noDataState: z.enum(["NoData", "OK", "Alerting", "KeepLast"]).optional(),
  execErrState: z.enum(["OK", "Alerting", "Error", "KeepLast"]).optional(),
  for: duration.optional(),
  keepFiringFor: duration.optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  record: z.strictObject({ metric: z.string(), from: z.string(), targetDatasourceUid: z.string() }).optional(),
});
const file = z.strictObject({
  apiVersion: z.literal(1),
  groups: z.array(
    z.strictObject({ orgId: z.int(), name: z.string(), folder: z.string(), interval: duration, rules: z.array(rule) }),
  ),
});

const TEXT = readFileSync(new URL("../../deploy/grafana/alerting/prtg-alert-rules.yaml", import.meta.url), "utf8");
const groups = file.parse(load(TEXT)).groups;
const rules = groups.flatMap((group) => group.rules);
const source = readFileSync(`${RULES_FOLDER}alert-rules.yml`, "utf8");

describe("Grafana-managed alert rules", () => {
  test("are the rules of Prometheus, in their order", () => {
    expect(RULE_FILES.some((each) => each.endsWith("alert-rules.yml"))).toBe(true);
    const wanted = RULES.filter(({ expr }) => source.includes(expr.trim().split("\n")[0] ?? ""))
      .filter(({ alert, record }) => source.includes(`: ${alert ?? record}\n`))
      .map(({ alert, record, expr }) => [alert ?? record, expr.trimEnd()]);
    expect(wanted.length).toBeGreaterThan(30);
    expect(rules.map(({ title, data }) => [title.replace(/ \(\d+\)$/, ""), data[0]?.model.expr])).toEqual(wanted);
  });

  test.each(["uid", "title"] as const)("have a %s each", (key) => {
    expect(new Set(rules.map((each) => each[key])).size).toBe(rules.length);
  });

  it.each(rules.map((each) => [each.title, each] as const))(
    "fires for each row of %s, or records it",
    (_title, each) => {
      if (each.record !== undefined) {
        expect(each.condition).toBeUndefined();
        expect(each.record.from).toBe("A");
        return;
      }
      expect(each.condition).toBe("B");
      expect(each.data.map(({ refId, datasourceUid }) => [refId, datasourceUid])).toEqual([
        ["A", "$PRTG_DATASOURCE_UID"],
        ["B", "__expr__"],
      ]);
    },
  );

  test("keep firing where the rules of Prometheus use ALERTS", () => {
    // PrtgOutageMember is for Alertmanager, which inhibits by it.
    const reading = rules.filter(
      ({ title, data }) =>
        String(data[0]?.model.expr).includes('alertstate="firing"') && !title.startsWith("PrtgOutageMember"),
    );
    expect(reading.map(({ title }) => title).sort()).toEqual([
      "PrtgDeviceDown",
      "PrtgDownUnacknowledged",
      "PrtgOutage",
      "PrtgOutage (2)",
      "PrtgSensorDown",
      "PrtgSensorPartiallyDown",
    ]);
    expect(reading.filter(({ keepFiringFor }) => keepFiringFor === undefined)).toEqual([]);
  });

  test("have values that Grafana's templates know", () => {
    const texts = rules.flatMap(({ annotations = {} }) => Object.values(annotations));
    expect(texts.filter((text) => text.includes("$values.A.Value")).length).toBeGreaterThan(3);
    expect(texts.filter((text) => /\$value\b/.test(text))).toEqual([]);
    expect(texts.filter((text) => /\| *query\b/.test(text))).toEqual([]);
    // Grafana inserts variables of its environment there.
    expect(texts.filter((text) => text.includes("${"))).toEqual([]);
    expect(rules.flatMap(({ labels = {} }) => Object.values(labels)).filter((text) => text.includes("$"))).toEqual([]);
  });
});
