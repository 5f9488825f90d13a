import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SimChannel, World } from "../../packages/simulator/src/world/model.ts";
import { createWorld } from "../../packages/simulator/src/world/world.ts";
import { mappingOf } from "../../src/app/mapping.ts";
import type { MappedFamily } from "../../src/mapping/rules/rule.ts";
import { type ParsedSample, parseFamilies, parsePage } from "../support/parse-sample.ts";
import { servedValue } from "../support/world-truth.ts";
import { NOT_IN_THE_WORLD, nearly, WORLD_UNITS } from "../support/world-units.ts";
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
/** Without a preset: counts, codes and custom units. */
const UNMAPPED_UNITS = ["#", "", "widgets", "orders/min"];

const LIMITS = [
  ["maxError", "max_error"],
  ["maxWarning", "max_warning"],
  ["minWarning", "min_warning"],
  ["minError", "min_error"],
] as const;

/** Converts to the family's unit by the test's own arithmetic. */
function inUnitOf(family: MappedFamily, channel: SimChannel, value: number): number {
  return family.baseUnit === undefined ? value : (WORLD_UNITS[channel.displayUnit]?.(value) ?? Number.NaN);
}

function channelOf(world: World, { labels }: ParsedSample): SimChannel {
  const channel = world.channel(`${labels.sensor_id}.${labels.channel_id}`);
  if (channel === undefined) throw new Error(`no channel for ${JSON.stringify(labels)}`);
  return channel;
}

async function checkByPromtool(paths: Record<"promtool-2" | "promtool-3", string>, page: string): Promise<void> {
  expect(await promtoolCheckMetrics(paths["promtool-2"], page)).toEqual(SILENT);
  const slices = slicePage(page, SLICE);
  expect(slices.reduce((sum, slice) => sum + parsePage(slice).size, 0)).toBe(parsePage(page).size);
  for (const slice of slices) expect(await promtoolCheckMetrics(paths["promtool-3"], slice)).toEqual(SILENT);
}

/** Presets whose kinds the world contains. */
const PRESETS = [
  { what: "all presets", presets: ["all"], hasAll: false },
  { what: "base-units alone", presets: ["base-units"], hasAll: true },
] as const;

describeWithPrograms(["promtool-2", "promtool-3"], "mapping of the whole world", (paths) => {
  describe.each(PRESETS)("with $what", ({ presets, hasAll }) => {
    let exporter: ScrapedExporter;
    let world: World;
    let page: string;
    let samples: Map<string, ParsedSample>;
    let families: readonly MappedFamily[];

    beforeAll(async () => {
      const created = createWorld({ seed: 42, size: SIZE, startedAt: Date.now() });
      exporter = await startScrapedExporter({
        settings: `mapping: { presets: [${presets.join()}] }`,
        simulator: { world: created },
      });
      ({ world } = exporter.simulator);
      expect(await exporter.poll()).toBe(true);
      page = await exporter.fetchPage();
      // Rejects duplicate series.
      samples = parsePage(page);
      ({ families } = mappingOf(exporter.config).mapper);
    });

    afterAll(() => exporter?.close());

    function samplesOf(name: string): ParsedSample[] {
      return [...samples.values()].filter((sample) => sample.name === name);
    }

    test("passes promtool 2 and 3", () => checkByPromtool(paths, page));

    test("has values in all families, except base units that the world lacks", () => {
      const declared = parseFamilies(page);
      const empty = families.filter(({ name }) => samplesOf(name).length === 0);
      const unexpected = empty.filter(({ baseUnit }) => !NOT_IN_THE_WORLD.includes(baseUnit ?? ""));
      if (hasAll) expect(unexpected.map(({ name }) => name)).toEqual([]);
      for (const { name, help } of families) {
        if (samplesOf(name).length > 0) expect(declared.get(name)).toEqual({ type: "gauge", help });
      }
    });

    test("has every value in its base unit, and no channel has two", () => {
      const seen = new Set<string>();
      for (const family of families) {
        for (const sample of samplesOf(family.name)) {
          const channel = channelOf(world, sample);
          const displayed = servedValue(world, channel, exporter.at) ?? Number.NaN;
          const value = Number(sample.value);
          expect(nearly(value), sample.name).toBe(nearly(inUnitOf(family, channel, displayed)));
          // The simulator stores data (also bits) in bytes: a second check.
          const raw = world.lastMeasurement(channel, exporter.at)?.value;
          if (/^bytes/.test(family.baseUnit ?? "")) expect(nearly(value)).toBe(nearly(raw ?? Number.NaN));
          const id = `${channel.sensor.id}.${channel.number}`;
          expect(seen.has(id), `${id} twice`).toBe(false);
          seen.add(id);
        }
      }
      const served = world.channels().filter((channel) => servedValue(world, channel, exporter.at) !== undefined);
      const missing = served.filter(
        ({ sensor, number, displayUnit }) =>
          !seen.has(`${sensor.id}.${number}`) && !UNMAPPED_UNITS.includes(displayUnit),
      );
      expect(missing.map(({ name, displayUnit }) => `${name} in ${displayUnit}`)).toEqual([]);
      // Between 8,860 and 9,600 over a year.
      expect(seen.size).toBeGreaterThan(8_000);
    });

    test("has every limit of a mapped channel in its unit", () => {
      let compared = 0;
      for (const family of families) {
        for (const sample of samplesOf(family.limits.name)) {
          const channel = channelOf(world, sample);
          const [key] = LIMITS.find(([, name]) => name === sample.labels.limit) ?? [];
          const limit = key === undefined ? undefined : channel.limits[key];
          expect(nearly(Number(sample.value))).toBe(nearly(inUnitOf(family, channel, limit ?? Number.NaN)));
          compared++;
        }
      }
      expect(compared).toBeGreaterThan(100);
    });

    test("keeps all values in prtg_channel_value", () => {
      const values = samplesOf("prtg_channel_value");
      for (const sample of values) {
        expect(Number(sample.value)).toBe(servedValue(world, channelOf(world, sample), exporter.at));
      }
      const served = world.channels().filter((channel) => servedValue(world, channel, exporter.at) !== undefined);
      expect(values).toHaveLength(served.length);
    });

    test("counts unmapped channels and lists an example", async () => {
      const odd = world.channels().filter(({ displayUnit }) => ["widgets", "orders/min"].includes(displayUnit));
      const counted = samplesOf("prtg_exporter_unmapped_channels").map(({ labels, value }) => [labels.reason, value]);
      expect(odd.length).toBeGreaterThan(0);
      expect(counted).toEqual([
        ["unknown_unit", String(odd.length)],
        ["unconverted", "0"],
      ]);
      const { text, json } = await exporter.exporter.debug.cardinality(new URLSearchParams());
      expect(text).toContain("widgets");
      expect(json).toMatchObject({ series: expect.any(Number), unmapped: { rules_configured: true } });
    });
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
