import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differences, servedValue } from "../support/expected-series.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { PushingSite } from "./support/pushing-site.ts";
import { withoutTarget } from "./support/series-keys.ts";
import { simulatedRecord } from "./support/simulated-record.ts";

const MINUTE = 60_000;
const LIVE_WINDOW = 240 * MINUTE;
const LOOK_BACK = 10 * MINUTE;
const PUSH_LIMIT_MS = 180_000;

/** Pushed series have `service.name` as job, scraped ones the scrape job. */
const PUSHED = 'job="prtg-exporter"';
const SCRAPED = 'job="exporter"';

/** `time value` of all measurements, oldest first, by channel id. */
type Measurements = Map<string, string[]>;

describeWithPrograms(["prometheus-3"], "Prometheus 3 with its OTLP receiver", (programs) => {
  describe.each([
    { protocol: "http/protobuf", contentType: "application/x-protobuf", sensors: 60 },
    { protocol: "http/json", contentType: "application/json", sensors: 20 },
  ])("by $protocol", ({ protocol, contentType, sensors }) => {
    let site: PushingSite;
    let world: World;
    /** Simulated start time, milliseconds. */
    let at: number;
    let prometheus: Prometheus;
    /** Query time for the frozen world, Unix seconds. */
    let now: number;

    beforeAll(async () => {
      at = Date.now();
      site = await PushingSite.start({
        size: { probes: 2, groups: 4, devices: 12, sensors, channels: 4 * sensors },
        at,
        otlp: `protocol: ${protocol}, repeat_interval: 0`,
        collectors: ["health", "status", "channels", "timeseries"],
      });
      world = site.world;
      prometheus = await Prometheus.start({
        binary: programs["prometheus-3"],
        target: `127.0.0.1:${site.exporter.port}`,
        flags: ["--web.enable-otlp-receiver"],
        config: { storage: { tsdb: { out_of_order_time_window: "6h" } } },
      });
      site.relay.forwardTo(prometheus.url);
      await prometheus.waitUntilScraped();
      await untilPushed(measurementsUntil(at));
      now = Date.now() / 1000;
    });

    afterAll(async () => {
      await site?.close();
      await prometheus?.stop();
    });

    test("rejects nothing", () => {
      const answers = site.relay.requests.map(
        (request) => `${request.contentType} ${request.status} ${request.answer}`,
      );
      // Without a body, there is no partial success.
      expect(new Set(answers)).toEqual(new Set([`${contentType} 200 `]));
    });

    test("has the scraped names", async () => {
      const [pushed, scraped] = await Promise.all([PUSHED, SCRAPED].map((job) => namesOf(job)));
      expect(site.relay.points.has("prtg.channel_value")).toBe(true);
      expect(pushed).toContain("prtg_channel_value");
      expect(pushed).toEqual(scraped);
    });

    test("has all scraped labels and values of the tree", async () => {
      const [pushed, scraped] = await both('{__name__=~"prtg_.+",__name__!~"prtg_exporter_.+|prtg_channel_value"}');
      expect(scraped.size).toBeGreaterThan(8 * sensors);
      expect(differences(scraped, pushed)).toEqual([]);
    });

    test("has the scraped labels and values of prtg_channel_value", async () => {
      // A scrape repeats old values, the push does not.
      const since = now * 1000 - LOOK_BACK;
      const isRecent = (id: string) => (measuredAt(id) ?? 0) > since;
      // A pause removes series at once. The push keeps earlier measurements.
      const isServed = (id: string) => served(id) !== undefined;
      const [pushed, scraped] = await both("prtg_channel_value", (id) => isRecent(id) && isServed(id));
      expect(scraped.size).toBeGreaterThan(2 * sensors);
      expect(differences(scraped, pushed)).toEqual([]);
      const withServed = await both("prtg_channel_value", isServed, "5h");
      expect(withServed[1].size).toBe(
        world.channels().filter((channel) => servedValue(world, channel, at) !== undefined).length,
      );
      expect([...withServed[0].keys()].sort()).toEqual([...withServed[1].keys()].sort());
    });

    test("has every measurement of the live window once, at its time", async () => {
      const measured = measurementsUntil(at);
      expect(countOf(measured)).toBeGreaterThan(400 * sensors);
      expectSame(await stored(now), measured);
      expectSame(relayed(), measured);
    });

    test("has all later measurements once after a restart", async () => {
      // A retry of this test continues the world's time.
      const from = site.at;
      const before = countOf(relayed());
      await site.exporter.stop();
      await site.startExporter();
      await site.waitForTwoCycles();
      expect(countOf(relayed())).toBe(before);

      // Three minutes while down, from the series, and one while running.
      await site.exporter.stop();
      site.moveTo(from + 3 * MINUTE);
      await site.startExporter();
      await untilPushed(measurementsUntil(site.at));
      site.moveTo(from + 4 * MINUTE);
      const measured = measurementsUntil(site.at);
      await untilPushed(measured);
      expect(countOf(measured)).toBeGreaterThan(before + 8 * sensors);
      expectSame(relayed(), measured);
      expectSame(await stored(site.at / 1000 + 60), measured);
      const instances = await prometheus.query(`count by (instance) (prtg_up{${PUSHED}})`);
      expect(instances).toHaveLength(1);
    });

    async function namesOf(job: string): Promise<string[]> {
      const counted = await prometheus.query(
        `count by (__name__) (last_over_time({${job}, __name__=~"prtg_.+"}[10m]))`,
        now,
      );
      return counted.map(({ labels }) => labels.__name__ ?? "").sort();
    }

    /** Last pushed and scraped values, without the labels that differ. */
    async function both(
      selector: string,
      includes: (channelId: string) => boolean = () => true,
      range = "10m",
    ): Promise<[pushed: Map<string, number>, scraped: Map<string, number>]> {
      const read = async (job: string) => {
        const matched = selector.startsWith("{") ? selector.replace("{", `{${job},`) : `${selector}{${job}}`;
        const found = await prometheus.query(`last_over_time(${matched}[${range}])`, now);
        const chosen = found.filter(({ labels }) => includes(channelIdOf(labels)));
        const values = new Map(chosen.map(withoutTarget));
        expect(values.size).toBe(chosen.length);
        return values;
      };
      return [await read(PUSHED), await read(SCRAPED)];
    }

    function measuredAt(channelId: string): number | undefined {
      const channel = world.channel(channelId);
      return channel && world.lastMeasurement(channel, at)?.at;
    }

    function served(channelId: string): number | undefined {
      const channel = world.channel(channelId);
      return channel && servedValue(world, channel, at);
    }

    /** Simulated measurements since the live window's start. */
    function measurementsUntil(to: number, scans: "whole" | "partial" = "whole"): Measurements {
      const measured: Measurements = new Map();
      const span = { from: at - LIVE_WINDOW + 1, to };
      for (const [channelId, { times, values }] of simulatedRecord(world, span, scans)) {
        measured.set(
          channelId,
          times.map((time, index) => `${time} ${values[index]}`),
        );
      }
      return measured;
    }

    /** Without list values of partial scans: time series have a gap there. */
    function ofWholeScans(found: Measurements): Measurements {
      const partial = measurementsUntil(site.at, "partial");
      const kept: Measurements = new Map();
      for (const [channelId, points] of found) {
        const listed = new Set(partial.get(channelId));
        const others = points.filter((point) => !listed.has(point));
        if (others.length > 0) kept.set(channelId, others);
      }
      return kept;
    }

    async function stored(time: number): Promise<Measurements> {
      const measured: Measurements = new Map();
      for (const { labels, points } of await prometheus.query(`prtg_channel_value{${PUSHED}}[5h]`, time)) {
        for (const point of points) append(measured, channelIdOf(labels), Math.round(point.time * 1000), point.value);
      }
      return ofWholeScans(measured);
    }

    function relayed(): Measurements {
      const measured: Measurements = new Map();
      for (const { attributes, time, value } of site.relay.points.get("prtg.channel_value") ?? []) {
        append(measured, channelIdOf(attributes), Number(time / 1_000_000n), Number(value));
      }
      return ofWholeScans(measured);
    }

    /** Waits for this data or a timeout, then for unexpected data. */
    async function untilPushed(measured: Measurements): Promise<void> {
      const expected = countOf(measured);
      const deadline = Date.now() + PUSH_LIMIT_MS;
      while (countOf(relayed()) < expected && Date.now() < deadline) await sleep(250);
      await site.waitForTwoCycles();
      await prometheus.nextScrape();
    }
  });
});

function append(measured: Measurements, channelId: string, time: number, value: number): void {
  const point = `${time} ${value}`;
  const points = measured.get(channelId);
  if (points === undefined) measured.set(channelId, [point]);
  else points.push(point);
}

function countOf(measured: Measurements): number {
  return [...measured.values()].reduce((sum, points) => sum + points.length, 0);
}

/** Per channel, for readable failures. */
function expectSame(found: Measurements, expected: Measurements): void {
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [channelId, points] of expected) expect(found.get(channelId), channelId).toEqual(points);
}

function channelIdOf(labels: Readonly<Record<string, string>>): string {
  return `${labels.sensor_id}.${labels.channel_id}`;
}
