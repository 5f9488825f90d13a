import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { OwnMetricsRenderer } from "../../src/exposition/own-metrics-renderer.ts";
import type { ExpositionFormat } from "../../src/exposition/text-format.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";

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
    const line = Buffer.concat(await pages.render("text"))
      .toString()
      .split("\n")
      .find((each) => each.startsWith(`${name} `));
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

test("has the buffers of the page before but for what was recorded since", async () => {
  const metrics = emptyMetrics();
  const pages = new OwnMetricsRenderer(metrics.registry, new ManualClock());
  const [hq] = [serverRecorder(metrics, "hq"), serverRecorder(metrics, "attic")];
  const families = async (format: ExpositionFormat) => {
    const page = await pages.render(format);
    return new Map(page.map((buffer) => [/^prtg_\w+/.exec(buffer.toString())?.[0], buffer]));
  };
  const before = await families("text");
  hq.up(true);
  hq.orphans(0);
  const after = await families("openmetrics");
  const others = [...after].filter(([name, buffer]) => name !== undefined && before.get(name) !== buffer);
  expect(others.map(([, buffer]) => buffer.toString())).toEqual([
    'prtg_up{server="hq"} 1\nprtg_up{server="attic"} 0\n',
  ]);
  expect(before.get("prtg_up")?.toString()).toBe('prtg_up{server="hq"} 0\nprtg_up{server="attic"} 0\n');
  expect(after.size).toBeGreaterThan(10);
});

test("has every metric once, and the end of the page", async () => {
  const { pages } = exporter();
  await pages.measureProcess(new Set(["openmetrics"]));
  const text = Buffer.concat(await pages.render("openmetrics")).toString();
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
