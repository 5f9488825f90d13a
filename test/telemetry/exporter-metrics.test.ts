import { describe, expect, test } from "vitest";
import { readBuildInfo } from "../../src/telemetry/build-info.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { OWN_FAMILIES, OWN_METRICS, type OwnMetric } from "../../src/telemetry/own-metrics.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { readInstrument } from "../../src/telemetry/recording.ts";

const BUILD = { version: "1.2.3", revision: "abc" };

describe("the exporter's own metrics", () => {
  test("are those that are declared, no more and no less", async () => {
    const { registry } = new ExporterMetrics(BUILD, () => []);
    const registered = (await registry.getMetricsAsJSON()).map(({ name, help, type }) => ({
      name,
      help,
      type: `${type}`,
    }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(registered.sort(byName)).toEqual(
      OWN_FAMILIES.map(({ name, help, type }) => ({ name, help, type })).sort(byName),
    );
  });

  test("tell what is running", async () => {
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

  test("hold those of the process and of Node, but none that is named like what it is not", async () => {
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

  test("are read from memory as the page shows them", async () => {
    const metrics = new ExporterMetrics(BUILD, () => [["prtg_sensors", 4]]);
    const server = serverRecorder(metrics, "hq");
    server.requestStarted("/health");
    server.requestFinished({ endpoint: "/health", code: "204", durationMs: 30, bytes: 7 });
    server.requestDuration("/health", 60);
    metrics.update();
    const shown = async (name: string) => (await metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
    const { buckets, name: histogram } = OWN_METRICS.server.requestDuration;
    for (const metric of OWN_FAMILIES.filter(({ type }) => type !== "histogram")) {
      const page = (await shown(metric.name)).map(({ labels, value }) => ({ labels, value }));
      expect([...metrics.numbers(metric)], metric.name).toMatchObject(page);
    }
    const [series] = metrics.histograms(OWN_METRICS.server.requestDuration);
    const counted = buckets.map((_, index) =>
      buckets.slice(0, index + 1).reduce((sum, bound) => sum + (series?.bucketValues[bound] ?? 0), 0),
    );
    expect((await shown(histogram)).map(({ value }) => value)).toEqual([...counted, 2, series?.sum, series?.count]);
  });

  test("tell of requests by server, and by server and endpoint where that is asked for", () => {
    const metrics = new ExporterMetrics(BUILD, () => []);
    const request = () => {
      const server = serverRecorder(metrics, "hq");
      for (const endpoint of ["/health", "/experimental/sensors"]) {
        server.requestStarted(endpoint);
        server.requestFinished({ endpoint, code: "200", durationMs: 30, bytes: 7 });
      }
    };
    const labels = () => [...metrics.numbers(OWN_METRICS.server.requests)].map((series) => series.labels);
    request();
    expect([...metrics.numbers(OWN_METRICS.server.requests)]).toEqual([
      { labels: { server: "hq", code: "200" }, value: 2 },
    ]);
    expect([...metrics.histograms(OWN_METRICS.server.requestDuration)]).toMatchObject([{ count: 2 }]);
    expect([...metrics.numbers(OWN_METRICS.server.retried)]).toEqual([{ labels: { server: "hq" }, value: 0 }]);
    expect([...metrics.histograms(OWN_METRICS.endpoints.requestDuration)]).toHaveLength(2);
    metrics.setApiDetail("endpoint");
    expect(labels()).toEqual([]);
    request();
    expect(labels()).toEqual([
      { server: "hq", endpoint: "/health", code: "200" },
      { server: "hq", endpoint: "/experimental/sensors", code: "200" },
    ]);
    // Those of all servers together went on.
    expect([...metrics.numbers(OWN_METRICS.endpoints.requests)].map(({ value }) => value)).toEqual([2, 2]);
  });

  test("tell by a number whether their series may have changed, after what is asked for at each reading", () => {
    let families = ["prtg_sensors"];
    const metrics = new ExporterMetrics(BUILD, () => families.map((family) => [family, 1] as const));
    const server = serverRecorder(metrics, "hq");
    server.requestDuration("/health", 0.02);
    const read = ({ name }: OwnMetric) => readInstrument(metrics.registry.getSingleMetric(name));
    const isChangedBy = (metric: OwnMetric, change: () => void): boolean => {
      const before = read(metric)?.changes;
      change();
      return before !== read(metric)?.changes;
    };
    const { up, requestDuration, retried } = OWN_METRICS.server;
    expect(isChangedBy(up, () => undefined)).toBe(false);
    expect(isChangedBy(up, () => server.retried("/health"))).toBe(false);
    expect(isChangedBy(up, () => metrics.clear(retried))).toBe(false);
    expect(isChangedBy(up, () => metrics.forget({ server: "other" }))).toBe(false);
    expect(isChangedBy(up, () => server.up(true))).toBe(true);
    expect(isChangedBy(retried, () => server.retried("/health"))).toBe(true);
    expect(isChangedBy(requestDuration, () => server.requestDuration("/health", 0.02))).toBe(true);
    expect(isChangedBy(requestDuration, () => metrics.clear(requestDuration))).toBe(true);
    expect(isChangedBy(up, () => metrics.forget({ server: "hq" }))).toBe(true);
    const seen = read(OWN_METRICS.process.series);
    families = ["prtg_sensors", "prtg_objects"];
    const then = read(OWN_METRICS.process.series);
    expect(then?.changes).toBeGreaterThan(seen?.changes ?? 0);
    // The number is that of what is told with it.
    expect(Object.keys(then?.series ?? {})).toHaveLength(2);
  });

  test("of two exporters in one process do not mix", async () => {
    const [first, second] = [new ExporterMetrics(BUILD, () => []), new ExporterMetrics(BUILD, () => [])];
    first.exposition.scraped("text/plain");
    expect([...second.numbers(OWN_METRICS.exposition.scraped)]).toEqual([]);
  });
});

describe("build information", () => {
  test("is the version of package.json and the revision of the image", () => {
    expect(readBuildInfo({}).version).toMatch(/^\d+\.\d+\.\d+/);
    expect(readBuildInfo({}).revision).toBe("");
    expect(readBuildInfo({ PRTG_EXPORTER_REVISION: "0123abc" }).revision).toBe("0123abc");
  });
});
