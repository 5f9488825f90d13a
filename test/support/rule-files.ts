import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { z } from "zod";
import { type PrometheusRule, ruleFile } from "../../scripts/generate/prometheus-rules.ts";

export const RULES_FOLDER = fileURLToPath(new URL("../../deploy/prometheus/", import.meta.url));
const TESTS_FOLDER = `${RULES_FOLDER}tests/`;

const testFile = z.object({
  tests: z.array(
    z.object({
      name: z.string(),
      input_series: z.array(z.object({ series: z.string() })),
      alert_rule_test: z
        .array(
          z.object({
            alertname: z.string(),
            exp_alerts: z.array(z.object({ exp_labels: z.record(z.string(), z.string()) })),
          }),
        )
        .default([]),
      promql_expr_test: z
        .array(z.object({ expr: z.string(), exp_samples: z.array(z.object({ labels: z.string() })) }))
        .default([]),
    }),
  ),
});

export type { PrometheusRule as Rule };

type RuleTest = z.infer<typeof testFile>["tests"][number];

export const RULE_FILES = ["recording-rules.yml", "alert-rules.yml"].map((name) => RULES_FOLDER + name);
export const RULE_TEST_FILES = readdirSync(TESTS_FOLDER).map((name) => TESTS_FOLDER + name);

export const RULES: readonly PrometheusRule[] = RULE_FILES.flatMap((file) =>
  ruleFile.parse(load(readFileSync(file, "utf8"))).groups.flatMap(({ rules }) => rules),
);
export const RULE_TESTS: readonly RuleTest[] = RULE_TEST_FILES.flatMap(
  (file) => testFile.parse(load(readFileSync(file, "utf8"))).tests,
);

export const ALERTS = RULES.flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]));
export const RECORDS = RULES.flatMap((rule) => (rule.record === undefined ? [] : [{ ...rule, record: rule.record }]));
