import { expect, test } from "vitest";
import { MetricSamples } from "../../../src/app/reports/metric-samples.ts";
import {
  DETAIL_FAMILIES,
  MEASUREMENT_FAMILIES,
  measurementsReport,
  serverDetails,
} from "../../../src/app/reports/status-report.ts";
import type { Sample } from "../../../src/telemetry/exporter-metrics.ts";
import { EXPORTER_METRICS } from "../../../src/telemetry/metric-declarations.ts";
import { type ServerRecorder, serverRecorder } from "../../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const NOON = Date.UTC(2026, 0, 15, 12);

/** Details of `hq` beside another server. */
async function detailsOf(record: (hq: ServerRecorder) => void, endpoints = true) {
  const metrics = emptyMetrics();
  metrics.setApiDetail(endpoints ? "endpoint" : "server");
  serverRecorder(metrics, "branch").requests({ endpoint: "/b", code: "500" }, 99);
  record(serverRecorder(metrics, "hq"));
  const samples = await MetricSamples.read(metrics, { families: DETAIL_FAMILIES });
  return serverDetails({ clock: new ManualClock(NOON) }, "hq", [], samples, null);
}

test("a server without requests has zeros", async () => {
  const details = await detailsOf(() => undefined);
  expect(new Set(Object.values(details.problems.decode))).toEqual(new Set([0]));
  expect(details).toEqual({
    collectors: [],
    api: {
      ...{ breaker_open: false, in_flight: 0, requests: 0, failures: {}, clock_offset_seconds: 0 },
      endpoints: [],
    },
    problems: { decode: expect.any(Object), waiting_channels: 0, orphans: 0 },
    measurements: null,
  });
});

test("requests of a server are counted by endpoint, and failures by code", async () => {
  const { api } = await detailsOf((hq) => {
    hq.requests({ endpoint: "/a", code: "200" }, 3);
    hq.requests({ endpoint: "/a", code: "204" }, 1);
    hq.requests({ endpoint: "/a", code: "500" }, 2);
    hq.requests({ endpoint: "/b", code: "timeout" }, 9);
    hq.requestDuration({ endpoint: "/a" }, 0.05);
    hq.requestDuration({ endpoint: "/b" }, 900);
    hq.retried({ endpoint: "/a" });
    hq.responseBytes({ endpoint: "/a" }, 1_000);
    hq.requestStarted("/a");
    hq.breakerChanged(true);
    hq.clockOffset(1.5);
  });
  expect(api).toMatchObject({
    ...{ breaker_open: true, in_flight: 1, requests: 15, clock_offset_seconds: 1.5 },
    failures: { 500: 2, timeout: 9 },
  });
  expect(api.endpoints).toEqual([
    {
      ...{ endpoint: "/b", requests: 9, failures: { timeout: 9 }, retries: 0 },
      // Beyond the largest bucket.
      ...{ mean_seconds: 900, p95_seconds: null, received_bytes: 0 },
    },
    {
      ...{ endpoint: "/a", requests: 6, failures: { 500: 2 }, retries: 1 },
      ...{ mean_seconds: 0.05, p95_seconds: expect.any(Number), received_bytes: 1_000 },
    },
  ]);
});

test("requests have one row if metrics have no endpoints", async () => {
  const { api } = await detailsOf((hq) => hq.requests({ endpoint: "/a", code: "200" }, 3), false);
  expect(api.endpoints).toMatchObject([{ endpoint: "all", requests: 3, mean_seconds: null, p95_seconds: null }]);
});

test("a collector has times in ISO 8601, an age, and null for what is unknown", async () => {
  const samples = await MetricSamples.read(emptyMetrics(), { families: DETAIL_FAMILIES });
  const known = {
    name: "tree",
    state: "waiting",
    skippedRuns: 2,
    failedRuns: 1,
    complete: false,
    error: "no",
  } as const;
  const unknown = { ...known, complete: undefined, error: undefined };
  const times = { lastSuccessAt: NOON - 5_000, lastDurationMs: 1_500, nextRunAt: NOON + 1_000 };
  const none = { lastSuccessAt: undefined, lastDurationMs: undefined, nextRunAt: undefined };
  const collectors = [
    { ...known, ...times },
    { ...unknown, ...none },
    { ...unknown, ...none, lastSuccessAt: NOON + 9_000 },
  ];
  const details = serverDetails({ clock: new ManualClock(NOON) }, "hq", collectors, samples, null);
  expect(details.collectors).toMatchObject([
    {
      ...{ name: "tree", state: "waiting", skipped_runs: 2, failed_runs: 1, complete: false, error: "no" },
      ...{ last_success_at: "2026-01-15T11:59:55.000Z", age_seconds: 5 },
      ...{ last_duration_seconds: 1.5, next_run_at: "2026-01-15T12:00:01.000Z" },
    },
    {
      ...{ last_success_at: null, age_seconds: null, last_duration_seconds: null, next_run_at: null },
      ...{ complete: null, error: null },
    },
    // The clock went back.
    { age_seconds: 0 },
  ]);
});

test("measurements of one server, or of all, have the oldest of pending ones", async () => {
  const { measurements } = EXPORTER_METRICS;
  const families = MEASUREMENT_FAMILIES;
  const value = (server: string, of: number) => ({ metricName: "", labels: { server }, value: of });
  const given = new Map<string, readonly Sample[]>([
    [measurements.delivered.name, [value("hq", 5), value("branch", 7)]],
    [measurements.rejected.name, [value("hq", 1)]],
    [measurements.pending.name, [value("hq", 2), value("branch", 3)]],
    [measurements.oldestPending.name, [value("hq", 40), value("branch", 90)]],
    [measurements.deliveryFailed.name, [value("branch", 4)]],
    [measurements.dropped.name, [value("hq", 6)]],
  ]);
  const metrics = { samples: async ({ name }: { readonly name: string }) => given.get(name) ?? [] };
  const samples = await MetricSamples.read(metrics, { families });
  expect(measurementsReport(samples)).toEqual({
    ...{ delivered: 12, rejected: 1, pending: 5, oldest_pending_seconds: 90, failed_deliveries: 4, dropped: 6 },
  });
  expect(measurementsReport(samples, { server: "hq" })).toEqual({
    ...{ delivered: 5, rejected: 1, pending: 2, oldest_pending_seconds: 40, failed_deliveries: 0, dropped: 6 },
  });
});
