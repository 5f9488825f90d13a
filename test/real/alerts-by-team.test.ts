import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { RULES_FOLDER } from "../support/rule-files.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

const PAGE = await readFile(new URL("../../docs/alerts.md", import.meta.url), "utf8");

/** The rules after the change of PrtgDeviceDown that docs/alerts.md describes. */
async function changedRules(): Promise<string> {
  const rules = await readFile(`${RULES_FOLDER}alert-rules.yml`, "utf8");
  const start = rules.indexOf("- alert: PrtgDeviceDown");
  const end = rules.indexOf("for: ", start);
  const [, list = ""] = /In its last `group_left`, write `(\([^`]*team[^`]*\))`/.exec(PAGE) ?? [];
  const [, replacement = ""] = /^ *(label_replace\(prtg_device_info, "team".*\))$/m.exec(PAGE) ?? [];
  const expression = rules
    .slice(start, end)
    .replace(/(?<=group_left )\(device, host, path, web_url, page_url\)/, list)
    .replace(/prtg_device_info(?=[^\n]*\n[^\n]*\)\s*$)/, replacement);
  return rules.slice(0, start) + expression + rules.slice(end);
}

const IDS = 'job="prtg",instance="exporter",server="hq"';
const SENSORS = [2, 3].flatMap((id) => [
  `{ series: 'prtg_sensor_info{${IDS},sensor_id="${id}",device_id="1",priority="3"}', values: '1x20' }`,
  `{ series: 'prtg_sensor_status_code{${IDS},sensor_id="${id}",path="P/S/core/${id}"}', values: '5x20' }`,
]);
const TEST = `
rule_files: [rules.yml]
tests:
  - interval: 1m
    input_series:
      - { series: 'prtg_up{${IDS}}', values: '1x20' }
      - { series: 'prtg_device_info{${IDS},device_id="1",device="core",tags="a,team:network,b",path="P/S/core"}', values: '1x20' }
      - ${SENSORS.join("\n      - ")}
    promql_expr_test:
      - expr: count by (team, path) (ALERTS{alertname="PrtgDeviceDown", alertstate="firing"})
        eval_time: 10m
        exp_samples: [{ labels: '{team="network", path="P/S/core"}', value: 1 }]
`;

describeWithPrograms(["promtool-3"], "the way to route PrtgDeviceDown by team", (paths) => {
  test("gives the alert the label of the tag", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "alerts-by-team-"));
    try {
      await writeFile(path.join(folder, "rules.yml"), await changedRules());
      await writeFile(path.join(folder, "test.yml"), TEST);
      const file = path.join(folder, "test.yml");
      const { code, stdout, stderr } = await runProgram(paths["promtool-3"], ["test", "rules", file], "");
      expect(stdout + stderr).toContain("SUCCESS");
      expect(code).toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
