import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { runCommand } from "../support/command-line.ts";
import { CASES, CHART, podSpecOf, referencesIn, renderChart, valuesFile } from "./support/helm.ts";
import { writeKubernetesSchemas } from "./support/kubernetes-schemas.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

describeWithPrograms(["helm", "helm-unittest", "kubeconform", "kubernetes-api"], "Helm chart", (paths) => {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-helm-"));
  let schemas: string;

  beforeAll(() => {
    schemas = writeKubernetesSchemas(paths["kubernetes-api"], path.join(folder, "schemas"));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const validate = (manifests: string) =>
    runProgram(paths.kubeconform, ["-strict", "-summary", `-schema-location=${schemas}`], manifests);

  test("covers the usual cases", () => {
    expect(CASES.length).toBeGreaterThanOrEqual(5);
  });

  describe.each(CASES)("with the values %s", (name) => {
    test("passes helm lint --strict", async () => {
      const { code, stdout } = await runProgram(
        paths.helm,
        ["lint", "--strict", `--values=${valuesFile(name)}`, CHART],
        "",
      );
      expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
      expect(code).toBe(0);
    });

    test("creates objects that Kubernetes and the Prometheus operator accept", async () => {
      const { text, objects } = await renderChart(paths.helm, [`--values=${valuesFile(name)}`]);
      const { code, stdout } = await validate(text);
      expect(stdout).toMatch(new RegExp(`^Summary: ${objects.length} resources? found`, "m"));
      expect(stdout).toContain("Invalid: 0, Errors: 0, Skipped: 0");
      expect(code).toBe(0);
    });

    test("has no duplicate object names", async () => {
      const { objects } = await renderChart(paths.helm, [`--values=${valuesFile(name)}`]);
      const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      expect(names.filter((each, index) => names.indexOf(each) !== index)).toEqual([]);
    });

    test("contains all that its pods need", async () => {
      const { objects } = await renderChart(paths.helm, [`--values=${valuesFile(name)}`]);
      const brought = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      const specs = objects.flatMap((object) => podSpecOf(object) ?? []);
      expect(specs.length).toBeGreaterThanOrEqual(2);
      const needed = new Set(specs.flatMap(referencesIn));
      expect([...needed].filter((each) => !brought.includes(each))).toEqual([]);
      const servers = objects.flatMap(({ data, stringData }) => Object.values({ ...data, ...stringData }));
      const hosts = servers.flatMap((text) => [
        ...text.matchAll(/^ *(?:- \{.*)?(?:url|endpoint): "?https?:\/\/([^:/]+)/gm),
      ]);
      expect(hosts.length).toBeGreaterThan(0);
      expect(brought).toEqual(expect.arrayContaining(hosts.map(([, host]) => `Service/${host}`)));
    });

    test("writes files that the exporter accepts", async () => {
      const { objects } = await renderChart(paths.helm, [`--values=${valuesFile(name)}`]);
      const written = Object.assign({}, ...objects.map(({ data, stringData }) => ({ ...data, ...stringData })));
      const files: Record<string, string> = z.record(z.string(), z.string()).parse(written);
      const configuration = files["prtg-exporter.yaml"] ?? files["config.yaml"] ?? "";
      expect("prtg-exporter.yaml" in files).toBe(name !== "existing-config");
      const here = mkdtempSync(path.join(folder, `${name}-`));
      const args = ["serve", "--config.check", `--config.file=${placed(here, "config.yaml", configuration)}`];
      const web = files["web-config.yaml"];
      if (web !== undefined) args.push(`--web.config.file=${placed(here, "web.yaml", web)}`);
      const { code, stderr } = await runCommand(args, {
        env: Object.fromEntries([...configuration.matchAll(/\$\{(\w+)\}/g)].map(([, variable]) => [variable, "key"])),
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    });
  });

  test("passes its unit tests", async () => {
    const args = ["--strict", "--color=false", "--file=unittests/*_test.yaml", CHART];
    const { code, stdout } = await runProgram(paths["helm-unittest"], args, "");
    expect(stdout).toMatch(/Tests: +\d+ passed, \d+ total/);
    expect(code).toBe(0);
  });

  test("fails validation of invalid objects", async () => {
    const { text } = await renderChart(paths.helm, [`--values=${valuesFile("minimal")}`]);
    const { code } = await validate(text.replace("revisionHistoryLimit:", "revisionHistoryLimits:"));
    expect(code).toBe(1);
  });

  test.each([
    ["a key that the chart does not know", ["--set=replicaCounts=1"], /replicaCounts/],
    ["a key below one that it knows", ["--set=web.prot=9000"], /prot/],
    ["a key that the exporter does not know", ["--set=config.state_directory=/data"], /state_directory/],
    ["a schedule of the wrong type", ["--set=config.collectors.tree.enabled=maybe"], /enabled/],
    ["an API key in the values", ["--set=config.servers[0].auth.api_key=secret"], /auth/],
    ["a kind that it cannot make", ["--set=kind=DaemonSet"], /kind/],
    ["a level of log lines that the exporter does not know", ["--set=log.level=trace"], /level/],
    ["a path of the page with a query", ["--set=web.telemetryPath=/metrics?x=1"], /telemetryPath/],
    ["a reserved path", ["--set=web.telemetryPath=/debug/metrics"], /telemetryPath/],
    ["a duration with weeks", ["--set=autoReload.interval=1w"], /interval/],
    ["an empty duration", ["--set=autoReload.interval="], /interval/],
  ])("rejects %s", async (_what, args, place) => {
    const rendered = renderChart(paths.helm, [`--values=${valuesFile("minimal")}`, ...args]);
    await expect(rendered).rejects.toThrow(place);
  });

  test("leaves development files out of its package", async () => {
    const packed = await runProgram(paths.helm, ["package", CHART, `--destination=${folder}`], "");
    expect(packed.code).toBe(0);
    const [, archive = ""] = /saved it to: (\S+)/.exec(packed.stdout) ?? [];
    const { stdout } = await runProgram("tar", ["--list", "--gzip", "--file", archive], "");
    expect(stdout).toContain("prtg-exporter/values.schema.json");
    expect(stdout).toContain("prtg-exporter/files/prometheus/alert-rules.yml");
    expect(stdout).not.toMatch(/unittests|\/ci\//);
  });

  test("fits into one Kubernetes object with all dashboards", async () => {
    const { objects } = await renderChart(paths.helm, [`--values=${valuesFile("everything")}`]);
    const sizes = objects.map(({ data = {} }) => Object.values(data).join("").length);
    expect(Math.max(...sizes)).toBeLessThan(1_048_576 * 0.9);
  });
});

describeWithPrograms(["yamllint"], "files of the Helm chart", ({ yamllint }) => {
  const rules = fileURLToPath(new URL("fixtures/yamllint.yaml", import.meta.url));
  const lint = (files: readonly string[], input = "") =>
    runProgram(yamllint, ["--strict", "--format=parsable", `--config-file=${rules}`, ...files], input);

  test("pass yamllint", async () => {
    const files = [`${CHART}Chart.yaml`, `${CHART}values.yaml`, ...CASES.map(valuesFile)];
    expect(await lint(files)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("fail with spaces at the end of a line", async () => {
    const { code, stdout } = await lint(["-"], "key: value \n");
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("trailing-spaces") });
  });
});

/** Writes a file with its named files, which come from Secrets. */
function placed(folder: string, file: string, text: string): string {
  const key = path.join(folder, "tls.key");
  const certificate = path.join(folder, "tls.crt");
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tests"];
  const mine = (name: string) => {
    const here = path.join(folder, name);
    if (name === "ca.crt") copyFileSync(certificate, here);
    else if (name.endsWith(".yaml")) writeFileSync(here, "rules: []\n", { mode: 0o600 });
    else if (!name.startsWith("tls.")) writeFileSync(here, "key-of-the-tests", { mode: 0o600 });
    return here;
  };
  if (!existsSync(key)) execFileSync("openssl", [...request, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const result = path.join(folder, file);
  writeFileSync(
    result,
    text.replaceAll(/\/etc\/prtg-exporter\/\S+/g, (name) => mine(path.basename(name))),
  );
  return result;
}
