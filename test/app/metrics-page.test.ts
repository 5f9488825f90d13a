import { pino } from "pino";
import { expect, test } from "vitest";
import { createMetricsPage, PageWatch } from "../../src/app/metrics-page.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { shardKeyOf } from "../../src/store/shard-key.ts";
import { Store } from "../../src/store/store.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { testContext } from "../support/simulated-exporter.ts";

const FAMILY = { name: "prtg_test", type: "gauge", help: "", labels: ["sensor_id"] } as const;

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

test("limits the page to whole devices and counts their series", async () => {
  const store = new Store([FAMILY]);
  await store.commit(() => {
    const table = store.table(FAMILY);
    for (const device of ["40", "41", "42"]) {
      for (const id of ["a", "b", "c"]) table.set(table.add([`${device}${id}`], shardKeyOf("hq", device)), 1);
    }
  });
  const { exposition } = createMetricsPage(store, { maxSeries: 7, maxBytes: undefined }, testContext());
  const page = Buffer.concat(await exposition.page(negotiateFormat({}), "identity")).toString();
  const devices = [...page.matchAll(/^prtg_test\{sensor_id="(\d+)\w"\} 1$/gm)].map(([, device]) => device);
  expect(devices).toHaveLength(6);
  expect(new Set(devices).size).toBe(2);
  expect(page).toMatch(/^prtg_exporter_dropped_series\{family="prtg_test"\} 3$/m);
  expect(page).toMatch(/^prtg_exporter_series\{family="prtg_test"\} 6$/m);
});

test("measures the duration and size of pages by format and encoding", async () => {
  const { metrics, exposition } = createMetricsPage(
    new Store([FAMILY]),
    { maxSeries: undefined, maxBytes: undefined },
    testContext(),
  );
  await exposition.page(negotiateFormat({}), "identity");
  const { renderDuration, bytes } = EXPORTER_METRICS.exposition;
  const labelsOf = async (metric: typeof renderDuration | typeof bytes) =>
    (await metrics.samples(metric)).map(({ labels }) => labels);
  expect(await labelsOf(renderDuration)).toEqual([{ format: "text" }]);
  expect(await labelsOf(bytes)).toEqual([
    { format: "text", encoding: "gzip" },
    { format: "text", encoding: "identity" },
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
