import { beforeEach, describe, expect, test } from "vitest";
import type { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { EXPORTER_METRICS, type MetricDeclaration } from "../../src/telemetry/metric-declarations.ts";
import { measurementRecorder, type ServerRecorder, serverRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";

let metrics: ExporterMetrics;
let server: ServerRecorder;

beforeEach(() => {
  metrics = emptyMetrics();
  metrics.setApiDetail("endpoint");
  server = serverRecorder(metrics, "hq");
  server.expect(["/health", "/objects/count"], ["/experimental/sensors", "/experimental/channels"]);
});

/** Values by `label=value,...`, without the common label `server`. */
async function seriesOf(metric: MetricDeclaration): Promise<Record<string, number>> {
  const values = await metrics.samples(metric);
  return Object.fromEntries(
    values.map(({ labels: { server: name, ...labels }, value }) => {
      expect(name).toBe("hq");
      const text = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
      return [text.join(), value];
    }),
  );
}

describe("reports of one server's client and collectors", () => {
  test("start at zero if an alert or rate waits for the first event", async () => {
    for (const metric of [
      EXPORTER_METRICS.server.up,
      EXPORTER_METRICS.server.breakerChanged,
      EXPORTER_METRICS.server.inFlight,
      EXPORTER_METRICS.objects.orphans,
      EXPORTER_METRICS.objects.waitingChannels,
    ]) {
      expect(await seriesOf(metric)).toEqual({ "": 0 });
    }
    expect(await seriesOf(EXPORTER_METRICS.objects.decodeProblem)).toEqual({
      "problem=record": 0,
      "problem=status": 0,
      "problem=value": 0,
      "problem=timestamp": 0,
      "problem=text": 0,
      "problem=secret": 0,
      "problem=summary": 0,
      "problem=lookup": 0,
      "problem=duplicate": 0,
    });
    server.collector("tree");
    expect(await seriesOf(EXPORTER_METRICS.collector.skipped)).toEqual({ "collector=tree": 0 });
    expect(await seriesOf(EXPORTER_METRICS.collector.enabled)).toEqual({ "collector=tree": 1 });
    // No run has ended yet.
    expect(await seriesOf(EXPORTER_METRICS.collector.success)).toEqual({});
    expect(await seriesOf(EXPORTER_METRICS.collector.lastSuccess)).toEqual({});
  });

  test("become gauges", async () => {
    server.up(true);
    server.waitingChannels(3);
    server.orphans(4);
    server.clockOffset(-1.5);
    server.breakerChanged(true);
    server.totalMismatch({ endpoint: "/experimental/sensors" }, -2);
    const gauges = [
      EXPORTER_METRICS.server.up,
      EXPORTER_METRICS.objects.waitingChannels,
      EXPORTER_METRICS.objects.orphans,
      EXPORTER_METRICS.server.clockOffset,
      EXPORTER_METRICS.server.breakerChanged,
    ];
    expect(await Promise.all(gauges.map(seriesOf))).toEqual([1, 3, 4, -1.5, 1].map((value) => ({ "": value })));
    expect(await seriesOf(EXPORTER_METRICS.server.totalMismatch)).toEqual({ "endpoint=/experimental/sensors": -2 });
    server.up(false);
    server.breakerChanged(false);
    expect(await seriesOf(EXPORTER_METRICS.server.up)).toEqual({ "": 0 });
    expect(await seriesOf(EXPORTER_METRICS.server.breakerChanged)).toEqual({ "": 0 });
  });

  test("count requests by endpoint and outcome, with durations in seconds", async () => {
    server.requestStarted("/health");
    server.requestStarted("/health");
    expect(await seriesOf(EXPORTER_METRICS.server.inFlight)).toEqual({ "": 2 });
    server.requestFinished({ endpoint: "/health", code: "204", durationMs: 20, bytes: 0 });
    server.requestFinished({ endpoint: "/health", code: "timeout", durationMs: 30_000, bytes: 7 });
    expect(await seriesOf(EXPORTER_METRICS.server.inFlight)).toEqual({ "": 0 });
    expect(await seriesOf(EXPORTER_METRICS.server.requests)).toEqual({
      "endpoint=/health,code=204": 1,
      "endpoint=/health,code=timeout": 1,
    });
    expect(await seriesOf(EXPORTER_METRICS.server.responseBytes)).toMatchObject({ "endpoint=/health": 7 });
    const values =
      (await metrics.registry.getSingleMetric(EXPORTER_METRICS.server.requestDuration.name)?.get())?.values ?? [];
    const find = (name: string, le?: string | number) =>
      values.find(
        (value) =>
          "metricName" in value &&
          String(value.metricName).endsWith(name) &&
          (le === undefined || value.labels.le === le),
      )?.value;
    expect([find("_count"), find("_bucket", 0.025), find("_bucket", 25), find("_bucket", "+Inf")]).toEqual([
      2, 1, 1, 2,
    ]);
    expect(find("_sum")).toBeCloseTo(30.02);
    server.retried({ endpoint: "/health" });
    server.listMoved({ endpoint: "/experimental/sensors" });
    server.decodeProblem("value", 5);
    server.decodeProblem("value", 2);
    expect(await seriesOf(EXPORTER_METRICS.server.retried)).toMatchObject({
      "endpoint=/health": 1,
      "endpoint=/objects/count": 0,
    });
    expect(await seriesOf(EXPORTER_METRICS.server.listMoved)).toMatchObject({
      "endpoint=/experimental/sensors": 1,
      "endpoint=/experimental/channels": 0,
    });
    expect(await seriesOf(EXPORTER_METRICS.objects.decodeProblem)).toMatchObject({ "problem=value": 7 });
  });

  test("keep each collector's last run and the time of its last success", async () => {
    const tree = server.collector("tree");
    tree.finished({ success: true, complete: true, durationSeconds: 1.5, finishedAt: 1_000 });
    tree.finished({ success: false, complete: false, durationSeconds: 2.5, finishedAt: 2_000 });
    tree.skipped();
    tree.enabled(false);
    const read = async (metric: MetricDeclaration) => (await seriesOf(metric))["collector=tree"];
    expect({
      success: await read(EXPORTER_METRICS.collector.success),
      complete: await read(EXPORTER_METRICS.collector.complete),
      duration: await read(EXPORTER_METRICS.collector.duration),
      lastSuccess: await read(EXPORTER_METRICS.collector.lastSuccess),
      skipped: await read(EXPORTER_METRICS.collector.skipped),
      enabled: await read(EXPORTER_METRICS.collector.enabled),
    }).toEqual({ success: 0, complete: 0, duration: 2.5, lastSuccess: 1_000, skipped: 1, enabled: 0 });
  });
});

test("each read asks for waiting rows, and gets none after the end", async () => {
  const waiting = new Map([["live", { points: 3, oldestAt: 4_000 }]]);
  const unfollow = measurementRecorder(metrics, "hq").followPending(
    () => waiting,
    () => 10_000,
  );
  const read = async () => [
    await seriesOf(EXPORTER_METRICS.measurements.pending),
    await seriesOf(EXPORTER_METRICS.measurements.oldestPending),
  ];
  expect(await read()).toMatchObject([{ "resolution=live": 3 }, { "resolution=live": 6 }]);
  waiting.set("live", { points: 5, oldestAt: 2_000 });
  expect(await read()).toMatchObject([{ "resolution=live": 5 }, { "resolution=live": 8 }]);
  unfollow();
  expect(await read()).toMatchObject([{ "resolution=live": 0 }, { "resolution=live": 0 }]);
});

test("a resolution without a backlog has no oldest point, nor has one whose points are newer than the server's clock", async () => {
  let now = 10_000;
  measurementRecorder(metrics, "hq").followPending(
    () => new Map([["live", { points: 3, oldestAt: 11_000 }]]),
    // The clock does not stand still between two looks.
    () => now++,
  );
  const none = { "resolution=live": 0, "resolution=short": 0, "resolution=medium": 0, "resolution=long": 0 };
  expect(await seriesOf(EXPORTER_METRICS.measurements.pending)).toEqual({ ...none, "resolution=live": 3 });
  expect(await seriesOf(EXPORTER_METRICS.measurements.oldestPending)).toEqual(none);
});
