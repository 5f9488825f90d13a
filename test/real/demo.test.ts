import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { type BackgroundProgram, startInBackground } from "./support/background-program.ts";
import { isAlive } from "./support/is-alive.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const READY = /first poll of (\d+) simulated sensors is complete .*\bOpen (http:\/\/127\.0\.0\.1:\d+)\s/s;
const START_LIMIT_MS = 200_000;
/** "Ends within a few seconds." */
const STOP_LIMIT_MS = 5_000;
/** Also the scrape timeout: a busy machine would miss one second. */
const INTERVAL = "2s";
/** Polls run every ten seconds. Only a busy machine needs this long. */
const PATIENCE = { timeout: 120_000, interval: 500 };

describe("npm run demo", () => {
  describeWithPrograms(["prometheus-3"], "under Prometheus", (paths) => {
    test("survives several scrapes, polls and ends cleanly on Ctrl-C", async () => {
      // With this shell, Ctrl-C arrives twice: from the terminal and from npm.
      const demo = startDemo({ env: { npm_config_script_shell: "bash" } });
      const { sensors, url } = await opened(demo);
      expect(sensors).toBe(2600);
      const target = new URL(url).host;
      const prometheus = await Prometheus.start({
        ...{ binary: paths["prometheus-3"], target, interval: INTERVAL },
        flags: ["--log.level=debug"],
      });
      onTestFinished(() => prometheus.stop());
      await prometheus.waitUntilScraped();

      const single = async (query: string, time?: number) => {
        const series = await prometheus.query(query, time);
        expect(series).toHaveLength(1);
        return series[0]?.points[0]?.value;
      };
      const polls = 'changes(prtg_exporter_collector_last_success_timestamp_seconds{collector="channels"}[5m])';
      await expect.poll(() => single(polls), PATIENCE).toBeGreaterThan(0);
      // The page follows shortly after the collector's report.
      const changed = "count(changes(prtg_channel_value[5m]) > 0) or vector(0)";
      await expect.poll(() => single(changed), PATIENCE).toBeGreaterThan(100);
      await expect.poll(() => single("sum_over_time(up[5m])"), PATIENCE).toBeGreaterThanOrEqual(4);

      expect(prometheus.failedScrapes()).toEqual([]);
      const now = await prometheus.nextScrape();
      expect(await single("prtg_up", now)).toBe(1);
      expect(await single("sum(prtg_sensors)", now)).toBe(sensors);
      expect(await prometheus.seriesCount("prtg_sensor_status_code", now)).toBe(sensors);
      expect(await single('prtg_objects{kind="channel"}', now)).toBe(12_000);
      // Of 12,000. At some times, more are paused or never measured.
      expect(await prometheus.seriesCount("prtg_channel_value", now)).toBeGreaterThan(10_000);

      expect(await interrupted(demo)).toEqual({ code: 0, signal: null });
      await expectGone(demo, url);
    });
  });

  test("ends on Ctrl-C with a shell and leaves nothing behind", async () => {
    const demo = startDemo({ flags: ["--sensors", "40"] });
    const { sensors, url } = await opened(demo);
    expect(sensors).toBe(40);
    const answer = await fetch(`${url}/metrics`);
    expect(await answer.text()).toContain("prtg_up");

    // Some shells report the interruption to npm regardless of the program's result.
    const { code, signal } = await interrupted(demo);
    expect(signal ?? code).toBeOneOf(["SIGINT", 0]);
    await expectGone(demo, url);
    expect(demo.log()).not.toMatch(/error|warn/i);
  });
});

function startDemo({ flags = [], env = {} }: { flags?: string[]; env?: Record<string, string> }): BackgroundProgram {
  const args = ["run", "demo", "--", "--web.listen-address", "127.0.0.1:0", ...flags];
  const demo = startInBackground("npm", args, { cwd: ROOT, env, ownGroup: true });
  onTestFinished(() => demo.stop("SIGKILL"));
  return demo;
}

async function opened(demo: BackgroundProgram): Promise<{ sensors: number; url: string }> {
  const [, sensors, url = ""] = await demo.waitForLog(READY, START_LIMIT_MS);
  return { sensors: Number(sensors), url };
}

/** Presses Ctrl-C. Rejects after a timeout. */
function interrupted(demo: BackgroundProgram): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`runs on:\n${demo.log()}`)), STOP_LIMIT_MS);
    void demo.ended.then((ending) => {
      clearTimeout(late);
      resolve(ending);
    });
    demo.interrupt();
  });
}

/** No process of its group remains, so no server listens. */
async function expectGone(demo: BackgroundProgram, url: string): Promise<void> {
  await expect.poll(() => isAlive(-demo.pid), { timeout: 20_000 }).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
}
