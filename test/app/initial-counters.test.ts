import { expect, test } from "vitest";
import {
  EXPORTER_FAMILIES,
  EXPORTER_METRICS,
  type MetricDeclaration,
} from "../../src/telemetry/metric-declarations.ts";
import {
  eventRecorder,
  measurementRecorder,
  otlpRecorder,
  serverRecorder,
  syncRecorder,
} from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

const COUNTERS = EXPORTER_FAMILIES.filter(({ type }) => type === "counter");

/** Counters without an initial series, and why. */
const LATER: ReadonlyMap<string, string> = new Map([
  [
    "prtg_exporter_api_requests_total",
    "codes and kinds of failure are many, and each would be a series of each server",
  ],
  ["prtg_exporter_api_endpoint_requests_total", "codes and kinds of failure are many"],
]);

/** Before the first request. */
async function beforeTheFirstPoll() {
  const running = await startSimulatedExporter({ size: { sensors: 1 } });
  await running.close();
  const { metrics } = running.exporter;
  otlpRecorder(metrics);
  measurementRecorder(metrics, "hq");
  eventRecorder(metrics, "hq");
  syncRecorder(metrics);
  metrics.beginMcp();
  return metrics;
}

test("every counter starts at zero, or has a documented reason", async () => {
  const metrics = await beforeTheFirstPoll();
  expect(COUNTERS.length).toBeGreaterThan(15);
  for (const metric of COUNTERS) {
    const { name, labels, detailLabels = [] } = metric;
    const values = await metrics.samples(metric);
    if (LATER.has(name)) {
      expect(values, name).toEqual([]);
      continue;
    }
    expect(values.length, name).toBeGreaterThan(0);
    for (const { value, labels: given } of values) {
      expect(value, name).toBe(0);
      expect(Object.keys(given).toSorted(), name).toEqual(
        labels.filter((label) => !detailLabels.includes(label)).toSorted(),
      );
    }
  }
});

test("counters by reason start with all reasons", async () => {
  const metrics = await beforeTheFirstPoll();
  const valuesOf = async (metric: MetricDeclaration) =>
    (await metrics.samples(metric)).map(({ labels }) => Object.values(labels).join()).toSorted();
  expect(await valuesOf(EXPORTER_METRICS.web.rejected)).toEqual(
    expect.arrayContaining(["requests", "slow_reader", "unauthorized", "connections"]),
  );
  expect(await valuesOf(EXPORTER_METRICS.otlp.attemptFailed)).toEqual([
    "live",
    "long",
    "medium",
    "repeated",
    "short",
    "state",
  ]);
  expect(await valuesOf(EXPORTER_METRICS.exposition.scraped)).toEqual(["application/openmetrics-text", "text/plain"]);
});

test("an optional endpoint starts with its first request", async () => {
  const metrics = emptyMetrics();
  metrics.setApiDetail("endpoint");
  const server = serverRecorder(metrics, "hq");
  const endpoint = "/experimental/timeseries/{id}/{type}";
  server.requestStarted(endpoint);
  server.requestStarted(endpoint);
  const retried = await metrics.samples(EXPORTER_METRICS.server.retried);
  expect(retried).toContainEqual({
    value: 0,
    labels: { server: "hq", endpoint },
  });
  // One series per endpoint, not per code.
  expect(retried.length).toBeLessThan(12);
});
