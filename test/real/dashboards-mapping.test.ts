import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CHANNEL_QUERIES,
  type ChannelQuery,
  JOBS,
  SERVED,
  type ServedJob,
  samplesOf,
  shown,
  stillWorld,
  subjects,
  WORLD_TIME,
} from "../support/channel-panels.ts";
import { promqlAnswer, type Sample } from "../support/promql-answer.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";

/** The same channels under different names. */

describe.each(["prometheus-2", "prometheus-3"] as const)("panels about channels, with %s", (version) => {
  describeWithPrograms([version], "channels in metrics of mapping rules", (programs) => {
    const exporters = new Map<ServedJob, ScrapedExporter>();
    let prometheus: Prometheus;
    let samples: Sample[];
    let devices: string[];
    /** Unix seconds. Later ones may fail under load. */
    let scrapedAt: ReadonlyMap<string, number>;

    beforeAll(async () => {
      for (const job of JOBS) {
        const exporter = await startScrapedExporter({ settings: SERVED[job], simulator: { world: stillWorld() } });
        exporters.set(job, exporter);
        exporter.simulator.freezeAt(WORLD_TIME);
        expect(await exporter.poll()).toBe(true);
      }
      const pages = [...exporters].map(async ([job, exporter]) => samplesOf(await exporter.fetchPage(), job));
      samples = (await Promise.all(pages)).flat();
      devices = [...new Set(samples.map(({ labels }) => labels.device ?? ""))];
      prometheus = await Prometheus.start({
        binary: programs[version],
        target: exporters.get("plain")?.address,
        scrapeJob: {
          static_configs: [...exporters].map(([job, { address }]) => ({ targets: [address], labels: { job } })),
        },
      });
      scrapedAt = await prometheus.goodScrapes();
    });

    afterAll(async () => {
      await prometheus?.stop();
      for (const exporter of exporters.values()) await exporter.close();
    });

    async function ask(query: ChannelQuery, job: ServedJob): Promise<Sample[]> {
      const series = await prometheus.query(query.exprFor(job, devices), scrapedAt.get(job));
      return series.map(({ labels, points }) => ({ labels, value: points[0]?.value ?? Number.NaN }));
    }

    test.each(CHANNEL_QUERIES.map((query) => [query.name, query] as const))(
      "%s shows the same channels under any rules",
      async (_name, query) => {
        const displayed = await ask(query, "plain");
        expect(displayed.length).toBeGreaterThan(0);
        expect(shown(await ask(query, "both"))).toEqual(shown(displayed));
        const mapped = await ask(query, "mapped");
        expect(subjects(mapped)).toEqual(subjects(displayed));
        // The unit tests use synthetic answers.
        expect(shown(mapped)).toEqual(shown(promqlAnswer(query.exprFor("mapped", devices), samples)));
      },
    );
  });
});
