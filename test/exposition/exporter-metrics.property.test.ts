import fc from "fast-check";
import { expect, test } from "vitest";
import { renderExporterMetrics } from "../../src/exposition/exporter-metrics.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";

const samples = (page: string) => page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

type Metrics = ReturnType<typeof emptyMetrics>;

const server = fc.constantFrom("hq", "münchen", 'a "b"\\\n');
const endpoint = fc.constantFrom("/health", "/experimental/sensors");
const value = fc.integer({ min: 0, max: 12 });

const change: fc.Arbitrary<(metrics: Metrics) => void | Promise<void>> = fc.oneof(
  fc.tuple(server, value).map(([name, number]) => (metrics: Metrics) => {
    metrics.recorder(EXPORTER_METRICS.objects, { server: name }, false).orphans(number);
  }),
  fc.tuple(server, endpoint).map(([name, path]) => (metrics: Metrics) => {
    metrics.recorder(EXPORTER_METRICS.server, { server: name }, false).requests({ endpoint: path, code: "200" });
  }),
  fc.tuple(server, endpoint, value).map(([name, path, number]) => (metrics: Metrics) => {
    metrics.recorder(EXPORTER_METRICS.server, { server: name }, false).requestDuration({ endpoint: path }, number);
  }),
  server.map((name) => (metrics: Metrics) => serverRecorder(metrics, name).forget()),
  server.map((name) => (metrics: Metrics) => void serverRecorder(metrics, name)),
  fc
    .constantFrom(EXPORTER_METRICS.server.requestDuration, EXPORTER_METRICS.objects.orphans)
    .map((metric) => (metrics: Metrics) => metrics.clear(metric)),
  fc.constantFrom("server", "endpoint").map((detail) => (metrics: Metrics) => {
    if (detail === "server" || detail === "endpoint") metrics.setApiDetail(detail);
  }),
);

test("pages match the registry after any records and removals", async () => {
  const rounds = fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const metrics = emptyMetrics();
      for (const changes of all) {
        for (const make of changes) await make(metrics);
        const page = await renderExporterMetrics(metrics.registry, "text", new ManualClock());
        expect(samples(Buffer.concat(page).toString())).toEqual(samples(await metrics.registry.metrics()));
      }
    }),
    { numRuns: 50 },
  );
});
