import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

import { promqlNames } from "../support/promql-names.ts";
import { ALERTS, RECORDS, RULE_FILES, RULE_TEST_FILES, RULE_TESTS, RULES_FOLDER } from "../support/rule-files.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

/** Two months take half a minute alone, four times that with other tests. */
const RULE_TEST_LIMIT_MS = 280_000;

const IS_NIGHT = process.env.PRTG_EXPORTER_NIGHTLY === "1";
/** Days of series. They take promtool a minute. */
const LONG_FILES = ["error-budget.yml", "recording-windows.yml"];

describeWithPrograms(["promtool-2", "promtool-3"], "rules for Prometheus", (paths) => {
  describe.each(["promtool-2", "promtool-3"] as const)("%s", (promtool) => {
    test.each(RULE_FILES.map((file) => [path.basename(file), file] as const))("accepts %s", async (_name, file) => {
      const { code, stdout, stderr } = await runProgram(paths[promtool], ["check", "rules", "--lint-fatal", file], "");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
    });

    test.each(["scrape.yml", "scrape-servers.yml"])("accepts the scrape job of %s", async (file) => {
      const { code, stderr } = await runProgram(paths[promtool], ["check", "config", `${RULES_FOLDER}${file}`], "");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    });

    const files = RULE_TEST_FILES.filter((file) => IS_NIGHT || !LONG_FILES.includes(path.basename(file)));
    test.each(files.map((file) => [path.basename(file), file] as const))("runs %s", async (_name, file) => {
      const { code, stdout, stderr } = await runProgram(
        paths[promtool],
        ["test", "rules", file],
        "",
        RULE_TEST_LIMIT_MS,
      );
      expect(stdout + stderr).toContain("SUCCESS");
      expect(code).toBe(0);
    });
  });
});

test("the documented command makes every runbook_url absolute", async () => {
  const page = readFileSync(new URL("../../docs/alerts.md", import.meta.url), "utf8");
  const [, command = ""] = /^(sed .*) > alert-rules\.yml$/m.exec(page) ?? [];
  const { code, stdout } = await runProgram("sh", ["-c", `cd "${RULES_FOLDER}../.." && ${command}`], "");
  expect(code).toBe(0);
  const urls = [...stdout.matchAll(/^ *runbook_url: (.*)$/gm)].map(([, url]) => url);
  expect(urls).toEqual(ALERTS.map(({ alert }) => `https://wiki.example.com/prtg-exporter/docs/runbooks/${alert}.md`));
});

describe("tests of the rules", () => {
  const alertTests = RULE_TESTS.flatMap(({ alert_rule_test }) => alert_rule_test);

  test.each(
    ALERTS.map(({ alert, labels: { severity } }) => [alert, severity ?? "more than one severity", severity] as const),
  )("expect %s to fire as %s", (alert, _title, severity) => {
    const firing = alertTests.filter(({ alertname }) => alertname === alert).flatMap(({ exp_alerts }) => exp_alerts);
    const severities = new Set(firing.map(({ exp_labels }) => exp_labels.severity));
    if (severity === undefined) expect(severities.size).toBeGreaterThan(1);
    else expect([...severities]).toContain(severity);
  });

  test.each(ALERTS.map(({ alert }) => alert))("expect %s not to fire", (alert) => {
    expect(
      alertTests.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length),
    ).toContain(0);
  });

  test.each(RECORDS.map(({ record }) => record))("expect values of %s", (record) => {
    const withValues = RULE_TESTS.flatMap(({ promql_expr_test }) => promql_expr_test).filter(
      ({ expr, exp_samples }) => promqlNames(expr).metrics.has(record) && exp_samples.length > 0,
    );
    expect(withValues).not.toEqual([]);
  });
});
