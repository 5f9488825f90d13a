import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import type { SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ParsedSample, parsePage } from "../support/parse-sample.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { type OtlpTee, startOtlpTee } from "./support/otlp-tee.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { type PushingExporter, startPushingExporter } from "./support/pushing-exporter.ts";
import { OTLP_TIMEOUT_MS, REQUEST_TIMEOUT_MS, RequestClock } from "./support/request-clock.ts";
import { VictoriaMetrics } from "./support/victoria-metrics.ts";

const MINUTE = 60_000;
const PUSH_EVERY = 1_000;
/** Ten seconds to six hours. */
const INTERVALS_SECONDS = [10, 60, 300, 900, 3_600, 21_600, 300, 900, 3_600, 21_600];
/** Simulated time ends shortly before now, because VictoriaMetrics accepts little future data. */
const MINUTES = 3 * 60;
/** The first start's reads and repeats. */
const WARM_UP_MINUTES = 6;
const ATTEMPTS = 8;

describeWithPrograms(["prometheus-3", "victoria-metrics"], "receivers that get data by OTLP only", (programs) => {
  describe("without an out-of-order window", () => {
    const family = "prtg_channel_value";
    let folder: string;
    let prometheus: Prometheus;
    let victoria: VictoriaMetrics;
    let tee: OtlpTee;
    let clock: RequestClock;
    let simulator: Simulator;
    let world: World;
    let exporter: PushingExporter;

    beforeAll(async () => {
      folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-slow-"));
      prometheus = await Prometheus.start({
        binary: programs["prometheus-3"],
        target: undefined,
        // The first start sends four hours, without an out-of-order window.
        flags: [
          "--web.enable-otlp-receiver",
          ...["min", "max"].map((end) => `--storage.tsdb.${end}-block-duration=24h`),
        ],
      });
      victoria = await VictoriaMetrics.start({
        binary: programs["victoria-metrics"],
        flags: ["-opentelemetry.usePrometheusNaming"],
      });
      tee = await startOtlpTee([`${prometheus.url}/api/v1/otlp`, `${victoria.url}/opentelemetry`]);
      clock = new RequestClock(Math.floor(Date.now() / MINUTE - MINUTES - 1) * MINUTE);
      world = slowWorld(clock.now());
      simulator = await startSimulator({
        world,
        clock,
        spelling: "live",
        credentials: { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" },
      });
      exporter = await clock.until(
        startPushingExporter({
          server: simulator.url,
          limits: `timeout: ${REQUEST_TIMEOUT_MS}ms`,
          settings: `
state_dir: ${folder}
otlp: { endpoint: "${tee.url}", interval: ${PUSH_EVERY}ms, timeout: ${OTLP_TIMEOUT_MS}ms, compression: none }
`,
          clock,
        }),
      );
    });

    afterAll(async () => {
      await clock?.until(exporter?.stop());
      await tee?.close();
      await simulator?.close();
      await prometheus?.stop();
      await victoria?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("show all channels of the page at every full minute, and reject nothing", {
      timeout: 240_000,
    }, async () => {
      const faults: string[] = [];
      const changes = new Map([
        [60, (sensors: readonly SimSensor[]) => world.pause(idOf(sensors, 0), clock.now())],
        [100, (sensors: readonly SimSensor[]) => world.resume(idOf(sensors, 0), clock.now())],
        [130, (sensors: readonly SimSensor[]) => world.remove(idOf(sensors, 1))],
      ]);
      const hourly = world.list("sensor").filter(({ intervalSeconds }) => intervalSeconds === 3_600);
      let before: ReadonlySet<string> = new Set();
      let waited = 0;
      for (let minute = 0; minute < MINUTES; minute++) {
        changes.get(minute)?.(hourly);
        await clock.pass(MINUTE - waited);
        waited = 0;
        if (minute < WARM_UP_MINUTES) continue;
        const at = clock.now() / 1000;
        const onPage = keysOf([...parsePage(await exporter.page()).values()].filter(({ name }) => name === family));
        const known = new Set([...onPage].filter((key) => before.has(key)));
        const gone = new Set([...changes.keys()].some((change) => change === minute) ? before : []);
        before = onPage;
        const compare = async () => {
          const found = await Promise.all([prometheus.query(family, at), victoria.query(family, at)]);
          return found.flatMap((series, receiver) => {
            const shown = keysOf(series);
            const missing = [...known.difference(shown)].map((key) => `lacks ${key}`);
            const wrong = [...shown.difference(onPage).difference(gone)].map((key) => `still has ${key}`);
            return [...missing, ...wrong].map((what) => `minute ${minute}: receiver ${receiver} ${what}`);
          });
        };
        let found = await compare();
        // This minute's push may be in flight, or wait for its interval after an answer that was late.
        for (let attempt = 0; found.length > 0 && attempt < ATTEMPTS; attempt++) {
          await sleep(500);
          await clock.pass(PUSH_EVERY);
          waited += PUSH_EVERY;
          found = await compare();
        }
        faults.push(...found);
      }
      expect(faults.slice(0, 20)).toEqual([]);
      const page = [...parsePage(await exporter.page()).values()];
      expect(page.filter(({ name }) => name === family).length).toBeGreaterThan(100);
      // First, because it says why.
      expect(tee.complaints).toEqual([]);
      expectNothingRejected(page);
      const refused = /^prometheus_tsdb_(out_of_(order|bound)|too_old)_samples_total/;
      expect(await sumOf(`${prometheus.url}/metrics`, refused)).toBe(0);
      expect(await sumOf(`${victoria.url}/metrics`, /^vm_rows_(ignored|invalid)_total/)).toBe(0);
    });
  });
});

function keysOf(series: readonly { readonly labels: Readonly<Record<string, string>> }[]): ReadonlySet<string> {
  return new Set(series.map(({ labels }) => `${labels.sensor_id}/${labels.channel_id}`));
}

function idOf(sensors: readonly SimSensor[], index: number): string {
  const sensor = sensors[index];
  if (sensor === undefined) throw new Error("the world is too small");
  return sensor.id;
}

/** Contains every interval, with scans at various seconds and minutes. */
function slowWorld(startedAt: number): World {
  const size = { probes: 2, groups: 4, devices: 12, sensors: 40, channels: 160 };
  const world = createWorld({ seed: 1, size, startedAt });
  for (const [index, sensor] of world.list("sensor").entries()) {
    sensor.intervalSeconds = INTERVALS_SECONDS[index % INTERVALS_SECONDS.length] ?? 60;
  }
  return world;
}

function expectNothingRejected(page: readonly ParsedSample[]): void {
  const sum = (family: string, outcome?: string) =>
    page
      .filter(({ name, labels }) => name === family && (outcome === undefined || labels.outcome === outcome))
      .reduce((total, { value }) => total + Number(value), 0);
  expect(sum("prtg_exporter_otlp_rejected_points_total")).toBe(0);
  expect(sum("prtg_exporter_otlp_repeated_points_total", "rejected")).toBe(0);
  expect(sum("prtg_exporter_otlp_repeated_points_total", "delivered")).toBeGreaterThan(1_000);
  expect(sum("prtg_exporter_otlp_state_points_total", "rejected")).toBe(0);
  expect(sum("prtg_exporter_otlp_refused_requests_total")).toBe(0);
}

async function sumOf(url: string, metric: RegExp): Promise<number> {
  const lines = (await (await fetch(url)).text()).split("\n").filter((line) => metric.test(line));
  expect(lines.length).toBeGreaterThan(0);
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
