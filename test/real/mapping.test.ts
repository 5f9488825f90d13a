import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servedValue } from "../support/expected-series.ts";
import { parsePage } from "../support/parse-sample.ts";
import { nearly } from "../support/simulator-units.ts";
import { slicePage } from "./support/page-slices.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus, promtoolCheckMetrics } from "./support/prometheus.ts";
import { readmeQueries } from "./support/readme-queries.ts";
import { type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";

const SILENT = { code: 0, output: "" };
const ALL_PRESETS = "mapping: { presets: [all]";
/** promtool 3 compares all pairs of a family's series. */
const SLICE = 200;
/** The default world lacks the last channels of some kinds. */
const SIZE = { sensors: 1300, channels: 16_000 };

async function checkByPromtool(paths: Record<"promtool-2" | "promtool-3", string>, page: string): Promise<void> {
  expect(await promtoolCheckMetrics(paths["promtool-2"], page)).toEqual(SILENT);
  const slices = slicePage(page, SLICE);
  expect(slices.reduce((sum, slice) => sum + parsePage(slice).size, 0)).toBe(parsePage(page).size);
  for (const slice of slices) expect(await promtoolCheckMetrics(paths["promtool-3"], slice)).toEqual(SILENT);
}

describeWithPrograms(["promtool-2", "promtool-3"], "mapping of the whole world", (paths) => {
  test.each(["all", "base-units"])("passes promtool 2 and 3 with the preset %s", async (preset) => {
    const exporter = await startScrapedExporter({
      settings: `mapping: { presets: [${preset}] }`,
      simulator: { world: createWorld({ seed: 42, size: SIZE, startedAt: Date.now() }) },
    });
    try {
      expect(await exporter.poll()).toBe(true);
      const page = await exporter.fetchPage();
      expect(page).toMatch(/^prtg_ping_seconds\{|^prtg_channel_\w+_ratio\{/m);
      await checkByPromtool(paths, page);
    } finally {
      await exporter.close();
    }
  });
});

const NARROW = [
  {
    what: "ids only",
    settings: `${ALL_PRESETS}, keep_original: false }\nlabels: { keep: ids }`,
    dropped: /[{,](?:probe|group|device|sensor|channel|unit|path)="/,
  },
  {
    what: "some labels, renamed, and one from a tag",
    settings: `${ALL_PRESETS} }\nlabels: { keep: [device, sensor, channel, unit], rename: { device: host_name, unit: display_unit }, from_tags: [{ tag: "site:*", label: site }] }`,
    dropped: /[{,](?:group|device|unit)="/,
  },
] as const;

/** Everything below the n-th probe has a tag with n. */
function taggedWorld(): World {
  const world = createWorld({ seed: 42, size: { sensors: 260, channels: 3_200 }, startedAt: Date.now() });
  for (const [index, probe] of world.list("probe").entries()) probe.tags.push(`site:number "${index}"`);
  return world;
}

describeWithPrograms(["promtool-2", "promtool-3", "prometheus-3"], "configured labels", (paths) => {
  describe.each(NARROW)("$what", ({ settings, dropped }) => {
    let exporter: ScrapedExporter;
    let prometheus: Prometheus;
    let page: string;
    /** A good scrape, Unix seconds. */
    let now: number;

    beforeAll(async () => {
      exporter = await startScrapedExporter({ settings, simulator: { world: taggedWorld() } });
      expect(await exporter.poll()).toBe(true);
      page = await exporter.fetchPage();
      prometheus = await Prometheus.start({ binary: paths["prometheus-3"], target: exporter.address });
      now = await prometheus.waitUntilScraped();
    });

    afterAll(async () => {
      await prometheus?.stop();
      await exporter?.close();
    });

    test("passes promtool 2 and 3", () => checkByPromtool(paths, page));

    test("has exactly those labels on sensors and channels", () => {
      const lines = page
        .split("\n")
        .filter((line) => /^prtg_(?:sensor_status|channel_(?:value|limit)|ping)/.test(line));
      expect(lines.length).toBeGreaterThan(200);
      expect(lines.filter((line) => dropped.test(line))).toEqual([]);
    });

    test.each(readmeQueries("docs/mapping.md"))("answers %s in Prometheus", async (promql) => {
      expect((await prometheus.query(promql, now)).length).toBeGreaterThan(0);
    });
  });

  test("the join returns all names of a value, and a tag becomes a label", async () => {
    const exporter = await startScrapedExporter({ settings: NARROW[0].settings, simulator: { world: taggedWorld() } });
    const { world } = exporter.simulator;
    expect(await exporter.poll()).toBe(true);
    const prometheus = await Prometheus.start({ binary: paths["prometheus-3"], target: exporter.address });
    try {
      const now = await prometheus.waitUntilScraped();
      const [join = ""] = readmeQueries("docs/mapping.md");
      const rows = await prometheus.query(join, now);
      expect(rows).toHaveLength((await prometheus.query("prtg_ping_seconds", now)).length);
      for (const { labels, points } of rows) {
        const channel = world.channel(`${labels.sensor_id}.${labels.channel_id}`);
        expect([labels.sensor, labels.channel]).toEqual([channel?.sensor.name, channel?.name]);
        const displayed = channel && servedValue(world, channel, exporter.at);
        expect(nearly(points[0]?.value ?? 0)).toBe(nearly((displayed ?? Number.NaN) / 1000));
      }
    } finally {
      await prometheus.stop();
      await exporter.close();
    }
  });

  test("a tag of a probe becomes a label of all objects below it", async () => {
    const exporter = await startScrapedExporter({ settings: NARROW[1].settings, simulator: { world: taggedWorld() } });
    try {
      expect(await exporter.poll()).toBe(true);
      const { world } = exporter.simulator;
      const siteOf = new Map(world.list("probe").map(({ id }, index) => [id, `number "${index}"`]));
      const samples = [...(await exporter.samples()).values()].filter(({ labels }) => "sensor_id" in labels);
      const withSite = samples.filter(({ name }) => !/_info$|_exceeded$/.test(name));
      expect(withSite.length).toBeGreaterThan(3_000);
      for (const { name, labels } of withSite) {
        let node = world.list("sensor").find(({ id }) => id === labels.sensor_id)?.parent;
        while (node !== undefined && node.kind !== "probe") node = node.parent;
        expect(labels.site, name).toBe(siteOf.get(node?.id ?? ""));
      }
    } finally {
      await exporter.close();
    }
  });
});
