import { expect, test } from "vitest";
import { MetricSamples } from "../../src/app/reports/metric-samples.ts";
import { renderExporterMetrics } from "../../src/exposition/exporter-metrics.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { TimeSlices } from "../../src/lib/yielding.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { EXPORTER_FAMILIES } from "../../src/telemetry/metric-declarations.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { turnsDuring } from "../support/event-loop-turns.ts";

const ENDPOINTS = Array.from({ length: 10 }, (_, index) => `/endpoint/${index}`);

function metricsOf(servers: number, detail: "server" | "endpoint" = "endpoint"): ExporterMetrics {
  const metrics = new ExporterMetrics({ version: "1", revision: "" }, () => []);
  metrics.setApiDetail(detail);
  for (let index = 0; index < servers; index++) {
    const server = serverRecorder(metrics, `s${index}`);
    for (const endpoint of ENDPOINTS) {
      server.requestStarted(endpoint);
      server.requestFinished({ endpoint, code: "200", durationMs: 5, bytes: 10 });
    }
  }
  return metrics;
}

/** 1 ms per reading: long work gives turns to others. */
function countingClock(): Clock {
  let ms = 0;
  const nobody = () => {
    throw new Error("nobody waits here");
  };
  return { now: () => 0, monotonic: () => ms++, after: nobody, sleep: nobody };
}

/** Every reading ends a slice. */
function busyClock(): Clock {
  let ms = 0;
  return Object.assign(countingClock(), {
    monotonic: () => {
      ms += 100;
      return ms;
    },
  });
}

test("with many servers, reads and writes of exporter metrics yield often and stop when the reader leaves", async () => {
  const metrics = metricsOf(600);
  const reading = (signal?: AbortSignal) => {
    const slices = new TimeSlices(countingClock(), signal);
    return MetricSamples.read(metrics, { families: EXPORTER_FAMILIES }, slices);
  };
  expect(await turnsDuring(() => reading())).toBeGreaterThan(10);
  await expect(reading(AbortSignal.abort())).rejects.toThrow("abort");
  const { body } = negotiateFormat({});
  expect(await turnsDuring(() => renderExporterMetrics(metrics.registry, body, busyClock()))).toBeGreaterThan(4);
});

test("on a busy machine, a scrape still takes few turns of the event loop", async () => {
  const { registry } = metricsOf(500, "server");
  expect(await turnsDuring(() => renderExporterMetrics(registry, "text", busyClock()))).toBeLessThan(15);
});
