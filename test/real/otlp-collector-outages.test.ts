import { readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import path from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY, DeliverySite, HOUR, MINUTE, type Route, type SiteOptions, until } from "./support/delivery-site.ts";
import type { ExporterProgram } from "./support/exporter-program.ts";
import { judgeRecovery } from "./support/outage-recovery.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { startPushingExporter } from "./support/pushing-exporter.ts";
import { describePoint } from "./support/received-points.ts";
import { startRefusingRelay } from "./support/refusing-relay.ts";
import { countDelivered, countRepeated, differencesFromRecord, simulatedRecord } from "./support/simulated-record.ts";

const SENSORS = 250;
const FEW_SENSORS = 60;
const HISTORY = 2 * HOUR;
const LIVE_WINDOW = 4 * HOUR;
const PARTLY_REFUSED = 7;
/** Failures before the exporter pauses a server. */
const ENOUGH_FAILURES = 5;
const LIMIT_MS = 60_000;
const MAX_KILLS = 12;
/** Shared CI machines run these tests in parallel. */
const TEST_LIMIT_MS = 900_000;

describeWithPrograms(["otel-collector"], "OpenTelemetry Collector that gets every measurement once", (programs) => {
  // The tests mostly wait for polls.
  describe.concurrent("after", { timeout: TEST_LIMIT_MS }, () => {
    test("20 minutes without the collector", async (context) => {
      const site = await open(context);
      const route = await site.route("outage");
      await start(site, route);
      await site.run(5);
      await site.collector.stop();
      await site.run(20);
      await site.restartCollector();
      await site.run(5);
      await expectDelivered(site, route);
      expect(route.received.repeated).toBe(0);
    });

    test("10 minutes in which the monitoring server answers 503", async (context) => {
      const site = await open(context);
      const route = await site.route("outage");
      await start(site, route);
      const { requests, faults } = route.simulator;
      await site.run(5);
      faults.set(["error=503"]);
      for (let minute = 0; minute < 10; minute++) {
        site.jump(MINUTE);
        const answered = Math.min(minute + 1, ENOUGH_FAILURES);
        await until("a request", LIMIT_MS, () => requests.count({ status: 503 }) >= answered);
      }
      faults.clear();
      await site.run(3);
      await expectDelivered(site, route);
      expect(route.received.repeated).toBe(0);
    });

    test("three SIGKILLs, except points after the last saved watermarks", async (context) => {
      const site = await open(context);
      const route = await site.route("killed");
      const kills: Kill[] = [];
      let unwritten = 0;
      // Watermarks are written every five seconds. Several kills may pass before one falls between arrival and write.
      while (kills.length < 3 || (unwritten === 0 && kills.length < MAX_KILLS)) {
        const exporter = await start(site, route);
        await site.run(3 + 3 * (kills.length % 3));
        await exporter.kill();
        const kill = { at: site.now, watermarks: watermarksOf(exporter) };
        kills.push(kill);
        await site.readOn();
        unwritten += countSince(route, kill);
        site.jump(2 * MINUTE);
      }
      await start(site, route);
      await site.run(2);
      await expectDelivered(site, route);
      expect(route.received.repeated).toBeGreaterThan(0);
      expect(needlessRepeats(route, kills)).toEqual([]);
    });

    test("a torn file of watermarks, which repeats the live window unchanged", async (context) => {
      const site = await open(context);
      const route = await site.route("torn");
      const first = await start(site, route);
      await site.run(5);
      const before = { from: site.begin, to: site.now };
      await site.untilDelivered(route, before);
      await first.stop();
      const file = watermarkFile(first) ?? "";
      truncateSync(file, Math.floor(statSync(file).size / 2));
      const received = countDelivered(route.received, site.world, before);
      site.jump(2 * MINUTE);
      const second = await start(site, route);
      await site.run(2);
      // Sensors without newer measurements may come last.
      await until("all of it again", LIMIT_MS, async () => {
        await site.readOn();
        return countRepeated(route.received, site.world, before) >= received;
      });
      await expectDelivered(site, route);
      expect(countRepeated(route.received, site.world, before)).toBe(received);
      const shownByLists = [...simulatedRecord(site.world, before, "partial")];
      expect(route.received.repeated - received).toBeLessThanOrEqual(shownByLists.length);
      expect(second.log()).toMatch(/"found":"torn".*starting the push with the live time series/);
      expect(readdirSync(first.stateDir)).toContain(`${path.basename(file)}.torn`);
    });

    test.for([
      { name: "behind", skewMs: -2 * MINUTE },
      { name: "ahead", skewMs: 2 * MINUTE },
    ])("20 minutes without the exporter, whose clock is two minutes $name", async ({ skewMs }, context) => {
      const site = await open(context, { sensors: FEW_SENSORS, historyMs: 5 * HOUR });
      const route = await site.route("prtg-exporter");
      const startSkewed = async () => {
        const exporter = await startPushingExporter({
          server: route.simulator.url,
          settings: `
state_dir: ${site.folder}
otlp: { endpoint: "${site.collector.url}", repeat_interval: 0 }
collectors: { health: { schedule: 1s }, channels: { schedule: 1s }, timeseries: { schedule: 1s } }
`,
          clock: { ...systemClock, now: () => site.now + skewMs },
        });
        context.onTestFinished(() => exporter.stop());
        return exporter;
      };
      const window = site.begin - LIVE_WINDOW + 1;
      const first = await startSkewed();
      await site.untilDelivered(route, { from: window, to: site.now });
      await site.run(3);
      await first.stop();
      site.jump(20 * MINUTE);
      const second = await startSkewed();
      await site.run(3);
      await site.untilDelivered(route, { from: window, to: site.now });
      await second.stop();
      await expectDelivered(site, route, window);
      expect(route.received.repeated).toBe(0);
    });

    test("bodies that are larger than it accepts", async (context) => {
      const limits = { receivers: { otlp: { protocols: { http: { max_request_body_size: 50_000 } } } } };
      const site = await open(context, { historyMs: HISTORY, limits });
      const body = Buffer.alloc(60_000);
      const headers = { "content-type": "application/x-protobuf" };
      const answer = await fetch(`${site.collector.url}/v1/metrics`, { method: "POST", headers, body });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("request body too large");
      const route = await site.route("limited");
      await start(site, route);
      await site.run(3);
      await expectDelivered(site, route, site.begin - HISTORY);
      expect(route.received.repeated).toBe(0);
    });

    test("refusals of its memory limiter", async (context) => {
      const limits = {
        processors: { memory_limiter: { check_interval: "100ms", limit_mib: 12, spike_limit_mib: 6 } },
        service: { pipelines: { metrics: { processors: ["memory_limiter"] } } },
      };
      const site = await open(context, { historyMs: HISTORY, limits });
      const route = await site.route("limited");
      await start(site, route);
      await site.run(5);
      await expectDelivered(site, route, site.begin - HISTORY);
      expect(site.collector.log().match(/Refusing data/g)?.length).toBeGreaterThan(2);
      expect(route.received.repeated).toBe(0);
    });

    test("a request that is rejected once and a partly rejected one, except the points of the latter", async (context) => {
      const site = await open(context);
      const route = await site.route("refused", "http/json");
      const relay = await startRefusingRelay(site.collector.url);
      context.onTestFinished(() => relay.close());
      const exporter = await start(site, route, relay.url);
      await site.run(2);
      for (const refusal of ["all", PARTLY_REFUSED] as const) {
        relay.refuseNext(refusal);
        await site.run(2);
        await until("a refusal", LIMIT_MS, () => relay.ahead.length === 0);
      }
      await site.run(2);
      const { refused } = relay;
      const span = { from: site.begin, to: site.now };
      await site.untilDelivered(route, span, refused.size);
      await until("a word of it", LIMIT_MS, async () => {
        const page = await exporter.page();
        return pointsOn(page, "pending") === 0 && pointsOn(page, "delivered") === route.received.count();
      });
      expect(refused.size).toBe(PARTLY_REFUSED);
      const page = await exporter.page();
      expect(pointsOn(page, "rejected")).toBe(refused.size);
      await site.finish();
      expect(differencesFromRecord(route.received, site.world, [span], { refused })).toEqual([]);
      expect(route.received).toMatchObject({ repeated: 0, outOfOrder: [] });
    });

    test.for([
      { name: "6 hours", ms: 6 * HOUR, coarsest: "short" },
      { name: "3 days", ms: 3 * DAY, coarsest: "medium" },
    ] as const)(
      "$name without the exporter: the last four hours, and averages before",
      async ({ ms, coarsest }, context) => {
        // Long enough that all sensors are scanned and known.
        const site = await open(context, { sensors: FEW_SENSORS, historyMs: HISTORY });
        const route = await site.route("outage");
        const first = await start(site, route);
        await site.run(3);
        const before = { from: site.begin - HISTORY, to: site.now };
        await site.untilDelivered(route, before);
        const deliveredBefore = route.received.count();
        await first.stop();
        const outage = { from: site.now, to: site.now + ms };
        site.jump(ms);
        const live = { from: outage.to - LIVE_WINDOW + 1, to: outage.to };
        const second = await start(site, route);
        // Averages come before newer data, so everything has arrived.
        await site.untilDelivered(route, live);
        await site.run(2);
        const spans = [before, { ...live, to: site.now }];
        for (const span of spans) await site.untilDelivered(route, span);
        let page = "";
        // The answer follows the file's points, and nothing newer follows a paused sensor's averages.
        await until("the exporter's word of it", LIMIT_MS, async () => {
          await site.readOn();
          page = await second.page();
          const delivered = (["live", "short", "medium"] as const).map(
            (each) => pointsOn(page, "delivered", each) || 0,
          );
          return delivered.reduce((sum, count) => sum + count, deliveredBefore) === route.received.count();
        });
        await site.finish();

        const { faults, short, medium } = judgeRecovery(route.received, site.world, outage);
        expect(faults).toEqual([]);
        expect(medium.size > 0 ? "medium" : "short").toBe(coarsest);
        expect(short.size).toBeGreaterThan(FEW_SENSORS * 20);
        const averages = short.union(medium);
        expect(differencesFromRecord(route.received, site.world, spans, { averages })).toEqual([]);
        expect(route.received).toMatchObject({ repeated: 0, outOfOrder: [] });
        expect(pointsOn(page, "delivered", "short")).toBe(short.size);
        expect(pointsOn(page, "delivered", "medium")).toBe(medium.size);
      },
    );
  });

  async function open({ onTestFinished }: TestContext, options: Partial<SiteOptions> = {}): Promise<DeliverySite> {
    const site = await DeliverySite.open({ collector: programs["otel-collector"], sensors: SENSORS, ...options });
    onTestFinished(() => site.close());
    return site;
  }
});

async function start(site: DeliverySite, route: Route, endpoint?: string): Promise<ExporterProgram> {
  const exporter = await site.startExporter(route, endpoint);
  await exporter.ready();
  return exporter;
}

/**
 * (channel, timestamp, value) as in the simulator's record.
 * @param from earliest time known to the exporter, milliseconds.
 */
async function expectDelivered(site: DeliverySite, route: Route, from = site.begin): Promise<void> {
  const span = { from, to: site.now };
  await site.untilDelivered(route, span);
  await site.finish();
  expect(differencesFromRecord(route.received, site.world, [span])).toEqual([]);
  expect(route.received.outOfOrder).toEqual([]);
}

/** Undefined before the first write. */
function watermarkFile({ stateDir }: ExporterProgram): string | undefined {
  const name = readdirSync(stateDir).find((file) => /^watermarks-.*\.json$/.test(file));
  return name && path.join(stateDir, name);
}

/** Last written, by sensor. Milliseconds since the epoch. */
type WrittenWatermarks = Readonly<Record<string, number>>;

interface Kill {
  /** Simulated time, milliseconds since the epoch. */
  readonly at: number;
  readonly watermarks: WrittenWatermarks;
}

function watermarksOf(exporter: ExporterProgram): WrittenWatermarks {
  const file = watermarkFile(exporter);
  const [, body = "{}"] = file === undefined ? [] : readFileSync(file, "utf8").split("\n");
  return JSON.parse(body);
}

/** True if a kill made the exporter forget it. */
function isForgotten({ at, watermarks }: Kill, channelId: string, time: number): boolean {
  return time <= at && time > (watermarks[channelId.split(".")[0] ?? ""] ?? 0);
}

/** Received and forgotten points. */
function countSince({ received }: Route, kill: Kill): number {
  let count = 0;
  for (const [channelId, { times }] of received.channels) {
    count += times.filter((time) => isForgotten(kill, channelId, time)).length;
  }
  return count;
}

/** Points that came again more often than forgotten. */
function needlessRepeats({ received }: Route, kills: readonly Kill[]): string[] {
  const needless: string[] = [];
  for (const [channelId, times] of received.repeats) {
    for (const [time, repeats] of Map.groupBy(times, (each) => each)) {
      const forgotten = kills.filter((kill) => isForgotten(kill, channelId, time)).length;
      if (repeats.length > forgotten) needless.push(`${describePoint(channelId, time)}, ${repeats.length} times`);
    }
  }
  return needless.slice(0, 20);
}

/** Delivered, rejected or pending points of one resolution, from the exporter's page. */
function pointsOn(page: string, what: "delivered" | "rejected" | "pending", resolution = "live"): number {
  const name = what === "pending" ? "prtg_exporter_otlp_pending_points" : `prtg_exporter_otlp_${what}_points_total`;
  const sample = page.split("\n").find((line) => line.startsWith(`${name}{server="hq",resolution="${resolution}"} `));
  return Number(sample?.split(" ").at(-1));
}
