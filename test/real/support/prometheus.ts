import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";
import { PromqlClient } from "./promql-client.ts";
import { runProgram } from "./run-program.ts";

export type { Series, Target } from "./promql-client.ts";

interface PrometheusOptions {
  binary: string;
  /** host:port. Undefined: scrapes nothing. */
  target: string | undefined;
  /** Scrape and evaluation interval, also the timeout. Default: `1s`. */
  interval?: string;
  /** More keys of the scrape job, such as `metrics_path` or `scrape_protocols`. */
  scrapeJob?: Record<string, unknown>;
  /** More top-level keys, such as `rule_files` or `otlp`. */
  config?: Record<string, unknown>;
  flags?: readonly string[];
  /** Initial blocks in a folder that stays. Default: its own empty one. */
  data?: string;
}

const JOB = "exporter";
const START_LIMIT_MS = 60_000;

/** Free loopback port, temporary data until `stop`. */
export class Prometheus extends PromqlClient {
  readonly #program: BackgroundProgram;
  readonly #folder: string;

  private constructor(url: string, program: BackgroundProgram, folder: string) {
    super(url);
    this.#program = program;
    this.#folder = folder;
  }

  static async start(options: PrometheusOptions): Promise<Prometheus> {
    const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-prometheus-"));
    const configFile = path.join(folder, "prometheus.json");
    // JSON is valid YAML.
    await writeFile(configFile, JSON.stringify(configuration(options), null, 2));
    const program = startInBackground(options.binary, [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${options.data ?? path.join(folder, "data")}`,
      // The system picks a free port and the log names it.
      "--web.listen-address=127.0.0.1:0",
      // A new target would wait five seconds for its first scrape.
      "--scrape.discovery-reload-interval=100ms",
      ...(options.flags ?? []),
    ]);
    try {
      const deadline = Date.now() + START_LIMIT_MS;
      const listening = await program.waitForLog(/msg="Listening on".* address=(\S+)/, START_LIMIT_MS);
      const prometheus = new Prometheus(`http://${listening[1]}`, program, folder);
      while (!(await prometheus.#isReady())) {
        program.throwIfEnded();
        if (Date.now() > deadline) throw new Error(`not ready after ${START_LIMIT_MS} ms`);
        await sleep(50);
      }
      return prometheus;
    } catch (error) {
      await program.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
      throw new Error(`Prometheus did not start: ${String(error)}\n${program.log()}`, { cause: error });
    }
  }

  log(): string {
    return this.#program.log();
  }

  /** Number of series, now or at `time` (Unix seconds). */
  override async seriesCount(selector = `{job="${JOB}"}`, time?: number): Promise<number> {
    return super.seriesCount(selector, time);
  }

  /** Of every target. @returns its time, like `nextScrape` */
  waitUntilScraped(limitMs?: number): Promise<number> {
    return this.#goodScrape(0, limitMs);
  }

  /**
   * A good one of every target, with all data served before this call.
   * @returns Unix seconds: after a timeout on a busy machine, a query about now finds nothing
   */
  nextScrape(limitMs?: number): Promise<number> {
    // Prometheus shifts scrapes by up to two milliseconds.
    return this.#goodScrape((Date.now() + 3) / 1000, limitMs);
  }

  async #goodScrape(since: number, limitMs = 60_000): Promise<number> {
    return this.#waitFor(limitMs, async (targets) => {
      const times = (await this.#lastScrapes()).map(({ time }) => time).filter((time) => time >= since);
      return times.length > 0 && times.length >= targets ? Math.max(...times) : undefined;
    });
  }

  /**
   * Of each job (one target each). Queries about these times are stable.
   * @returns by job, Unix seconds
   */
  goodScrapes(limitMs = 60_000): Promise<ReadonlyMap<string, number>> {
    const times = new Map<string, number>();
    return this.#waitFor(limitMs, async (targets) => {
      for (const { job, time } of await this.#lastScrapes()) times.set(job, times.get(job) ?? time);
      return times.size > 0 && times.size >= targets ? times : undefined;
    });
  }

  /** Targets whose last scrape succeeded, with its time. */
  async #lastScrapes(): Promise<{ job: string; time: number }[]> {
    const scrapes = await this.query("timestamp(up) and (up == 1)");
    return scrapes.map(({ labels: { job = "" }, points }) => ({ job, time: points[0]?.value ?? 0 }));
  }

  /** Waits until `find` succeeds. It gets the number of targets. */
  async #waitFor<Found>(limitMs: number, find: (targets: number) => Promise<Found | undefined>): Promise<Found> {
    const deadline = Date.now() + limitMs;
    for (;;) {
      const targets = await this.targets();
      const found = await find(targets.length);
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`no good scrape: ${JSON.stringify(targets)}\n${this.log()}`);
      await sleep(50);
    }
  }

  /** Scrape errors except timeouts, which only show a busy machine. Needs `--log.level=debug`. */
  failedScrapes(): string[] {
    const failures = this.log()
      .split("\n")
      .filter((line) => /msg="(Scrape|Append) failed"/.test(line));
    return failures.filter((line) => !line.includes("context deadline exceeded"));
  }

  async stop(): Promise<void> {
    // The data is deleted anyway, so an orderly shutdown would waste seconds.
    await this.#program.stop("SIGKILL");
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/-/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok === true;
  }
}

function configuration({ target, interval = "1s", scrapeJob, config }: PrometheusOptions): Record<string, unknown> {
  return {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    scrape_configs:
      target === undefined ? [] : [{ job_name: JOB, static_configs: [{ targets: [target] }], ...scrapeJob }],
    ...config,
  };
}

/** Code 0: no findings, 1: unreadable, 3: only style. */
export async function promtoolCheckMetrics(
  binary: string,
  text: string,
): Promise<{ code: number | null; output: string }> {
  const { code, stdout, stderr } = await runProgram(binary, ["check", "metrics"], text);
  return { code, output: stdout + stderr };
}
