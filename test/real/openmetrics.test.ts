import { beforeAll, describe, expect, test, vi } from "vitest";
import { differences, seriesKey } from "../support/expected-series.ts";
import { parseFamilies, parsePage } from "../support/parse-sample.ts";
import { type OpenMetricsFamily, parseOpenMetrics } from "./support/openmetrics-parser.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { startScrapedExporter } from "./support/scraped-exporter.ts";

/** Changes on each page: process, Node.js and the page count. */
const MOVING = /^(process|nodejs)_|^prtg_exporter_(scrapes_total|otlp_oldest_pending_age_seconds)$/;

describeWithPrograms(["python-openmetrics"], "OpenMetrics parser", (paths) => {
  describe.each([
    { spelling: "live", size: {}, least: 30_000 },
    { spelling: "specification", size: { sensors: 300 }, least: 3_000 },
  ] as const)("page of a server in the spelling of $spelling", ({ spelling, size, least }) => {
    let text = "";
    let page = "";
    let families: OpenMetricsFamily[];

    beforeAll(async () => {
      const exporter = await startScrapedExporter({ size, simulator: { spelling } });
      try {
        for (let polls = 0; polls < 2; polls++) expect(await exporter.poll()).toBe(true);
        // Each format appears in the metrics of the next page.
        for (const accept of ["text/plain", "application/openmetrics-text"]) await exporter.fetchPage(accept);
        // Histograms lag a second: wait until pages include all requests.
        await vi.waitFor(
          async () => {
            page = await exporter.fetchPage("application/openmetrics-text; version=1.0.0");
            text = await exporter.fetchPage("text/plain");
            for (const each of [page, text]) {
              const timed = total(each, "prtg_exporter_api_request_duration_seconds_count");
              expect(timed).toBe(total(each, "prtg_exporter_api_requests_total"));
            }
          },
          { timeout: 120_000, interval: 200 },
        );
      } finally {
        await exporter.close();
      }
      const outcome = await parseOpenMetrics(paths["python-openmetrics"], page);
      if (!outcome.ok) throw new Error(outcome.error);
      ({ families } = outcome);
    });

    test("differs from the text format", () => {
      expect(page.endsWith("\n# EOF\n")).toBe(true);
      expect(text).not.toContain("# EOF");
    });

    test("has families, types and help of the text format", () => {
      const found = families.map(({ name, type, help }) => [
        name + (type === "counter" ? "_total" : ""),
        { type, help },
      ]);
      expect(found.length).toBeGreaterThan(50);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(parseFamilies(text)));
    });

    test("has a unit if the name ends in one", () => {
      const units = new Map(families.map(({ name, unit }) => [name, unit]));
      const expected = [...units.keys()].map((name) => [name, /_(seconds|bytes)$/.exec(name)?.[1] ?? ""] as const);
      expect(units).toEqual(new Map(expected));
      expect(units.get("prtg_sensor_interval_seconds")).toBe("seconds");
    });

    test("has exactly the samples of the text format", () => {
      const samples = families.flatMap((family) => family.samples);
      expect(samples.filter(({ timestamp }) => timestamp !== null)).toEqual([]);
      const read = new Map(samples.map(({ name, labels, value }) => [seriesKey(name, labels), value]));
      expect(read.size).toBe(samples.length);
      expect(read.size).toBeGreaterThan(least);
      const written = [...parsePage(text).values()];
      const expected = new Map(written.map(({ name, labels, value }) => [seriesKey(name, labels), readNumber(value)]));
      expect(differences(still(expected), still(read)).slice(0, 10)).toEqual([]);
      const names = (list: Iterable<{ readonly name: string }>) => new Set(Array.from(list, ({ name }) => name));
      expect(names(samples)).toEqual(names(written));
    });
  });
});

function still(series: Map<string, number>): Map<string, number> {
  return new Map([...series].filter(([key]) => !MOVING.test(key.slice(0, key.indexOf("[")))));
}

function readNumber(text: string): number {
  return Number(text.replace(/Inf$/, "Infinity"));
}

/** Sum of all series with a name. */
function total(page: string, name: string): number {
  const values = [...parsePage(page).values()]
    .filter((sample) => sample.name === name)
    .map(({ value }) => Number(value));
  expect(values).not.toEqual([]);
  return values.reduce((sum, value) => sum + value, 0);
}
