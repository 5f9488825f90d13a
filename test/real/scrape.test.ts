import type { SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differences, expectedSeries, familySizes, lastMeasured, servedValue } from "../support/expected-series.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus, type Series } from "./support/prometheus.ts";
import { readmeQueries } from "./support/readme-queries.ts";
import { type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";
import { withoutEmpty, withoutTarget } from "./support/series-keys.ts";

const CYCLES = 4;
/** Quotes, backslash, newline, tab, a multi-code-point emoji, right-to-left override, markup. */
const HOSTILE_NAME = ' "C:\\Temp\\n"\nצפון 👩‍🚀 \u202eخادم\u202c\t{le="+Inf"} 1 # </b> ';

/** Kinds in `GET /objects/count`. */
const ANSWERS = {
  live: { countedKinds: 5 },
  specification: { countedKinds: 8 },
} as const;

const SPELLINGS = { 2: ["live"], 3: ["live", "specification"] } as const;

for (const generation of [2, 3] as const) {
  describeWithPrograms([`prometheus-${generation}`], `Prometheus ${generation}`, (paths) => {
    const binary = paths[`prometheus-${generation}`];

    describe.each(SPELLINGS[generation])("scrapes a server in the spelling of %s", (spelling) => {
      let exporter: ScrapedExporter;
      let prometheus: Prometheus;
      let world: World;
      let at: number;
      let hostile: SimSensor;
      /** Unix seconds of a good scrape and all queries, so that later scrapes change nothing. */
      let now: number;

      beforeAll(async () => {
        exporter = await startScrapedExporter({ simulator: { spelling } });
        ({ at } = exporter);
        ({ world } = exporter.simulator);
        const [first, second, third] = world.list("sensor").filter((sensor) => isMeasured(world, sensor, at));
        if (first === undefined || second === undefined || third === undefined) throw new Error("nothing is up");
        hostile = first;
        world.rename(hostile.id, HOSTILE_NAME);
        world.force(second.id, "down", at);
        world.force(third.id, "partialdown", at);
        expect(await exporter.poll()).toBe(true);
        prometheus = await Prometheus.start({
          ...{ binary, target: exporter.address },
          // Same timeout.
          interval: "5s",
          flags: ["--log.level=debug"],
        });
        now = await prometheus.waitUntilScraped();
        for (let cycle = 1; cycle < CYCLES; cycle++) {
          expect(await exporter.poll()).toBe(true);
          now = await prometheus.nextScrape();
        }
      });

      afterAll(async () => {
        await prometheus?.stop();
        await exporter?.close();
      });

      test("succeeds at each scrape", async () => {
        expect(prometheus.failedScrapes()).toEqual([]);
        expect(await single("sum_over_time(up[15m])")).toBeGreaterThanOrEqual(CYCLES);
        expect(await single("prtg_up")).toBe(1);
      });

      test("stores all samples of each page", async () => {
        for (const count of ["scrape_samples_scraped", "scrape_samples_post_metric_relabeling"]) {
          const [series] = await query(`${count}[1h]`);
          // A timed-out scrape has no sample.
          const stored = series?.points.map(({ value }) => value).filter((value) => value > 0) ?? [];
          expect(stored.length).toBeGreaterThanOrEqual(CYCLES);
          let served = exporter.pages.map((page) => page.text().match(/^[^#\n]/gm)?.length);
          for (const samples of stored) {
            expect(served).toContain(samples);
            served = served.slice(served.indexOf(samples) + 1);
          }
        }
      });

      test("finds one series per object of the world in each family", async () => {
        // Whether a device is an outage depends on the minute of the world.
        const counted = await query(
          'count by (__name__) ({__name__=~"prtg_.+", __name__!~"prtg_(exporter|outage)_.+"})',
        );
        const sizes = new Map(counted.map(({ labels, points }) => [labels.__name__ ?? "", points[0]?.value ?? 0]));
        expect(differences(familySizes(world, at, ANSWERS[spelling]), sizes)).toEqual([]);
      });

      test("contains exactly the statuses, values and labels of the world", async () => {
        const families = "prtg_sensor_status|prtg_sensor_status_code|prtg_channel_value|prtg_channel_state";
        const found = await query(`{__name__=~"${families}"}`);
        const expected = new Map(
          [...expectedSeries(world, "hq", at)].map(([key, value]) => [withoutEmpty(key), value]),
        );
        expect(expected.size).toBeGreaterThan(15_000);
        expect(differences(expected, new Map(found.map(withoutTarget))).slice(0, 10)).toEqual([]);
      });

      test("finds a sensor with a hostile name by id and by name", async () => {
        const [channel] = hostile.channels;
        const value = channel && servedValue(world, channel, at);
        expect(value).toBeTypeOf("number");
        const byId = await query(`prtg_channel_value{sensor_id="${hostile.id}", channel_id="${channel?.number}"}`);
        expect(byId).toMatchObject([{ labels: { sensor: HOSTILE_NAME, channel: channel?.name }, points: [{ value }] }]);
        expect(byId[0]?.labels.path?.endsWith(`/${HOSTILE_NAME}`)).toBe(true);
        // PromQL strings use JSON's escapes.
        const byName = await query(`prtg_channel_value{sensor=${JSON.stringify(HOSTILE_NAME)}}`);
        const served = hostile.channels.filter((each) => servedValue(world, each, at) !== undefined);
        expect(byName.map(({ labels }) => labels.channel_id).sort()).toEqual(
          served.map(({ number }) => String(number)).sort(),
        );
        const { status } = world.state(hostile, at);
        expect(await query(`prtg_sensor_status{sensor_id="${hostile.id}"}`)).toMatchObject([
          { labels: { sensor: HOSTILE_NAME, status }, points: [{ value: 1 }] },
        ]);
      });

      test.each(readmeQueries())("answers the README's query %s", async (promql) => {
        expect(await query(promql)).not.toEqual([]);
      });

      test("joins every channel with the properties of its sensor", async () => {
        const rows = await query(
          "prtg_channel_value * on (job, instance, server, sensor_id) group_left (kind) prtg_sensor_info",
        );
        const values = await query("prtg_channel_value");
        expect(rows.length).toBe(values.length);
        // The kind excludes the type's version.
        const kinds = new Map(world.list("sensor").map(({ id, type }) => [id, type.replace(/\.\d+$/, "")]));
        const wrong = rows.filter(({ labels }) => labels.kind !== kinds.get(labels.sensor_id ?? ""));
        expect(wrong.slice(0, 3)).toEqual([]);
      });

      test("finds sensors by status and by age of their measurements", async () => {
        const down = world.list("sensor").filter((sensor) => /^(partial)?down$/.test(world.state(sensor, at).status));
        const found = await query('prtg_sensor_status{status=~"down|partialdown"}');
        expect(ids(found)).toEqual(new Set(down.map(({ id }) => id)));
        const isOld = (measured: number | undefined) => measured !== undefined && now - measured / 1000 > 3600;
        const old = world.list("sensor").filter((sensor) => isOld(lastMeasured(world, sensor, at)));
        const age = "time() - prtg_sensor_last_measurement_timestamp_seconds > 3600";
        expect(ids(await query(age))).toEqual(new Set(old.map(({ id }) => id)));
      });

      function query(promql: string): Promise<Series[]> {
        return prometheus.query(promql, now);
      }

      async function single(promql: string): Promise<number | undefined> {
        const series = await query(promql);
        expect(series).toHaveLength(1);
        return series[0]?.points[0]?.value;
      }
    });
  });
}

/** Up with a value in its first channel, so both show under any name. */
function isMeasured(world: World, sensor: SimSensor, at: number): boolean {
  const [channel] = sensor.channels;
  return (
    world.state(sensor, at).status === "up" && channel !== undefined && servedValue(world, channel, at) !== undefined
  );
}

function ids(series: readonly Series[]): Set<string | undefined> {
  return new Set(series.map(({ labels }) => labels.sensor_id));
}
