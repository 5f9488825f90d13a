import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { World } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { startCommand } from "../support/command-line.ts";
import { seriesKey } from "../support/expected-series.ts";
import { type SimulatedExporter, startSimulatedExporter, TEST_KEY } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { historyRecord } from "./support/history-record.ts";
import { parseOpenMetrics } from "./support/openmetrics-parser.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { runProgram } from "./support/run-program.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Only against hanging: promtool takes longest. */
const IMPORT_LIMIT_MS = 280_000;

const SIZE = { probes: 2, groups: 4, devices: 10, sensors: 40, channels: 200 };

describeWithPrograms(["promtool-3", "prometheus-3", "python-openmetrics"], "history from backfill", (programs) => {
  let running: SimulatedExporter;
  let world: World;
  /** In the middle of each series' step. */
  let at: number;
  let from: number;
  let to: number;

  beforeAll(async () => {
    running = await startSimulatedExporter({ size: SIZE, clock: systemClock });
    ({ world } = running.simulator);
    at = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE - 2.5 * MINUTE;
    running.simulator.freezeAt(at);
    [from, to] = [at - 5 * DAY, at - 3 * HOUR];
  });

  afterAll(() => running.close());

  function start(output: string, sections = "") {
    const server = `{ name: hq, url: "${running.simulator.url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 40 } }`;
    const config = temporaryFolder({ "config.yaml": `servers: [${server}]\n${sections}` });
    const times = ["--from", new Date(from).toISOString(), "--to", new Date(to).toISOString()];
    const labels = ["--label", "job=prtg", "--label", "instance=exporter:9705"];
    return startCommand(
      ["backfill", "--config.file", join(config, "config.yaml"), "--output", output, ...times, ...labels],
      { env: { KEY: TEST_KEY } },
    );
  }

  /** With the real program and our folder. Returns the printed command. */
  async function importFiles(stdout: string): Promise<string> {
    const data = temporaryFolder({});
    const printed = /^ {2}for file in .*$/m.exec(stdout)?.[0] ?? "";
    expect(printed).toMatch(/promtool tsdb create-blocks-from .*openmetrics .* DATA_FOLDER/);
    const command = printed.replace("DATA_FOLDER", data).replace(" promtool ", ` ${programs["promtool-3"]} `);
    const imported = await runProgram("sh", ["-c", command], "", IMPORT_LIMIT_MS);
    expect(imported).toEqual({ code: 0, stdout: "", stderr: "" });
    return data;
  }

  async function query(data: string, expression: string) {
    const prometheus = await Prometheus.start({ binary: programs["prometheus-3"], target: "127.0.0.1:9", data });
    try {
      return await prometheus.query(expression, to / 1000);
    } finally {
      await prometheus.stop();
    }
  }

  test("matches the simulator's record, in the series of a scrape", async () => {
    const output = join(temporaryFolder({}), "it's history");
    const { code, stdout, stderr } = await start(output).ended;
    expect(stderr).not.toMatch(/"level":"(warn|error)"/);
    expect(code).toBe(0);
    // The default of `limits.concurrency`.
    expect(running.simulator.requests.maxInFlight).toBe(4);
    const expected = historyRecord(world, { at, from, to });
    const times = [...expected.values()].flat().map(([time]) => time);
    const days = new Set(times.map((time) => new Date(time).toISOString().slice(0, 10)));
    const files = readdirSync(output).filter((name) => name.endsWith(".om"));
    expect(files.map((name) => name.slice(0, 10))).toEqual([...days].sort());

    const parsed = await parseOpenMetrics(
      programs["python-openmetrics"],
      readFileSync(join(output, files[0] ?? ""), "utf8"),
    );
    expect(parsed).toMatchObject({ ok: true });
    const data = await importFiles(stdout);
    expect(readdirSync(data).length).toBeGreaterThan(files.length);
    const found = await query(data, "prtg_channel_value[6d]");

    const pointsOf = new Map<string, (readonly [number, number])[]>();
    const series = new Set<string>();
    for (const { labels, points } of found) {
      const { __name__: name = "", job, instance, ...own } = labels;
      expect({ job, instance }).toEqual({ job: "prtg", instance: "exporter:9705" });
      series.add(seriesKey(name, own));
      const channel = `${own.sensor_id}.${own.channel_id}`;
      pointsOf.set(
        channel,
        points.map(({ time, value }) => [Math.round(time * 1000), value]),
      );
    }
    // A scrape now continues this history.
    expect(await running.poll()).toBe(true);
    for (const { name, labels } of (await running.samples()).values()) {
      const given = Object.entries(labels).filter(([, value]) => value !== "");
      if (name === "prtg_channel_value") expect(series).toContain(seriesKey(name, Object.fromEntries(given)));
    }
    expect(pointsOf.size).toBe(found.length);
    expect([...pointsOf.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [channel, points] of pointsOf) expect(points, channel).toEqual(expected.get(channel));
    expect([...pointsOf.values()].flat().length).toBeGreaterThan(80_000);
  });

  test("has identical bytes after interruptions and kills", async () => {
    const whole = join(temporaryFolder({}), "whole");
    const parted = join(temporaryFolder({}), "parted");
    const before = seriesRequests();
    expect((await start(whole).ended).code).toBe(0);
    const requests = seriesRequests() - before;
    // Five sensors at a time with three series: 20 requests finish the first one.
    const points = ["SIGINT", "SIGKILL", "SIGINT"].map(
      (signal) => [signal, 20 + Math.floor(Math.random() * 20)] as const,
    );
    for (const [signal, point] of points) {
      const asked = seriesRequests();
      const command = start(parted);
      let ended = false;
      void command.ended.then(() => {
        ended = true;
      });
      while (!ended && seriesRequests() < asked + point) await sleep(2);
      command.kill(signal as NodeJS.Signals);
      const { code, stdout } = await command.ended;
      expect(code, JSON.stringify(points)).toBe(signal === "SIGINT" ? 130 : null);
      if (signal === "SIGINT") expect(stdout).toMatch(/^interrupted: .*\. Run the same command again to continue\.$/m);
      expect(readdirSync(parted).filter((name) => name.endsWith(".om"))).toEqual([]);
    }
    const asked = seriesRequests();
    const { code, stderr } = await start(parted).ended;
    expect(code, stderr).toBe(0);
    expect(seriesRequests() - asked).toBeLessThan(requests);
    expect(filesOf(parted), JSON.stringify(points)).toEqual(filesOf(whole));
    const again = await start(parted).ended;
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("[BACKFILL_OVERLAP]");
  });

  function seriesRequests(): number {
    const counts = running.simulator.requests.counts();
    return counts.filter(({ route }) => route.includes("timeseries")).reduce((sum, { count }) => sum + count, 0);
  }
});

function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".om"));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
