import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseOpenMetrics } from "./support/openmetrics-parser.ts";
import { type OtelCollector, startOtelCollector } from "./support/otel-collector.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus, promtoolCheckMetrics } from "./support/prometheus.ts";
import { ReceivedFile } from "./support/received-points.ts";
import { runProgram } from "./support/run-program.ts";
import { VictoriaMetrics } from "./support/victoria-metrics.ts";

const PAGE = `# HELP probe_temperature_celsius Temperature.
# TYPE probe_temperature_celsius gauge
probe_temperature_celsius{room="server \\"A\\" \\\\ Süd"} 21.5
probe_temperature_celsius{room="attic"} -Inf
# HELP probe_requests_total Requests.
# TYPE probe_requests_total counter
probe_requests_total 42
`;

for (const generation of [2, 3] as const) {
  describeWithPrograms([`prometheus-${generation}`], `Prometheus ${generation}`, (paths) => {
    const binary = paths[`prometheus-${generation}`];
    const target = createServer((_request, response) => {
      response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
      response.end(PAGE);
    });
    let address = "";
    let prometheus: Prometheus;
    /** The time of a good scrape: after one that a stall of a second made fail, nothing is found now. */
    let now: number;

    beforeAll(async () => {
      await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
      address = `127.0.0.1:${(target.address() as AddressInfo).port}`;
      prometheus = await Prometheus.start({ binary, target: address });
      now = await prometheus.waitUntilScraped();
    });

    afterAll(async () => {
      await prometheus?.stop();
      target.closeAllConnections();
      target.close();
    });

    test("is of the generation that its name says", () => {
      expect(prometheus.log()).toMatch(new RegExp(`Starting Prometheus Server.*version=${generation}\\.`));
    });

    test("reads labels and values off the page as they are", async () => {
      const series = await prometheus.query("probe_temperature_celsius", now);
      const byRoom = new Map(series.map(({ labels, points }) => [labels.room, points[0]?.value]));
      expect(byRoom).toEqual(
        new Map([
          ['server "A" \\ Süd', 21.5],
          ["attic", -Infinity],
        ]),
      );
    });

    test("answers at a given time, over a range and for a scalar", async () => {
      const [up] = await prometheus.query("timestamp(probe_requests_total)", now);
      const scraped = up?.points[0]?.value ?? Number.NaN;
      expect((await prometheus.query("probe_requests_total", scraped))[0]?.points).toEqual([
        { time: scraped, value: 42 },
      ]);
      expect(await prometheus.query("probe_requests_total", scraped - 3600)).toEqual([]);
      const [range] = await prometheus.queryRange("probe_requests_total", {
        start: scraped - 2,
        end: scraped,
        step: 1,
      });
      expect(range?.points.at(-1)).toEqual({ time: scraped, value: 42 });
      expect((await prometheus.query("6 * 7"))[0]?.points[0]?.value).toBe(42);
    });

    test("counts series and knows its target", async () => {
      expect(await prometheus.seriesCount('{__name__=~"probe_.+"}', now)).toBe(3);
      expect(await prometheus.seriesCount("no_such_series", now)).toBe(0);
      await expect
        .poll(() => prometheus.targets(), { timeout: 60_000 })
        .toMatchObject([
          { health: "up", lastError: "", scrapeUrl: `http://${address}/metrics`, labels: { job: "exporter" } },
        ]);
    });

    test("tells what is wrong with a query", async () => {
      await expect(prometheus.query("sum(")).rejects.toThrow(/parse error/);
    });

    test("shows its log when it does not start", async () => {
      const start = Prometheus.start({ binary, target: address, config: { no_such_key: 1 } });
      await expect(start).rejects.toThrow(/no_such_key/);
    });
  });

  describeWithPrograms([`promtool-${generation}`], `promtool ${generation}`, (paths) => {
    const binary = paths[`promtool-${generation}`];

    test("accepts a good page", async () => {
      expect(await promtoolCheckMetrics(binary, PAGE)).toEqual({ code: 0, output: "" });
    });

    test("refuses a page that cannot be read", async () => {
      const { code, output } = await promtoolCheckMetrics(binary, 'a{b="c} 1\n');
      expect(code).toBe(1);
      expect(output).toMatch(/parsing error/);
    });

    test("finds fault with a family without help", async () => {
      const { code, output } = await promtoolCheckMetrics(binary, "# TYPE probe_up gauge\nprobe_up 1\n");
      expect(code).toBe(3);
      expect(output).toMatch(/probe_up no help text/);
    });
  });
}

describeWithPrograms(["victoria-metrics", "vmagent"], "VictoriaMetrics and vmagent", (paths) => {
  const pins = readFileSync(new URL("programs/victoria-metrics/go.mod", import.meta.url), "utf8");
  const pinned = /VictoriaMetrics\/VictoriaMetrics (v\S+)/.exec(pins)?.[1];

  test.each(["victoria-metrics", "vmagent"] as const)("%s has the version that was asked for", async (name) => {
    const { stdout, stderr } = await runProgram(paths[name], ["-version"], "");
    expect(pinned).toMatch(/^v1\./);
    expect((stdout + stderr).split("\n")).toContain(pinned);
  });

  test("shows its log when it does not start", async () => {
    const start = VictoriaMetrics.start({ binary: paths["victoria-metrics"], flags: ["-no.such.flag"] });
    await expect(start).rejects.toThrow(/no\.such\.flag/);
  });
});

describeWithPrograms(["otel-collector"], "the OpenTelemetry Collector", (paths) => {
  const binary = paths["otel-collector"];

  function openFolder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-collector-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  async function push(collector: OtelCollector, body: string): Promise<number> {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${collector.url}/v1/metrics`, { method: "POST", headers, body })).status;
  }

  function pushedPoint(at: number, value: number): string {
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const attributes = [attribute("sensor_id", "2490"), attribute("channel_id", "-4")];
    const dataPoints = [{ timeUnixNano: `${at}000000`, asDouble: value, attributes }];
    const metrics = [{ name: "prtg.channel_value", gauge: { dataPoints } }];
    const resource = { attributes: [attribute("service.name", "Süd")] };
    return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] });
  }

  test("has the parts and the version that its builder was asked for", async () => {
    const manifest = readFileSync(new URL("programs/collector/builder.yaml", import.meta.url), "utf8");
    const { stdout } = await runProgram(binary, ["components"], "");
    const modules = [...manifest.matchAll(/gomod: (\S+ \S+)/g)].map(([, module]) => module);
    expect(modules.length).toBeGreaterThan(2);
    for (const module of modules) expect(stdout).toContain(`module: ${module}\n`);
    expect(stdout).toContain(`version: ${/version: (\S+)/.exec(manifest)?.[1]}\n`);
  });

  test("keeps what it was sent, also from before it was stopped", async () => {
    const folder = openFolder();
    const sent = [1_700_000_000_123, 1_700_000_060_123];
    for (const [index, at] of sent.entries()) {
      const collector = await startOtelCollector({ binary, folder });
      expect(await push(collector, pushedPoint(at, index - 0.1))).toBe(200);
      await collector.stop();
    }
    const file = new ReceivedFile(path.join(folder, "received.bin"));
    await file.readOn();
    expect([...file.of("Süd").channels]).toEqual([["2490.-4", { times: sent, values: [-0.1, 0.9] }]]);
    expect(file.of("Süd")).toMatchObject({ requests: 2, repeated: 0 });
    expect(file.of("another").channels.size).toBe(0);
  });

  test("refuses what is no OTLP", async () => {
    const collector = await startOtelCollector({ binary, folder: openFolder() });
    onTestFinished(() => collector.stop());
    expect(await push(collector, "{")).toBe(400);
  });

  test("shows its log when it does not start", async () => {
    const start = startOtelCollector({ binary, folder: openFolder(), config: { exporters: { no_such_part: {} } } });
    await expect(start).rejects.toThrow(/no_such_part/);
  });
});

describeWithPrograms(["python-openmetrics"], "the OpenMetrics parser", (paths) => {
  const python = paths["python-openmetrics"];

  test("reads families, special values, timestamps and exemplars", async () => {
    const outcome = await parseOpenMetrics(
      python,
      `# TYPE probe_temperature_celsius gauge
# UNIT probe_temperature_celsius celsius
# HELP probe_temperature_celsius Temperature.
probe_temperature_celsius{value="Süd"} 21.5 1700000000.5
probe_temperature_celsius{value="a"} NaN
probe_temperature_celsius{value="b"} -Inf
# TYPE probe_requests counter
probe_requests_total 42 # {trace_id="x"} 1
# EOF
`,
    );
    const sample = { name: "probe_temperature_celsius", timestamp: null, exemplar: null };
    expect(outcome).toEqual({
      ok: true,
      families: [
        {
          name: "probe_temperature_celsius",
          type: "gauge",
          help: "Temperature.",
          unit: "celsius",
          samples: [
            { ...sample, labels: { value: "Süd" }, value: 21.5, timestamp: 1700000000.5 },
            { ...sample, labels: { value: "a" }, value: Number.NaN },
            { ...sample, labels: { value: "b" }, value: -Infinity },
          ],
        },
        {
          name: "probe_requests",
          type: "counter",
          help: "",
          unit: "",
          samples: [
            {
              name: "probe_requests_total",
              labels: {},
              value: 42,
              timestamp: null,
              exemplar: { labels: { trace_id: "x" }, value: 1, timestamp: null },
            },
          ],
        },
      ],
    });
  });

  describe("refuses", () => {
    test.each([
      ["a document without its end", "# TYPE a gauge\na 1\n", /EOF/],
      ["a counter's sample without _total", "# TYPE a counter\na 1\n# EOF\n", /ValueError/],
      ["a family in two pieces", "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\na 2\n# EOF\n", /ValueError/],
    ])("%s", async (_what, text, complaint) => {
      const outcome = await parseOpenMetrics(python, text);
      expect(outcome.ok ? "accepted" : outcome.error).toMatch(complaint);
    });
  });
});
