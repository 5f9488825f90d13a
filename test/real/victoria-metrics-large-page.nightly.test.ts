import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { describeWithPrograms } from "./support/programs.ts";
import { type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";
import { startVmagent, VictoriaMetrics, type Vmagent } from "./support/victoria-metrics.ts";

const MIB = 1024 * 1024;
/** Default of vmagent and VictoriaMetrics. */
const LIMIT = 16 * MIB;
const SIZE = { probes: 2, groups: 20, devices: 300, sensors: 4_000, channels: 40_000 };
const SHARDS = 2;
/** Stalls of a busy machine would fail scrapes too. */
const INTERVAL = "15s";
const PATIENT = { timeout: 200_000, interval: 1_000 };

/** Releases 1.115 to 1.134 measure compressed bytes, all others uncompressed ones. */
const UNCOMPRESSED = { disable_compression: true };

/** Scrape configuration by job. */
const JOBS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  by_itself: {},
  uncompressed: UNCOMPRESSED,
  raised: { ...UNCOMPRESSED, max_scrape_size: "64MiB" },
  ...Object.fromEntries(
    Array.from({ length: SHARDS }, (_, shard) => [
      `shard_${shard}`,
      { ...UNCOMPRESSED, params: { shard: [`${shard}/${SHARDS}`] } },
    ]),
  ),
};

describeWithPrograms(["victoria-metrics", "vmagent"], "a page of more than 16 MiB", (programs) => {
  let exporter: ScrapedExporter;
  let database: VictoriaMetrics;
  let agent: Vmagent;

  beforeAll(async () => {
    exporter = await startScrapedExporter({ size: SIZE });
    expect(await exporter.poll()).toBe(true);
    database = await VictoriaMetrics.start({
      binary: programs["victoria-metrics"],
      interval: INTERVAL,
      scrapeConfigs: Object.entries(JOBS).map(([name, settings]) => scrapeJob(name, settings)),
    });
  });

  afterAll(async () => {
    await agent?.stop();
    await database?.stop();
    await exporter?.close();
  });

  function scrapeJob(name: string, settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return { job_name: name, static_configs: [{ targets: [exporter.address] }], ...settings };
  }

  test("fails unless the limit is higher or the scrape uses parts", async () => {
    expect(Buffer.byteLength(await exporter.fetchPage())).toBeGreaterThan(LIMIT);
    await vi.waitFor(async () => {
      const health = (await database.targets()).map(({ labels, health: found }) => [labels.job, found]);
      const expected = Object.keys(JOBS).map((job) => [job, job === "uncompressed" ? "down" : "up"]);
      expect(Object.fromEntries(health)).toEqual(Object.fromEntries(expected));
    }, PATIENT);
    const refused = (await database.targets()).find(({ labels }) => labels.job === "uncompressed");
    expect(refused?.lastError).toContain(
      `exceeds -promscrape.maxScrapeSize or max_scrape_size in the scrape config (${LIMIT} bytes)`,
    );
  });

  test("arrives completely with a higher limit", async () => {
    const served = (await exporter.fetchPage()).match(/^prtg_(?!exporter_)/gm)?.length;
    expect(served).toBeGreaterThan(60_000);
    const ofTheTree = '__name__=~"prtg_.+",__name__!~"prtg_exporter_.+"';
    await vi.waitFor(async () => {
      for (const jobs of ["by_itself", "raised", "shard_.+"]) {
        expect(await database.seriesCount(`{job=~"${jobs}",${ofTheTree}}`), jobs).toBe(served);
      }
      expect(await database.seriesCount(`{job="uncompressed",${ofTheTree}}`)).toBe(0);
      const up = await database.query('up{job="uncompressed"}');
      expect(up.map(({ points }) => points[0]?.value)).toEqual([0]);
    }, PATIENT);
  });

  test("comes as text, compressed by default", () => {
    const scrapes = exporter.accesses.filter(({ userAgent }) => userAgent === "vm_promscrape");
    const forms = new Set(
      scrapes.map(({ url, contentType, contentEncoding }) => `${url} ${contentType} ${contentEncoding}`),
    );
    const text = "text/plain; version=0.0.4; charset=utf-8";
    const shards = Array.from({ length: SHARDS }, (_, shard) => `/metrics?shard=${shard}%2F${SHARDS} ${text} identity`);
    expect([...forms].sort()).toEqual([`/metrics ${text} gzip`, `/metrics ${text} identity`, ...shards].sort());
  });

  test("works only with a vmagent with a higher limit", async () => {
    await database.stop();
    for (const [flags, health] of [
      [[], "down"],
      [["-promscrape.maxScrapeSize=64MiB"], "up"],
    ] as const) {
      const scrapeConfigs = [scrapeJob("uncompressed", UNCOMPRESSED)];
      // Nothing listens at its target, so it buffers.
      agent = await startVmagent({ binary: programs.vmagent, interval: "5s", scrapeConfigs, flags }, database.url);
      await vi.waitFor(async () => {
        expect((await agent.targets()).map((target) => target.health)).toEqual([health]);
        expect((await agent.targets()).map((target) => target.lastError === "")).toEqual([health === "up"]);
      }, PATIENT);
      await agent.stop();
    }
  });
});
