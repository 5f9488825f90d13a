import { pino } from "pino";
import { expect, test } from "vitest";
import { PageWatch } from "../../src/app/metrics-page.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";

function setUp() {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const metrics = new ExporterMetrics({ version: "1.2.3", revision: "abc" }, () => []);
  return { lines, metrics, watch: new PageWatch(metrics, log) };
}

test("logs dropped series when they start, change by more than a tenth, and end", async () => {
  const { lines, metrics, watch } = setUp();
  for (const count of [0, 0, 100, 100, 105, 95, 120, 121, 0, 0]) {
    watch.dropped(count === 0 ? new Map() : new Map([["prtg_channel_value", count]]));
    expect(watch.droppedOf("prtg_channel_value")).toBe(count);
    expect(watch.droppedOf("prtg_sensor_info")).toBe(0);
    const values = await metrics.samples(EXPORTER_METRICS.exposition.droppedSeries);
    const expected = count === 0 ? [] : [{ labels: { family: "prtg_channel_value" }, value: count }];
    expect(values).toEqual(expected);
  }
  expect(lines.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "series are dropped",
    "series are dropped",
    "the metrics page",
  ]);
});

test("warns once of a page that vmagent would reject", () => {
  const { lines, watch } = setUp();
  watch.rendered(16 * 1024 * 1024);
  expect(lines).toEqual([]);
  watch.rendered(16 * 1024 * 1024 + 1);
  watch.rendered(90 * 1024 * 1024);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("vmagent and VictoriaMetrics");
  expect(lines[0]).toContain("-promscrape.maxScrapeSize");
});
