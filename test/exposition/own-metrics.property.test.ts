import fc from "fast-check";
import { expect, test } from "vitest";
import { LineBuffer } from "../../src/exposition/line-buffer.ts";
import { OwnMetricsRenderer } from "../../src/exposition/own-metrics-renderer.ts";
import { SeriesLines } from "../../src/exposition/series-lines.ts";
import { OWN_METRICS } from "../../src/telemetry/own-metrics.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { readInstrument } from "../../src/telemetry/recording.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";

const NO_TURNS = { step: () => undefined };

const text = (page: readonly Buffer[]) => Buffer.concat(page).toString();
const samples = (page: string) => page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

type Metrics = ReturnType<typeof emptyMetrics>;

const server = fc.constantFrom("hq", "münchen", 'a "b"\\\n');
const endpoint = fc.constantFrom("/health", "/experimental/sensors");
const value = fc.integer({ min: 0, max: 12 });

const change: fc.Arbitrary<(metrics: Metrics) => void> = fc.oneof(
  fc.tuple(server, value).map(([name, number]) => (metrics: Metrics) => {
    metrics.recorder(OWN_METRICS.objects, { server: name }, false).orphans(number);
  }),
  fc.tuple(server, endpoint).map(([name, path]) => (metrics: Metrics) => {
    metrics.recorder(OWN_METRICS.server, { server: name }, false).requests(path, "200");
  }),
  fc.tuple(server, endpoint, value).map(([name, path, number]) => (metrics: Metrics) => {
    metrics.recorder(OWN_METRICS.server, { server: name }, false).requestDuration(path, number);
  }),
  server.map((name) => (metrics: Metrics) => serverRecorder(metrics, name).gone()),
  server.map((name) => (metrics: Metrics) => void serverRecorder(metrics, name)),
  fc
    .constantFrom(OWN_METRICS.server.requestDuration, OWN_METRICS.objects.orphans)
    .map((metric) => (metrics: Metrics) => metrics.clear(metric)),
  fc.constantFrom("server", "endpoint").map((detail) => (metrics: Metrics) => {
    if (detail === "server" || detail === "endpoint") metrics.setApiDetail(detail);
  }),
);

test("pages have the samples of the registry, whatever was recorded or dropped between them", async () => {
  const rounds = fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const metrics = emptyMetrics();
      const pages = new OwnMetricsRenderer(metrics.registry, new ManualClock());
      const sent: { readonly page: readonly Buffer[]; readonly shown: string }[] = [];
      for (const changes of all) {
        for (const make of changes) make(metrics);
        const page = await pages.render("text");
        const shown = text(page);
        expect(samples(shown)).toEqual(samples(await metrics.registry.metrics()));
        const fresh = new OwnMetricsRenderer(metrics.registry, new ManualClock());
        expect(shown).toBe(text(await fresh.render("text")));
        sent.push({ page, shown });
      }
      // Readers may take their time.
      for (const { page, shown } of sent) expect(text(page)).toBe(shown);
    }),
    { numRuns: 50 },
  );
});

test("what changes while lines are written is in those of the next page", async () => {
  const rounds = fc.array(fc.array(fc.option(change, { nil: undefined }), { maxLength: 10 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const metrics = emptyMetrics();
      for (const name of ["hq", "münchen", "attic"]) serverRecorder(metrics, name).orphans(1);
      const buffer = new LineBuffer();
      const families = [OWN_METRICS.objects.orphans, OWN_METRICS.server.requests, OWN_METRICS.server.requestDuration];
      const known = families.map(({ name }) => ({ name, lines: new SeriesLines(name, buffer) }));
      const read = (name: string) => {
        const state = readInstrument(metrics.registry.getSingleMetric(name));
        if (state === undefined) throw new Error(`${name} cannot be read`);
        return state;
      };
      for (const changes of all) {
        const left = [...changes];
        const step = async () => left.shift()?.(metrics);
        for (const { name, lines } of known) await lines.render(read(name), { step });
        for (const { name, lines } of known) {
          const fresh = new SeriesLines(name, new LineBuffer());
          const expected = await fresh.render(read(name), NO_TURNS);
          expect((await lines.render(read(name), NO_TURNS)).toString()).toBe(expected.toString());
        }
      }
    }),
    { numRuns: 200 },
  );
});
