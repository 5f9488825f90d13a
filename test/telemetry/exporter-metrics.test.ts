import { describe, expect, it } from "vitest";
import type { MetricFamily } from "../../src/mapping/metric-table.ts";
import { readBuildInfo } from "../../src/telemetry/build-info.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { OWN_FAMILIES, OWN_METRICS } from "../../src/telemetry/own-metrics.ts";

const BUILD = { version: "1.2.3", revision: "abc" };

describe("the exporter's own metrics", () => {
  it("are those of the metric table, no more and no less", async () => {
    const { registry } = new ExporterMetrics(BUILD, () => []);
    const registered = (await registry.getMetricsAsJSON()).map(({ name, help, type }) => ({
      name,
      help,
      type: `${type}`,
    }));
    const families: readonly MetricFamily[] = OWN_FAMILIES;
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(registered.sort(byName)).toEqual(
      families.map(({ name, help, type }) => ({ name, help, type })).sort(byName),
    );
  });

  it("tell what is running", async () => {
    const { registry } = new ExporterMetrics(BUILD, () => []);
    const info = registry.getSingleMetric("prtg_exporter_build_info");
    expect((await info?.get())?.values).toEqual([{ value: 1, labels: { ...BUILD, node_version: process.version } }]);
  });

  it("count the series at each scrape", async () => {
    let series = 3;
    const { registry } = new ExporterMetrics(BUILD, () => [["prtg_sensor_status", series]]);
    const read = async () => (await registry.getSingleMetric("prtg_exporter_series")?.get())?.values;
    expect(await read()).toEqual([{ value: 3, labels: { family: "prtg_sensor_status" } }]);
    series = 4;
    expect(await read()).toEqual([{ value: 4, labels: { family: "prtg_sensor_status" } }]);
  });

  it("hold those of the process and of Node, but none that is named like what it is not", async () => {
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

  it("of two exporters in one process do not mix", async () => {
    const [first, second] = [new ExporterMetrics(BUILD, () => []), new ExporterMetrics(BUILD, () => [])];
    first.exposition.scraped("text/plain");
    expect([...second.numbers(OWN_METRICS.exposition.scraped)]).toEqual([]);
  });
});

describe("build information", () => {
  it("is the version of package.json and the revision of the image", () => {
    expect(readBuildInfo({}).version).toMatch(/^\d+\.\d+\.\d+/);
    expect(readBuildInfo({}).revision).toBe("");
    expect(readBuildInfo({ PRTG_EXPORTER_REVISION: "0123abc" }).revision).toBe("0123abc");
  });
});
