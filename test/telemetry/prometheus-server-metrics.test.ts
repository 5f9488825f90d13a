import type { Metric } from "prom-client";
import { beforeEach, describe, expect, it } from "vitest";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { PrometheusServerMetrics } from "../../src/telemetry/prometheus-server-metrics.ts";

let metrics: ExporterMetrics;
let server: PrometheusServerMetrics;

beforeEach(() => {
  metrics = new ExporterMetrics({ version: "1.2.3", revision: "" }, () => []);
  server = new PrometheusServerMetrics(metrics, "hq");
});

/** `label=value,...` to the value of the series; without the label `server`, which all have. */
async function seriesOf(metric: Metric): Promise<Record<string, number>> {
  const { values } = await metric.get();
  return Object.fromEntries(
    values.map(({ labels: { server: name, ...labels }, value }) => {
      expect(name).toBe("hq");
      const text = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
      return [text.join(), value];
    }),
  );
}

describe("what one server's client and collectors report", () => {
  it("begins at zero where an alert or a rate waits for the first event", async () => {
    for (const metric of [
      metrics.up,
      metrics.apiBreakerOpen,
      metrics.apiInFlight,
      metrics.orphans,
      metrics.waitingChannels,
    ]) {
      expect(await seriesOf(metric)).toEqual({ "": 0 });
    }
    expect(await seriesOf(metrics.decodeProblems)).toEqual({
      "problem=record": 0,
      "problem=status": 0,
      "problem=value": 0,
      "problem=timestamp": 0,
      "problem=text": 0,
      "problem=summary": 0,
      "problem=lookup": 0,
    });
    server.collector("tree");
    expect(await seriesOf(metrics.collectorSkippedRuns)).toEqual({ "collector=tree": 0 });
    expect(await seriesOf(metrics.collectorEnabled)).toEqual({ "collector=tree": 1 });
    // Nobody knows yet.
    expect(await seriesOf(metrics.collectorSuccess)).toEqual({});
    expect(await seriesOf(metrics.collectorLastSuccess)).toEqual({});
  });

  it("becomes gauges", async () => {
    server.up(true);
    server.waitingChannels(3);
    server.orphans(4);
    server.clockOffset(-1.5);
    server.breakerChanged(true);
    server.totalMismatch("/experimental/sensors", -2);
    const gauges = [metrics.up, metrics.waitingChannels, metrics.orphans, metrics.clockOffset, metrics.apiBreakerOpen];
    expect(await Promise.all(gauges.map(seriesOf))).toEqual([1, 3, 4, -1.5, 1].map((value) => ({ "": value })));
    expect(await seriesOf(metrics.apiTotalMismatch)).toEqual({ "endpoint=/experimental/sensors": -2 });
    server.up(false);
    server.breakerChanged(false);
    expect([await seriesOf(metrics.up), await seriesOf(metrics.apiBreakerOpen)]).toEqual([{ "": 0 }, { "": 0 }]);
  });

  it("counts requests by endpoint and outcome, with their durations in seconds", async () => {
    server.requestStarted("/health");
    server.requestStarted("/health");
    expect(await seriesOf(metrics.apiInFlight)).toEqual({ "": 2 });
    server.requestFinished({ endpoint: "/health", code: "204", durationMs: 20, bytes: 0 });
    server.requestFinished({ endpoint: "/health", code: "timeout", durationMs: 30_000, bytes: 7 });
    expect(await seriesOf(metrics.apiInFlight)).toEqual({ "": 0 });
    expect(await seriesOf(metrics.apiRequests)).toEqual({
      "endpoint=/health,code=204": 1,
      "endpoint=/health,code=timeout": 1,
    });
    expect(await seriesOf(metrics.apiResponseBytes)).toMatchObject({ "endpoint=/health": 7 });
    const { values } = await metrics.apiRequestDuration.get();
    const find = (name: string, le?: string | number) =>
      values.find(({ metricName, labels }) => metricName?.endsWith(name) && (le === undefined || labels.le === le))
        ?.value;
    expect([find("_count"), find("_bucket", 0.025), find("_bucket", 25), find("_bucket", "+Inf")]).toEqual([
      2, 1, 1, 2,
    ]);
    expect(find("_sum")).toBeCloseTo(30.02);
    server.retried("/health");
    server.listMoved("/experimental/sensors");
    server.decodeProblem("value", 5);
    server.decodeProblem("value", 2);
    expect(await seriesOf(metrics.apiRetries)).toMatchObject({ "endpoint=/health": 1, "endpoint=/objects/count": 0 });
    expect(await seriesOf(metrics.apiListsMoved)).toMatchObject({
      "endpoint=/experimental/sensors": 1,
      "endpoint=/experimental/channels": 0,
    });
    expect(await seriesOf(metrics.decodeProblems)).toMatchObject({ "problem=value": 7 });
  });

  it("tells of each collector's last run, and keeps the time of its last success", async () => {
    const tree = server.collector("tree");
    tree.finished({ success: true, complete: true, durationSeconds: 1.5, finishedAt: 1_000 });
    tree.finished({ success: false, complete: false, durationSeconds: 2.5, finishedAt: 2_000 });
    tree.skipped();
    tree.enabled(false);
    const read = (metric: Metric) => seriesOf(metric).then((series) => series["collector=tree"]);
    expect({
      success: await read(metrics.collectorSuccess),
      complete: await read(metrics.collectorComplete),
      duration: await read(metrics.collectorDuration),
      lastSuccess: await read(metrics.collectorLastSuccess),
      skipped: await read(metrics.collectorSkippedRuns),
      enabled: await read(metrics.collectorEnabled),
    }).toEqual({ success: 0, complete: 0, duration: 2.5, lastSuccess: 1_000, skipped: 1, enabled: 0 });
  });
});
