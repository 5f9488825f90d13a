import { describe, expect, test } from "vitest";
import { readBuildInfo } from "../../src/telemetry/build-info.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import {
  EXPORTER_FAMILIES,
  EXPORTER_METRICS,
  SERVE_FAMILIES,
  SYNC_FAMILIES,
} from "../../src/telemetry/metric-declarations.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";

const BUILD = { version: "1.2.3", revision: "abc" };

describe("exporter metrics", () => {
  test.each([
    ["serve", SERVE_FAMILIES],
    ["sync", SYNC_FAMILIES],
  ])("of %s match their declarations exactly", async (_, families) => {
    const { registry } = new ExporterMetrics(BUILD, () => [], families);
    const registered = (await registry.getMetricsAsJSON()).map(({ name, help, type }) => ({
      name,
      help,
      type: `${type}`,
    }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(registered.sort(byName)).toEqual(
      families.map(({ name, help, type }) => ({ name, help, type })).sort(byName),
    );
  });

  test("of the other command are not on the page: they would be 0", () => {
    const others = EXPORTER_FAMILIES.filter((metric) => !SERVE_FAMILIES.includes(metric));
    expect(others).toEqual(Object.values(EXPORTER_METRICS.sync));
    const own = new Set([...SERVE_FAMILIES, ...SYNC_FAMILIES]);
    expect(EXPORTER_FAMILIES.filter((metric) => !own.has(metric))).toEqual([]);
    expect(SYNC_FAMILIES).not.toContain(EXPORTER_METRICS.config.reloadSuccessful);
  });

  test("describe the running version", async () => {
    const { registry } = new ExporterMetrics(BUILD, () => []);
    const info = registry.getSingleMetric("prtg_exporter_build_info");
    expect((await info?.get())?.values).toEqual([{ value: 1, labels: { ...BUILD, node_version: process.version } }]);
  });

  test("count the series at each scrape", async () => {
    let series = 3;
    const { registry } = new ExporterMetrics(BUILD, () => [["prtg_sensor_status", series]]);
    const read = async () => (await registry.getSingleMetric("prtg_exporter_series")?.get())?.values;
    expect(await read()).toEqual([{ value: 3, labels: { family: "prtg_sensor_status" } }]);
    series = 4;
    expect(await read()).toEqual([{ value: 4, labels: { family: "prtg_sensor_status" } }]);
  });

  test("include process and Node.js metrics, except misleading names", async () => {
    const metrics = new ExporterMetrics(BUILD, () => []);
    metrics.collectProcessMetrics();
    const all = await metrics.registry.getMetricsAsJSON();
    const names = all.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "nodejs_eventloop_lag_seconds",
      ]),
    );
    for (const { name, type } of all) expect(name.endsWith("_total"), name).toBe(`${type}` === "counter");
  });

  test("count requests by server, and by endpoint if configured", async () => {
    const metrics = new ExporterMetrics(BUILD, () => []);
    const request = () => {
      const server = serverRecorder(metrics, "hq");
      for (const endpoint of ["/health", "/experimental/sensors"]) {
        server.requestStarted(endpoint);
        server.requestFinished({ endpoint, code: "200", durationMs: 30, bytes: 7 });
      }
    };
    const labels = async () => (await metrics.samples(EXPORTER_METRICS.server.requests)).map((sample) => sample.labels);
    request();
    expect(await metrics.samples(EXPORTER_METRICS.server.requests)).toEqual([
      { labels: { server: "hq", code: "200" }, value: 2 },
    ]);
    expect((await metrics.samples(EXPORTER_METRICS.server.requestDuration)).at(-1)).toMatchObject({
      labels: { server: "hq" },
      value: 2,
    });
    expect(await metrics.samples(EXPORTER_METRICS.server.retried)).toEqual([{ labels: { server: "hq" }, value: 0 }]);
    const byEndpoint = await metrics.samples(EXPORTER_METRICS.endpoints.requestDuration);
    expect(byEndpoint.filter(({ labels: { le } }) => le === "+Inf")).toHaveLength(2);
    metrics.setApiDetail("endpoint");
    expect(await labels()).toEqual([]);
    request();
    expect(await labels()).toEqual([
      { server: "hq", endpoint: "/health", code: "200" },
      { server: "hq", endpoint: "/experimental/sensors", code: "200" },
    ]);
    // Totals of all servers continued.
    expect((await metrics.samples(EXPORTER_METRICS.endpoints.requests)).map(({ value }) => value)).toEqual([2, 2]);
  });

  test("forget a removed collector or server and keep the others", async () => {
    const metrics = new ExporterMetrics(BUILD, () => []);
    const [hq, branch] = [serverRecorder(metrics, "hq"), serverRecorder(metrics, "branch")];
    for (const server of [hq, branch]) {
      server.requestDuration({ endpoint: "/health" }, 0.02);
      for (const name of ["tree", "status"]) server.collector(name).success(true);
    }
    const { success } = EXPORTER_METRICS.collector;
    const shown = async () => (await metrics.samples(success)).map(({ labels }) => Object.values(labels).join("/"));
    await hq.forgetCollector("tree");
    expect(await shown()).toEqual(["hq/status", "branch/tree", "branch/status"]);
    await hq.forget();
    expect(await shown()).toEqual(["branch/tree", "branch/status"]);
    expect(await metrics.registry.metrics()).not.toContain('"hq"');
    expect(await metrics.samples(EXPORTER_METRICS.server.requestDuration)).toContainEqual({
      ...{ metricName: "prtg_exporter_api_request_duration_seconds_count", labels: { server: "branch" } },
      value: 1,
    });
  });

  test("have functions that work without their recorder", async () => {
    const metrics = new ExporterMetrics(BUILD, () => []);
    const { ...server } = serverRecorder(metrics, "hq");
    const { up } = server;
    up(true);
    expect(await metrics.samples(EXPORTER_METRICS.server.up)).toEqual([{ labels: { server: "hq" }, value: 1 }]);
  });

  test("stay separate for two exporters in one process", async () => {
    const [first, second] = [new ExporterMetrics(BUILD, () => []), new ExporterMetrics(BUILD, () => [])];
    first.exposition.scraped({ format: "text/plain" });
    expect(await second.samples(EXPORTER_METRICS.exposition.scraped)).toEqual([]);
  });
});

describe("build information", () => {
  test("is the version of package.json and the revision of the image", () => {
    expect(readBuildInfo({}).version).toMatch(/^\d+\.\d+\.\d+/);
    expect(readBuildInfo({}).revision).toBe("");
    expect(readBuildInfo({ PRTG_EXPORTER_REVISION: "0123abc" }).revision).toBe("0123abc");
  });
});
