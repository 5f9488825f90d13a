import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { differences, expectedSeries } from "../support/expected-series.ts";
import { parsePage } from "../support/parse-sample.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { measureEachMinute, PushingSite } from "./support/pushing-site.ts";
import { withoutEmpty, withoutTarget } from "./support/series-keys.ts";
import { startVmagent, VictoriaMetrics, type Vmagent } from "./support/victoria-metrics.ts";

/** The test's simulated time stays in the past. */
const BEHIND = 3_600_000;
/** Nothing becomes stale by age: missing data has ended. */
const LOOK_BACK = "6h";
/** vmagent repeats a part that the database did not take, with pauses. */
const LIMIT = { timeout: 60_000, interval: 200 };
/** Quotes, backslash, newline, tab, a multi-code-point emoji, right-to-left override, markup. */
const HOSTILE_NAME = ' "C:\\Temp\\n"\nצפון 👩‍🚀 \u202eخادم\u202c\t{le="+Inf"} 1 # </b> ';

/** Pushed series get `service.name` as job, as in Prometheus. */
const RELABELLING = fileURLToPath(new URL("../../config/victoria-metrics-relabel.example.yaml", import.meta.url));
const PUSHED = 'job="prtg-exporter"';
const SCRAPED = 'job="exporter"';
const OF_THE_TREE = '__name__=~"prtg_.+",__name__!~"prtg_exporter_.+"';

const PLACES = [
  { place: "VictoriaMetrics", naming: "-opentelemetry.usePrometheusNaming" },
  { place: "vmagent, which passes on to VictoriaMetrics,", naming: "-usePromCompatibleNaming" },
] as const;

describeWithPrograms(["victoria-metrics", "vmagent"], "series of one exporter", (programs) => {
  describe.each(PLACES)("in $place", ({ place, naming }) => {
    let site: PushingSite;
    let database: VictoriaMetrics;
    let agent: Vmagent | undefined;

    beforeAll(async () => {
      site = await PushingSite.start({
        size: { probes: 2, groups: 4, devices: 10, sensors: 40, channels: 160 },
        at: Date.now() - BEHIND,
        endpoint: "/opentelemetry",
        prepare: (prepared) => {
          measureEachMinute(prepared);
          prepared.world.rename(prepared.measuredSensor().id, HOSTILE_NAME);
        },
      });
      await startReceivers();
      await site.waitForTwoCycles();
    });

    afterAll(async () => {
      await site?.close();
      await agent?.stop();
      await database?.stop();
    });

    test("have the number of the page in each family, by scrape and by push", async () => {
      await expectSameAsPage();
      await vi.waitFor(async () => {
        const [scraped, pushed] = [
          await valuesOf(`{${SCRAPED},${OF_THE_TREE}}`),
          await valuesOf(`{${PUSHED},${OF_THE_TREE}}`),
        ];
        expect(differences(scraped, pushed).slice(0, 10)).toEqual([]);
      }, LIMIT);
    });

    test("have the labels and values of the world", async () => {
      const families = "prtg_sensor_status|prtg_sensor_status_code|prtg_channel_value|prtg_channel_state";
      const expected = new Map(
        [...expectedSeries(site.world, "hq", site.at)].map(([key, value]) => [withoutEmpty(key), value]),
      );
      expect(expected.size).toBeGreaterThan(200);
      await vi.waitFor(async () => {
        for (const job of [SCRAPED, PUSHED]) {
          const found = await valuesOf(`{${job},__name__=~"${families}"}`);
          expect(differences(expected, rounded(found, expected)).slice(0, 10), job).toEqual([]);
        }
      }, LIMIT);
    });

    test("have all sent measurements at their times", async () => {
      const sent = new Map<string, number>();
      for (const { attributes, time, value } of site.relay.points.get("prtg.channel_value") ?? []) {
        sent.set(`${channelIdOf(attributes)} ${time / 1_000_000n}`, Number(value));
      }
      expect(sent.size).toBeGreaterThan(20_000);
      await vi.waitFor(async () => {
        const stored = new Map<string, number>();
        for (const { labels, points } of await database.query(`prtg_channel_value{${PUSHED}}[${LOOK_BACK}]`)) {
          // Ends of series are NaN.
          for (const { time, value } of points.filter((point) => !Number.isNaN(point.value))) {
            stored.set(`${channelIdOf(labels)} ${Math.round(time * 1000)}`, value);
          }
        }
        expect(differences(sent, rounded(stored, sent)).slice(0, 10)).toEqual([]);
      }, LIMIT);
    });

    test("end with a pause and continue after it", async () => {
      const { id } = site.measuredSensor();
      const status = `prtg_sensor_status{sensor_id="${id}"`;
      const ends = [`prtg_channel_value{sensor_id="${id}"`, `${status},status="up"`];
      await expectEnds(ends, () => site.world.pause(id, site.at));
      for (const job of [SCRAPED, PUSHED]) {
        const found = await database.query(`${status},${job}}`);
        expect(found.map(({ labels }) => labels.status)).toEqual(["pausedbyuser"]);
      }
      await expectSameAsPage();

      site.pass(5);
      await site.waitForTwoCycles();
      await expectEnds([`${status},status="pausedbyuser"`], () => site.world.resume(id, site.at));
      await expectSameAsPage();
      expect(await database.seriesCount(`prtg_channel_value{sensor_id="${id}",${PUSHED}}`)).toBeGreaterThan(0);
    });

    test("end with the deletion of a sensor and of a device", async () => {
      const { id } = site.measuredSensor();
      const device = site.world
        .list("device")
        .find(({ children }) => children.length > 2 && children.every((child) => child.id !== id));
      if (device === undefined) throw new Error("the world is too small");
      const ends = [`{sensor_id="${id}"`, `prtg_channel_value{sensor_id="${id}"`, `{device_id="${device.id}"`];
      await expectEnds([...ends, `prtg_node_status_code{id="${device.id}"`], () => {
        site.world.remove(id);
        site.world.remove(device.id);
      });
      await expectSameAsPage();
    });

    test("arrive without a rejection, unlike JSON", async () => {
      expect(site.relay.ends.get("prtg.channel_value")?.length).toBeGreaterThan(0);
      expect(new Set(site.relay.requests.map(({ status }) => status))).toEqual(new Set([200]));
      const answer = await fetch(`${agent?.url ?? database.url}/opentelemetry/v1/metrics`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("Use protobuf encoding");
    });

    async function startReceivers(): Promise<void> {
      const targets = [`127.0.0.1:${site.exporter.port}`];
      const receiver = { scrapeConfigs: [{ job_name: "exporter", static_configs: [{ targets }] }], flags: [naming] };
      const relabelling = `-relabelConfig=${RELABELLING}`;
      const storage = { binary: programs["victoria-metrics"], lookBack: LOOK_BACK };
      if (place === "VictoriaMetrics") {
        database = await VictoriaMetrics.start({ ...storage, ...receiver, flags: [naming, relabelling] });
      } else {
        database = await VictoriaMetrics.start({ ...storage, flags: [relabelling] });
        agent = await startVmagent({ binary: programs.vmagent, ...receiver }, database.url);
      }
      site.relay.forwardTo(agent?.url ?? database.url);
    }

    async function valuesOf(selector: string): Promise<Map<string, number>> {
      const found = await database.query(selector);
      const values = new Map(found.map(withoutTarget));
      expect(values.size).toBe(found.length);
      return values;
    }

    /** They match before the change and soon no longer. */
    async function expectEnds(selectors: readonly string[], change: () => void): Promise<void> {
      const all = selectors.flatMap((selector) => [SCRAPED, PUSHED].map((job) => `${selector},${job}}`));
      for (const selector of all) expect(await database.seriesCount(selector), selector).toBeGreaterThan(0);
      change();
      site.pass(1);
      await vi.waitFor(async () => {
        for (const selector of all) expect(await database.seriesCount(selector), selector).toBe(0);
      }, LIMIT);
      // Samples exist: only the staleness marker hides them.
      for (const selector of all) {
        expect((await database.query(`last_over_time(${selector}[${LOOK_BACK}])`)).length, selector).toBeGreaterThan(0);
      }
    }

    /** A minute later: the last earlier measurement may have the old labels. */
    async function expectSameAsPage(): Promise<void> {
      site.pass(1);
      await site.waitForTwoCycles();
      await vi.waitFor(async () => {
        const served = new Map<string, number>();
        for (const { name } of parsePage(await site.exporter.page()).values()) {
          if (/^prtg_(?!exporter_)/.test(name)) served.set(name, (served.get(name) ?? 0) + 1);
        }
        expect(served.get("prtg_sensor_status")).toBe(site.world.list("sensor").length);
        for (const job of [SCRAPED, PUSHED]) {
          const counted = await database.query(`count by (__name__) ({${job},${OF_THE_TREE}})`);
          const counts = counted.map(({ labels, points }) => [labels.__name__, points[0]?.value]);
          expect(Object.fromEntries(counts), job).toEqual(Object.fromEntries(served));
        }
      }, LIMIT);
    }
  });
});

/** VictoriaMetrics keeps at least twelve digits: ignores differences beyond. */
function rounded(found: ReadonlyMap<string, number>, expected: ReadonlyMap<string, number>): Map<string, number> {
  return new Map(
    [...found].map(([key, value]) => {
      const right = expected.get(key) ?? value;
      return [key, Math.abs(value - right) <= 1e-11 * Math.abs(right) ? right : value];
    }),
  );
}

function channelIdOf(labels: Readonly<Record<string, string>>): string {
  return `${labels.sensor_id}.${labels.channel_id}`;
}
