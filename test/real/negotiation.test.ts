import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { parsePage } from "../support/parse-sample.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { type Access, type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";

interface Job {
  /** Scrape configuration besides the target. */
  readonly settings: Record<string, unknown>;
  readonly contentType: string;
  readonly contentEncoding?: string;
  /** Names of two families in this job. */
  readonly family?: string;
  readonly counter?: string;
}

const OPENMETRICS = "application/openmetrics-text";
const PROTOCOLS = (...names: string[]) => ({ scrape_protocols: names });

const JOBS: Record<"prometheus-2" | "prometheus-3", Record<string, Job>> = {
  "prometheus-2": {
    by_itself: { settings: {}, contentType: `${OPENMETRICS}; version=1.0.0; charset=utf-8` },
  },
  "prometheus-3": {
    by_itself: {
      settings: {},
      contentType: `${OPENMETRICS}; version=1.0.0; charset=utf-8; escaping=allow-utf-8`,
    },
    openmetrics_0_0_1: {
      settings: PROTOCOLS("OpenMetricsText0.0.1"),
      contentType: `${OPENMETRICS}; version=0.0.1; charset=utf-8`,
    },
    text_1_0_0: {
      settings: PROTOCOLS("PrometheusText1.0.0"),
      contentType: "text/plain; version=1.0.0; charset=utf-8; escaping=allow-utf-8",
    },
    text_0_0_4: {
      settings: PROTOCOLS("PrometheusText0.0.4"),
      contentType: "text/plain; version=0.0.4; charset=utf-8",
    },
    text_before_openmetrics: {
      settings: PROTOCOLS("PrometheusText0.0.4", "OpenMetricsText1.0.0"),
      contentType: "text/plain; version=0.0.4; charset=utf-8",
    },
    // The exporter does not support Protobuf.
    protobuf_first: {
      settings: PROTOCOLS("PrometheusProto", "OpenMetricsText1.0.0", "PrometheusText0.0.4"),
      contentType: `${OPENMETRICS}; version=1.0.0; charset=utf-8; escaping=allow-utf-8`,
    },
    old_names: {
      settings: { metric_name_validation_scheme: "legacy", metric_name_escaping_scheme: "underscores" },
      contentType: `${OPENMETRICS}; version=1.0.0; charset=utf-8; escaping=underscores`,
    },
    dots: {
      settings: { metric_name_escaping_scheme: "dots" },
      contentType: `${OPENMETRICS}; version=1.0.0; charset=utf-8; escaping=dots`,
      family: "prtg__channel__value",
      counter: "prtg__exporter__scrapes__total",
    },
    uncompressed: {
      settings: { enable_compression: false },
      contentType: `${OPENMETRICS}; version=1.0.0; charset=utf-8; escaping=allow-utf-8`,
      contentEncoding: "identity",
    },
  },
};

for (const [program, jobs] of Object.entries(JOBS) as ["prometheus-2" | "prometheus-3", Record<string, Job>][]) {
  describeWithPrograms([program], `content negotiation with ${program}`, (paths) => {
    let exporter: ScrapedExporter;
    let prometheus: Prometheus;
    /** Unix seconds of all queries, so that later scrapes change nothing. */
    let now: number;
    /** Values on the page then. */
    let served: number;

    beforeAll(async () => {
      exporter = await startScrapedExporter({ size: { sensors: 100 } });
      await exporter.poll();
      prometheus = await Prometheus.start({
        binary: paths[program],
        target: exporter.address,
        flags: ["--log.level=debug"],
        config: {
          scrape_configs: Object.entries(jobs).map(([name, { settings }]) => ({
            job_name: name,
            params: { job: [name] },
            static_configs: [{ targets: [exporter.address] }],
            ...settings,
          })),
        },
      });
      for (let cycle = 0; cycle < 3; cycle++) await prometheus.nextScrape();
      await vi.waitFor(
        async () => {
          // No earlier scrape is still running.
          const [oldest] = await prometheus.query("min(timestamp(up))");
          now = oldest?.points[0]?.value ?? 0;
          expect(await prometheus.query("up == 1", now)).toHaveLength(Object.keys(jobs).length);
        },
        { timeout: 60_000 },
      );
      const page = parsePage(await exporter.fetchPage());
      served = [...page.values()].filter((sample) => sample.name === "prtg_channel_value").length;
      expect(served).toBeGreaterThan(100);
    });

    afterAll(async () => {
      await prometheus?.stop();
      await exporter?.close();
    });

    describe.each(Object.entries(jobs))("%s", (name, job) => {
      test("negotiates the form of the page", () => {
        const accesses = accessesOf(name);
        expect(accesses.length).toBeGreaterThanOrEqual(3);
        const forms = new Set(accesses.map(({ contentType, contentEncoding }) => `${contentType}, ${contentEncoding}`));
        expect([...forms]).toEqual([`${job.contentType}, ${job.contentEncoding ?? "gzip"}`]);
      });

      test("reads the page", async () => {
        expect(await single(`up{job="${name}"}`)).toBe(1);
        expect(failuresOf(name)).toEqual([]);
        const [format] = job.contentType.split(";");
        const counter = `${job.counter ?? "prtg_exporter_scrapes_total"}{job="${name}", format="${format}"}[5m]`;
        expect(await single(`changes(${counter}) - count_over_time(${counter})`)).toBe(-1);
        expect(await single(`count(${job.family ?? "prtg_channel_value"}{job="${name}"})`)).toBe(served);
      });
    });

    test("every page counts under its format", async () => {
      await prometheus.stop();
      const answered = () => countBy(exporter.accesses.map(({ contentType }) => contentType.split(";")[0] ?? ""));
      const counted = async () => {
        const values = await exporter.exporter.metrics.samples(EXPORTER_METRICS.exposition.scraped);
        return new Map(values.map(({ labels, value }) => [String(labels.format), value]));
      };
      // Running ones end a moment later.
      await vi.waitFor(async () => expect(await counted()).toEqual(answered()), { timeout: 30_000 });
    });

    function accessesOf(job: string): Access[] {
      return exporter.accesses.filter(
        ({ url, userAgent }) => url === `/metrics?job=${job}` && userAgent.startsWith("Prometheus/"),
      );
    }

    /** Failed scrapes, except timeouts, which only show a busy machine. */
    function failuresOf(job: string): string[] {
      const failed = new RegExp(
        `msg="(Scrape|Append) failed".* scrape_pool=${job} |scrape_pool=${job} .*msg="(Scrape|Append) failed"`,
      );
      const lines = prometheus.log().split("\n");
      return lines.filter((line) => failed.test(line) && !line.includes("deadline exceeded"));
    }

    async function single(query: string): Promise<number | undefined> {
      const series = await prometheus.query(query, now);
      expect(series).toHaveLength(1);
      return series[0]?.points[0]?.value;
    }
  });
}

function countBy(keys: Iterable<string>): Map<string, number> {
  return new Map([...Map.groupBy(keys, (key) => key)].map(([key, equal]) => [key, equal.length]));
}
