import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseOpenMetrics } from "./support/openmetrics-parser.ts";
import { startOtelCollector } from "./support/otel-collector.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { promtoolCheckMetrics } from "./support/prometheus.ts";
import { runProgram } from "./support/run-program.ts";

/** The other tests' programs have the right versions and reject errors. */

for (const generation of [2, 3] as const) {
  describeWithPrograms([`prometheus-${generation}`], `Prometheus ${generation}`, (paths) => {
    test("has the major version of its name", async () => {
      const { stdout, stderr } = await runProgram(paths[`prometheus-${generation}`], ["--version"], "");
      expect(stdout + stderr).toMatch(new RegExp(`^prometheus, version ${generation}\\.`));
    });
  });

  describeWithPrograms([`promtool-${generation}`], `promtool ${generation}`, (paths) => {
    test.each([
      ["a page that cannot be read", 'a{b="c} 1\n', 1, /parsing error/],
      ["a family without help", "# TYPE probe_up gauge\nprobe_up 1\n", 3, /probe_up no help text/],
    ])("rejects %s", async (_what, page, expected, complaint) => {
      const { code, output } = await promtoolCheckMetrics(paths[`promtool-${generation}`], page);
      expect(code).toBe(expected);
      expect(output).toMatch(complaint);
    });
  });
}

describeWithPrograms(["victoria-metrics", "vmagent"], "VictoriaMetrics and vmagent", (paths) => {
  const pins = readFileSync(new URL("programs/victoria-metrics/go.mod", import.meta.url), "utf8");
  const pinned = /VictoriaMetrics\/VictoriaMetrics (v\S+)/.exec(pins)?.[1];

  test.each(["victoria-metrics", "vmagent"] as const)("%s has the pinned version", async (name) => {
    const { stdout, stderr } = await runProgram(paths[name], ["-version"], "");
    expect(pinned).toMatch(/^v1\./);
    expect((stdout + stderr).split("\n")).toContain(pinned);
  });
});

describeWithPrograms(["otel-collector"], "OpenTelemetry Collector", (paths) => {
  const binary = paths["otel-collector"];

  test("has the pinned parts and version", async () => {
    const manifest = readFileSync(new URL("programs/collector/builder.yaml", import.meta.url), "utf8");
    const { stdout } = await runProgram(binary, ["components"], "");
    const modules = [...manifest.matchAll(/gomod: (\S+ \S+)/g)].map(([, module]) => module);
    expect(modules.length).toBeGreaterThan(2);
    for (const module of modules) expect(stdout).toContain(`module: ${module}\n`);
    expect(stdout).toContain(`version: ${/version: (\S+)/.exec(manifest)?.[1]}\n`);
  });

  test("rejects invalid OTLP", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-collector-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const collector = await startOtelCollector({ binary, folder });
    onTestFinished(() => collector.stop());
    const headers = { "content-type": "application/json" };
    const { status } = await fetch(`${collector.url}/v1/metrics`, { method: "POST", headers, body: "{" });
    expect(status).toBe(400);
  });
});

describeWithPrograms(["python-openmetrics"], "OpenMetrics parser", (paths) => {
  describe("rejects", () => {
    test.each([
      ["a document without its end", "# TYPE a gauge\na 1\n", /EOF/],
      ["a counter's sample without _total", "# TYPE a counter\na 1\n# EOF\n", /ValueError/],
      ["a family in two pieces", "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\na 2\n# EOF\n", /ValueError/],
    ])("%s", async (_what, text, complaint) => {
      const outcome = await parseOpenMetrics(paths["python-openmetrics"], text);
      expect(outcome.ok ? "accepted" : outcome.error).toMatch(complaint);
    });
  });
});
