import { readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import path from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { DAY, DeliverySite, HOUR, MINUTE, type Route, type SiteOptions, until } from "./support/delivery-site.ts";
import type { ExporterProgram } from "./support/exporter-program.ts";
import { judgeHealing } from "./support/healed-outage.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { startPushingExporter } from "./support/pushing-exporter.ts";
import { startRefusingRelay } from "./support/refusing-relay.ts";
import { differencesFromRecord } from "./support/simulated-record.ts";

const SENSORS = 250;
const FEW_SENSORS = 60;
const HISTORY = 2 * HOUR;
const LIVE_WINDOW = 4 * HOUR;
const PARTLY_REFUSED = 7;
/** Failures in a row after which the exporter leaves a server alone for some seconds. */
const ENOUGH_FAILURES = 5;
const LIMIT_MS = 60_000;

describeWithPrograms(["otel-collector"], "an OpenTelemetry Collector has every measurement once", (programs) => {
  // Most of the time of these tests is waiting for the next poll.
  describe.concurrent("after", () => {
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

    test("three times SIGKILL, but for what had come since the watermarks were written last", async (context) => {
      const site = await open(context);
      const route = await site.route("killed");
      let unwritten = 0;
      for (let kill = 0; kill < 3; kill++) {
        const exporter = await start(site, route);
        // Watermarks are written every five seconds; so these are kills with some and without.
        await site.run(3 + 3 * kill);
        await exporter.kill();
        unwritten += await receivedSince(site, route, exporter);
        site.jump(2 * MINUTE);
      }
      await start(site, route);
      await site.run(2);
      await expectDelivered(site, route);
      expect(route.received.repeated).toBeGreaterThan(0);
      // Less where the next kill came before all of it was sent again.
      expect(route.received.repeated).toBeLessThanOrEqual(unwritten);
    });

    test("a torn file of watermarks: all of the live window comes again, as it came before", async (context) => {
      const site = await open(context);
      const route = await site.route("torn");
      const first = await start(site, route);
      await site.run(5);
      await site.untilDelivered(route, { from: site.begin, to: site.now });
      await first.stop();
      const file = watermarkFile(first) ?? "";
      truncateSync(file, Math.floor(statSync(file).size / 2));
      const received = route.received.count();
      site.jump(2 * MINUTE);
      const second = await start(site, route);
      await site.run(2);
      await expectDelivered(site, route);
      expect(route.received.repeated).toBe(received);
      expect(second.log()).toMatch(/"found":"torn".*starting from the live time series/);
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
otlp: { endpoint: "${site.collector.url}" }
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

    test("a request that the collector refuses, and one that it refuses in part, but for those points", async (context) => {
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
      expect(refused.size).toBeGreaterThan(PARTLY_REFUSED);
      const page = await exporter.page();
      expect(pointsOn(page, "rejected")).toBe(refused.size);
      expect(page).toContain('prtg_exporter_otlp_refused_requests_total{stream="live"} 1\n');
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
        // Long enough for all sensors to have been scanned before, and to be known.
        const site = await open(context, { sensors: FEW_SENSORS, historyMs: HISTORY });
        const route = await site.route("outage");
        const first = await start(site, route);
        await site.run(3);
        await site.untilDelivered(route, { from: site.begin, to: site.now });
        await first.stop();
        const outage = { from: site.now, to: site.now + ms };
        site.jump(ms);
        const before = { from: site.begin - HISTORY, to: outage.from };
        const live = { from: outage.to - LIVE_WINDOW + 1, to: outage.to };
        const second = await start(site, route);
        // Averages come before what is newer, so everything is there then.
        await site.untilDelivered(route, live);
        await site.run(2);
        const spans = [before, { ...live, to: site.now }];
        for (const span of spans) await site.untilDelivered(route, span);
        const page = await second.page();
        await site.finish();

        const { faults, short, medium } = judgeHealing(route.received, site.world, outage);
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
 * The set of (channel, timestamp, value) is that of the simulator's record.
 * @param from The beginning of what the exporter could know, milliseconds.
 */
async function expectDelivered(site: DeliverySite, route: Route, from = site.begin): Promise<void> {
  const span = { from, to: site.now };
  await site.untilDelivered(route, span);
  await site.finish();
  expect(differencesFromRecord(route.received, site.world, [span])).toEqual([]);
  expect(route.received.outOfOrder).toEqual([]);
}

/** Undefined when none was written yet. */
function watermarkFile({ stateDir }: ExporterProgram): string | undefined {
  const name = readdirSync(stateDir).find((file) => /^watermarks-.*\.json$/.test(file));
  return name && path.join(stateDir, name);
}

/** Points that came and are newer than the watermark of their sensor. */
async function receivedSince(site: DeliverySite, { received }: Route, exporter: ExporterProgram): Promise<number> {
  await site.readOn();
  const file = watermarkFile(exporter);
  const [, body = "{}"] = file === undefined ? [] : readFileSync(file, "utf8").split("\n");
  const watermarks: Readonly<Record<string, number>> = JSON.parse(body);
  let count = 0;
  for (const [channelId, { times }] of received.channels) {
    const watermark = watermarks[channelId.split(".")[0] ?? ""] ?? 0;
    count += times.filter((time) => time > watermark).length;
  }
  return count;
}

/** Points of the exporter's page that are delivered, rejected or pending, of one resolution. */
function pointsOn(page: string, what: "delivered" | "rejected" | "pending", resolution = "live"): number {
  const name = what === "pending" ? "prtg_exporter_otlp_pending_points" : `prtg_exporter_otlp_${what}_points_total`;
  const sample = page.split("\n").find((line) => line.startsWith(`${name}{server="hq",resolution="${resolution}"} `));
  return Number(sample?.split(" ").at(-1));
}
