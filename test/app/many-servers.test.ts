import { expect, test } from "vitest";
import { RecordedMetrics } from "../../src/app/recorded-metrics.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { OwnMetricsRenderer } from "../../src/exposition/own-metrics-renderer.ts";
import { totalLength } from "../../src/lib/buffers.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { TimeSlices, yieldToEventLoop } from "../../src/lib/yielding.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { OWN_FAMILIES } from "../../src/telemetry/own-metrics.ts";
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

/** A millisecond goes by with each look, so that long work is known by the turns that it gives to others. */
function countingClock(): Clock {
  let ms = 0;
  return { now: () => 0, monotonic: () => ms++, sleep: () => Promise.reject(new Error("nobody sleeps here")) };
}

/** Each look finds that a slice is over, since others have had the processor. */
function busyClock(): Clock {
  let ms = 0;
  return Object.assign(countingClock(), {
    monotonic: () => {
      ms += 100;
      return ms;
    },
  });
}

test("with many servers, own metrics are read and written in many turns, and not for readers that have gone", async () => {
  const metrics = metricsOf(600);
  const reading = (signal?: AbortSignal) => {
    const slices = new TimeSlices(countingClock(), signal);
    return RecordedMetrics.read(metrics, { families: OWN_FAMILIES }, slices);
  };
  expect(await turnsDuring(() => reading())).toBeGreaterThan(10);
  await expect(reading(AbortSignal.abort())).rejects.toThrow("abort");
  const pages = new OwnMetricsRenderer(metrics.registry, busyClock());
  const { body } = negotiateFormat({});
  expect(await turnsDuring(() => pages.render(body))).toBeGreaterThan(4);
});

test("on a machine whose processors others have, a scrape still takes few turns of the event loop", async () => {
  const { registry } = metricsOf(500, "server");
  const pages = new OwnMetricsRenderer(registry, busyClock());
  expect(await turnsDuring(() => pages.render("text"))).toBeLessThan(15);
});

test("pages of own metrics that are asked for at a time are made one after the other, and waiting ones together", async () => {
  const { registry } = metricsOf(3);
  const pages = new OwnMetricsRenderer(registry, countingClock());
  const first = pages.render("text");
  await Promise.resolve();
  const [second, third] = [pages.render("text"), pages.render("text")];
  expect(first).not.toBe(second);
  expect(second).toBe(third);
  expect(await second).toBe(await third);
  expect(totalLength(await first)).toBeGreaterThan(0);
  expect(Buffer.concat([...(await first)]).equals(Buffer.concat([...(await second)]))).toBe(true);
});

test("pages and parts of them that are asked for at a time do not mix", async () => {
  const { registry } = metricsOf(300);
  const one = new OwnMetricsRenderer(registry, busyClock());
  const read = async (page: Promise<readonly Buffer[]>) => Buffer.concat([...(await page)]).toString();
  const page = await read(one.render("text"));
  const part = await read(one.renderOfServers("text", ["s3", "s200"]));
  expect(part).toContain('prtg_up{server="s3"} 0\nprtg_up{server="s200"} 0\n');
  const pages = new OwnMetricsRenderer(registry, busyClock());
  const asked = [pages.renderOfServers("text", ["s3", "s200"]), pages.render("text")];
  await yieldToEventLoop("reader");
  asked.push(pages.renderOfServers("text", ["s3", "s200"]));
  expect(await Promise.all(asked.map(read))).toEqual([part, page, part]);
});
