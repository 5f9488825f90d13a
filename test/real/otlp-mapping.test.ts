import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PRESET_NAMES } from "../../src/config/mapping-schema.ts";
import { differences, seriesKey, servedValue } from "../support/expected-series.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus, type Series } from "./support/prometheus.ts";
import { PushingSite } from "./support/pushing-site.ts";
import { simulatedRecord } from "./support/simulated-record.ts";

const LOOK_BACK_MS = 10 * 60_000;
const LIVE_WINDOW_MS = 240 * 60_000;
const PUSH_LIMIT_MS = 120_000;

/** Pushed series have `service.name` as job, scraped ones the scrape job. */
const PUSHED = 'job="prtg-exporter"';
const SCRAPED = 'job="exporter"';

/** Families with channel values, including mapped ones, except limits, states and infos. */
const VALUES = '{__name__=~"prtg_.+", channel_id!="", limit="", metric="", state=""}';

const CASES = [
  { what: "wide labels", settings: `mapping: { presets: [${PRESET_NAMES.join(", ")}] }` },
  {
    what: "ids only, and mapped series alone",
    settings: `mapping: { presets: [${PRESET_NAMES.join(", ")}], keep_original: false }\nlabels: { keep: ids }`,
  },
] as const;

describeWithPrograms(["prometheus-3"], "Prometheus 3 that receives mapped metrics", (programs) => {
  describe.each(CASES)("with $what", ({ settings }) => {
    let site: PushingSite;
    let prometheus: Prometheus;
    /** Query time, Unix seconds. */
    let now: number;

    beforeAll(async () => {
      site = await PushingSite.start({
        size: { probes: 1, groups: 6, devices: 20, sensors: 40, channels: 300 },
        at: Date.now(),
        otlp: "protocol: http/protobuf, repeat_interval: 0",
        settings,
        collectors: ["health", "status", "channels", "timeseries"],
      });
      prometheus = await Prometheus.start({
        binary: programs["prometheus-3"],
        target: `127.0.0.1:${site.exporter.port}`,
        flags: ["--web.enable-otlp-receiver"],
        config: { storage: { tsdb: { out_of_order_time_window: "6h" } } },
      });
      site.relay.forwardTo(prometheus.url);
      await prometheus.waitUntilScraped();
      await untilPushed();
      now = Date.now() / 1000;
    });

    afterAll(async () => {
      await site?.close();
      await prometheus?.stop();
    });

    test("rejects nothing", () => {
      expect(new Set(site.relay.requests.map(({ status, answer }) => `${status} ${answer}`))).toEqual(
        new Set(["200 "]),
      );
    });

    test("has the scraped names", async () => {
      const [pushed, scraped] = await Promise.all([PUSHED, SCRAPED].map(namesOf));
      expect(scraped).toEqual(expect.arrayContaining(["prtg_ping_seconds", "prtg_temperature_celsius"]));
      expect(pushed).toEqual(scraped);
    });

    test("has the scraped labels and values", async () => {
      // A scrape repeats old values, the push does not.
      const isRecent = ({ labels }: Series) => {
        const channel = site.world.channel(`${labels.sensor_id}.${labels.channel_id}`);
        const measuredAt = channel && site.world.lastMeasurement(channel, site.at)?.at;
        return (
          channel !== undefined &&
          servedValue(site.world, channel, site.at) !== undefined &&
          (measuredAt ?? 0) > since()
        );
      };
      const [pushed, scraped] = await Promise.all([PUSHED, SCRAPED].map((job) => lastOf(job, VALUES, isRecent)));
      expect(scraped?.size).toBeGreaterThan(100);
      expect(differences(scraped ?? new Map(), pushed ?? new Map())).toEqual([]);
    });

    test("has the scraped limits and info metrics", async () => {
      const selector = '{__name__=~"prtg_.*(_limit|_info).*", channel_id!=""}';
      const [pushed, scraped] = await Promise.all([PUSHED, SCRAPED].map((job) => lastOf(job, selector)));
      expect(scraped?.size).toBeGreaterThan(20);
      expect(differences(scraped ?? new Map(), pushed ?? new Map())).toEqual([]);
    });

    function since(): number {
      return now * 1000 - LOOK_BACK_MS;
    }

    async function namesOf(job: string): Promise<string[]> {
      const counted = await prometheus.query(
        `count by (__name__) (last_over_time({${job}, __name__=~"prtg_.+"}[5h]))`,
        now,
      );
      return counted.map(({ labels }) => labels.__name__ ?? "").sort();
    }

    /** Without the labels that differ between push and scrape. */
    async function lastOf(
      job: string,
      selector: string,
      includes: (series: Series) => boolean = () => true,
    ): Promise<Map<string, number>> {
      const found = await prometheus.query(`last_over_time(${selector.replace("{", `{${job}, `)}[10m])`, now);
      const chosen = found.filter(includes);
      const values = new Map(chosen.map(withoutTarget));
      expect(values.size).toBe(chosen.length);
      return values;
    }

    /** All measurements of the live window, or a timeout. */
    async function untilPushed(): Promise<void> {
      // List values of partial scans are in no time series.
      const span = { from: site.at - LIVE_WINDOW_MS + 1, to: site.at };
      const measured = (scans: "whole" | "partial") =>
        new Set(
          [...simulatedRecord(site.world, span, scans)].flatMap(([channelId, { times }]) =>
            times.map((time) => `${channelId}@${time}`),
          ),
        );
      const [whole, partial] = [measured("whole"), measured("partial")];
      const deadline = Date.now() + PUSH_LIMIT_MS;
      while (!whole.isSubsetOf(measurementsSent()) && Date.now() < deadline) await sleep(2_000);
      expect(measurementsSent().difference(partial)).toEqual(whole);
      await site.waitForTwoCycles();
      await prometheus.nextScrape();
    }

    /** A mapped channel's measurement comes once per metric. */
    function measurementsSent(): Set<string> {
      const sent = new Set<string>();
      for (const { attributes, time } of [...site.relay.points.values()].flat()) {
        const { sensor_id, channel_id, limit, metric, state } = attributes;
        if (channel_id === undefined || (limit ?? metric ?? state) !== undefined) continue;
        sent.add(`${sensor_id}.${channel_id}@${time / 1_000_000n}`);
      }
      return sent;
    }
  });
});

function withoutTarget({ labels, points }: Series): [key: string, value: number] {
  const { __name__: name = "", job: _job, instance: _instance, ...own } = labels;
  return [seriesKey(name, own), points[0]?.value ?? Number.NaN];
}
