import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { startCommand } from "../support/command-line.ts";
import { seriesKey } from "../support/expected-series.ts";
import { type SimulatedExporter, startSimulatedExporter, TEST_KEY } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { historyRecord } from "./support/history-record.ts";
import { type OtlpRelay, startOtlpRelay } from "./support/otlp-relay.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SIZE = { probes: 1, groups: 3, devices: 8, sensors: 20, channels: 80 };
const REQUEST_POINTS = 500;

describeWithPrograms(["prometheus-3"], "history that backfill pushes into Prometheus 3", (programs) => {
  let running: SimulatedExporter;
  /** In the middle of each series' step. */
  let at: number;
  let from: number;
  let to: number;
  let relay: OtlpRelay;
  let prometheus: Prometheus | undefined;

  beforeAll(async () => {
    running = await startSimulatedExporter({ size: SIZE, clock: systemClock });
    at = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE - 2.5 * MINUTE;
    running.simulator.freezeAt(at);
    [from, to] = [at - 10 * DAY, at - 4 * HOUR];
  });

  afterEach(async () => {
    await relay.close();
    await prometheus?.stop();
  });

  afterAll(() => running.close());

  /** Like one in use. */
  async function startPrometheus(outOfOrderWindow: string): Promise<Prometheus> {
    prometheus = await Prometheus.start({
      binary: programs["prometheus-3"],
      target: "127.0.0.1:9",
      flags: ["--web.enable-otlp-receiver", "--storage.tsdb.retention.time=30d"],
      config: { storage: { tsdb: { out_of_order_time_window: outOfOrderWindow } } },
    });
    const deadline = Date.now() + MINUTE;
    while ((await prometheus.query("up")).length === 0 && Date.now() < deadline) await sleep(50);
    relay = await startOtlpRelay();
    relay.forwardTo(prometheus.url);
    return prometheus;
  }

  function backfill() {
    const state = temporaryFolder({});
    const settings = `
servers: [{ name: hq, url: "${running.simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 100 } }]
state_dir: ${state}
otlp: { endpoint: "${relay.url}/api/v1/otlp" }
`;
    const config = join(temporaryFolder({ "config.yaml": settings }), "config.yaml");
    const times = ["--from", new Date(from).toISOString(), "--to", new Date(to).toISOString()];
    return () => startCommand(["backfill", "--push", "--config.file", config, ...times], { env: { KEY: TEST_KEY } });
  }

  test("matches the simulator's record after interruptions and kills", async () => {
    const { query } = await startPrometheus("15d").then((started) => ({ query: started.query.bind(started) }));
    const start = backfill();
    const requests = () => relay.requests.length;
    for (const signal of ["SIGINT", "SIGKILL", "SIGINT"] as const) {
      const command = start();
      const enough = requests() + 5 + Math.floor(Math.random() * 20);
      const ended = command.ended.then(({ stderr }) => Promise.reject(new Error(`ended too early: ${stderr}`)));
      ended.catch(() => undefined);
      while (requests() < enough) await Promise.race([sleep(1), ended]);
      command.kill(signal);
      const { code, stderr } = await command.ended;
      expect(code, stderr).toBe(signal === "SIGINT" ? 130 : null);
    }
    const { code, stdout, stderr } = await start().ended;
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^pushed \d+ values of up to 80 series to /);

    const expected = historyRecord(running.simulator.world, { at, from, to });
    const series = new Set<string>();
    const found = await query('prtg_channel_value{job="prtg-exporter"}[11d]', at / 1000);
    const stored = new Map(
      found.map(({ labels, points }) => {
        const { __name__: name = "", job: _job, instance: _instance, ...own } = labels;
        series.add(seriesKey(name, own));
        const id = `${own.sensor_id}.${own.channel_id}`;
        return [id, points.map(({ time, value }) => [Math.round(time * 1000), value])];
      }),
    );
    expect(found.length).toBe(stored.size);
    expect([...stored.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [channel, points] of stored) expect(points, channel).toEqual(expected.get(channel));

    // The receiver stores a point once, so it cannot show repeats.
    const sent = (relay.points.get("prtg.channel_value") ?? []).map(
      ({ attributes, time }) => `${attributes.sensor_id}.${attributes.channel_id} ${time}`,
    );
    const total = [...expected.values()].reduce((sum, points) => sum + points.length, 0);
    expect(total).toBeGreaterThan(40_000);
    expect(new Set(sent).size).toBe(total);
    expect(sent.length - total, "repeated after one SIGKILL").toBeLessThanOrEqual(REQUEST_POINTS);

    // Current scrapes have the same labels.
    expect(await running.poll()).toBe(true);
    for (const { name, labels } of (await running.samples()).values()) {
      const given = Object.entries(labels).filter(([, value]) => value !== "");
      if (name === "prtg_channel_value") expect(series).toContain(seriesKey(name, Object.fromEntries(given)));
    }
    const again = await start().ended;
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("[BACKFILL_OVERLAP]");
  });

  test("ends immediately with a message if the out-of-order window is too short", async () => {
    await startPrometheus("1h");
    const { code, stderr } = await backfill()().ended;
    expect(stderr).toMatch(/rejects history: HTTP 400 .*\[BACKFILL_REFUSED\] .*storage.tsdb.out_of_order_time_window/);
    expect(code).toBe(1);
    // Only probes are accepted. The first request is repeated without gzip, which rules that out.
    const answers = relay.requests.map(({ status }) => status);
    expect(answers.slice(0, 3)).toEqual([400, 400, 200]);
    expect(answers.length).toBeLessThan(1_500);
  });
});
