import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { OwnMetricsRenderer } from "../../src/exposition/own-metrics-renderer.ts";
import type { ExpositionFormat } from "../../src/exposition/text-format.ts";

const TEXT: ReadonlySet<ExpositionFormat> = new Set(["text"]);

function exporter() {
  let now = 0;
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({ name: "prtg_exporter_requests_total", help: "Requests.", registers });
  let measured = 0;
  new Gauge({
    name: "process_memory_bytes",
    help: "Memory.",
    registers,
    collect() {
      this.set(++measured);
    },
  });
  const durations = new Histogram({
    name: "prtg_exporter_api_request_duration_seconds",
    help: "Durations.",
    buckets: [1],
    registers,
  });
  const pages = new OwnMetricsRenderer(registry, {
    now: () => now,
    monotonic: () => now,
    sleep: () => Promise.resolve(),
  });
  const value = async (name: string) => {
    const line = (await pages.render("text")).split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.split(" ")[1]);
  };
  return {
    requests,
    durations,
    pages,
    value,
    measured: () => measured,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("shows what the exporter did as it is, and what takes long to measure as of the last second", async () => {
  const { requests, durations, pages, value, pass } = exporter();
  expect(await value("process_memory_bytes")).toBe(1);
  await pages.measureProcess(TEXT);
  requests.inc();
  durations.observe(0.5);
  expect(await value("prtg_exporter_requests_total")).toBe(1);
  expect(await value("prtg_exporter_api_request_duration_seconds_count")).toBe(1);
  expect([await value("process_memory_bytes"), await value("process_memory_bytes")]).toEqual([2, 2]);
  pass(1_000);
  await pages.measureProcess(TEXT);
  expect(await value("process_memory_bytes")).toBe(3);
  expect(await value("prtg_exporter_api_request_duration_seconds_count")).toBe(1);
});

test("measures at the scrape where nothing was measured lately", async () => {
  const { pages, value, pass } = exporter();
  await value("process_memory_bytes");
  await pages.measureProcess(TEXT);
  pass(1_500);
  expect(await value("process_memory_bytes")).toBe(3);
});

test("measures nothing while nobody asks", async () => {
  const { pages, value, measured } = exporter();
  await pages.measureProcess(new Set());
  expect(measured()).toBe(0);
  await pages.measureProcess(TEXT);
  await pages.measureProcess(new Set());
  expect(measured()).toBe(1);
  expect(await value("process_memory_bytes")).toBe(2);
});

test("has every metric once, and the end of the page", async () => {
  const { pages } = exporter();
  await pages.measureProcess(new Set(["openmetrics"]));
  const text = await pages.render("openmetrics");
  const names = text
    .split("\n")
    .filter((line) => line.startsWith("# TYPE "))
    .map((line) => line.split(" ")[2]);
  expect(names.toSorted()).toEqual([
    "process_memory_bytes",
    "prtg_exporter_api_request_duration_seconds",
    "prtg_exporter_requests",
  ]);
  expect(text.endsWith("# EOF\n")).toBe(true);
});
