import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { OTEL_NAMING, registryMetrics } from "../../src/otlp/registry-metrics.ts";

const SPAN = { start: [1_000, 0] as [number, number], end: [2_000, 5] as [number, number] };

function registryWith(build: (registers: Registry[]) => void): Registry {
  const registry = new Registry();
  build([registry]);
  return registry;
}

test("counters are monotonic cumulative sums since the start", async () => {
  const registry = registryWith((registers) => {
    const counter = new Counter({ name: "prtg_exporter_x_bytes_total", help: "X.", labelNames: ["server"], registers });
    counter.inc({ server: "hq" }, 3);
    counter.inc({ server: "lab" }, 0);
  });
  expect(await registryMetrics(registry, SPAN)).toMatchObject([
    {
      descriptor: { name: "prtg.exporter_x_bytes_total", description: "X.", unit: "By" },
      isMonotonic: true,
      aggregationTemporality: 1,
      dataPoints: [
        { startTime: SPAN.start, endTime: SPAN.end, attributes: { server: "hq" }, value: 3 },
        { startTime: SPAN.start, endTime: SPAN.end, attributes: { server: "lab" }, value: 0 },
      ],
    },
  ]);
});

test("gauges have no start, and need a number", async () => {
  const registry = registryWith((registers) => {
    new Gauge({ name: "prtg_up", help: "Up.", labelNames: ["server"], registers }).set({ server: "hq" }, 1);
    new Gauge({ name: "nodejs_lag_seconds", help: "Lag.", registers }).set(Number.NaN);
    new Gauge({ name: "prtg_none", help: "None.", labelNames: ["server"], registers });
  });
  expect(await registryMetrics(registry, SPAN)).toMatchObject([
    {
      descriptor: { name: "prtg.up", unit: "" },
      dataPoints: [{ startTime: [0, 0], endTime: SPAN.end, attributes: { server: "hq" }, value: 1 }],
    },
  ]);
});

test("histograms keep their buckets with counts between bounds", async () => {
  const registry = registryWith((registers) => {
    const histogram = new Histogram({
      name: "prtg_exporter_duration_seconds",
      help: "Duration.",
      labelNames: ["server", "endpoint"],
      buckets: [0.1, 1, 10],
      registers,
    });
    for (const seconds of [0.05, 0.1, 0.5, 20, 30]) histogram.observe({ server: "hq", endpoint: "/a" }, seconds);
    histogram.observe({ server: "hq", endpoint: "/b" }, 2);
  });
  const [metric, ...more] = await registryMetrics(registry, SPAN);
  expect(more).toEqual([]);
  expect(metric).toMatchObject({
    descriptor: { name: "prtg.exporter_duration_seconds", unit: "s" },
    aggregationTemporality: 1,
  });
  expect(metric?.dataPoints).toEqual([
    {
      startTime: SPAN.start,
      endTime: SPAN.end,
      attributes: { server: "hq", endpoint: "/a" },
      value: { buckets: { boundaries: [0.1, 1, 10], counts: [2, 1, 0, 2] }, sum: 50.65, count: 5 },
    },
    {
      startTime: SPAN.start,
      endTime: SPAN.end,
      attributes: { server: "hq", endpoint: "/b" },
      value: { buckets: { boundaries: [0.1, 1, 10], counts: [0, 0, 1, 0] }, sum: 2, count: 1 },
    },
  ]);
});

test("metrics of the process arrive complete", async () => {
  const registry = registryWith((registers) => {
    for (const register of registers) collectDefaultMetrics({ register });
  });
  const metrics = await registryMetrics(registry, SPAN);
  const points = metrics.flatMap(({ dataPoints }) => dataPoints.map(({ value }) => value));
  expect(metrics.length).toBeGreaterThan(15);
  const numbers = points.filter((value) => typeof value === "number");
  expect(numbers.length).toBeGreaterThan(25);
  expect(numbers.filter((value) => !Number.isFinite(value))).toEqual([]);
  expect(metrics.map(({ descriptor }) => descriptor.name)).toContain("process.cpu_seconds_total");
});

test("the profile otel renames our metrics and keeps those of libraries", async () => {
  const registry = new Registry();
  const labelNames = ["server", "collector"];
  new Histogram({ name: "prtg_exporter_run_seconds", help: "Runs.", labelNames, registers: [registry] }).observe(
    { server: "hq", collector: "tree" },
    0.3,
  );
  new Counter({ name: "prtg_exporter_read_bytes_total", help: "Bytes.", registers: [registry] }).inc(4);
  new Gauge({ name: "nodejs_heap_size_used_bytes", help: "Heap.", labelNames: ["space"], registers: [registry] }).set(
    { space: "new" },
    7,
  );
  const metrics = await registryMetrics(registry, SPAN, OTEL_NAMING);
  expect(metrics.map(({ descriptor: { name, unit }, dataPoints: [point] }) => [name, unit, point?.attributes])).toEqual(
    [
      ["prtg.exporter.run", "s", { "prtg.server.name": "hq", "prtg.exporter.collector": "tree" }],
      ["prtg.exporter.read", "By", {}],
      ["nodejs.heap_size_used_bytes", "By", { space: "new" }],
    ],
  );
});
