import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";
import { PromqlClient, type Series, type Target } from "./promql-client.ts";

interface VictoriaOptions {
  readonly binary: string;
  /** Prometheus format. Default: no scrapes. */
  readonly scrapeConfigs?: readonly Readonly<Record<string, unknown>>[];
  /** Also the scrape timeout. Default: `1s`. */
  readonly interval?: string;
  readonly flags?: readonly string[];
}

const START_LIMIT_MS = 60_000;

/** Scrapes, receives and forwards, on a free loopback port until `stop`. */
export interface Vmagent {
  readonly url: string;
  targets(): Promise<Target[]>;
  stop(): Promise<void>;
}

/** @param database address for forwarded data */
export async function startVmagent(options: VictoriaOptions, database: string): Promise<Vmagent> {
  const { url, stop } = await start(options, (folder) => [
    `-remoteWrite.url=${database}/api/v1/write`,
    `-remoteWrite.tmpDataPath=${path.join(folder, "queue")}`,
    "-remoteWrite.flushInterval=100ms",
  ]);
  const client = new PromqlClient(url);
  return { url, targets: () => client.targets(), stop };
}

/** Free loopback port, temporary data until `stop`. */
export class VictoriaMetrics extends PromqlClient {
  readonly #running: Running;
  /** Look-back of instant queries. Default: five minutes. */
  readonly #lookBack: string;

  private constructor(running: Running, lookBack: string) {
    super(running.url);
    this.#running = running;
    this.#lookBack = lookBack;
  }

  static async start(options: VictoriaOptions & { readonly lookBack?: string }): Promise<VictoriaMetrics> {
    const running = await start(options, (folder) => [
      `-storageDataPath=${path.join(folder, "data")}`,
      // Includes the newest data.
      "-search.latencyOffset=0s",
      "-search.disableCache",
    ]);
    return new VictoriaMetrics(running, options.lookBack ?? "5m");
  }

  log(): string {
    return this.#running.program.log();
  }

  /** Flushes first: otherwise the last second is not visible yet. */
  override async query(promql: string, time?: number): Promise<Series[]> {
    const answer = await fetch(`${this.url}/internal/force_flush`);
    await answer.body?.cancel();
    return super.query(promql, time);
  }

  stop(): Promise<void> {
    return this.#running.stop();
  }

  protected override get<Data>(endpoint: string, parameters: Record<string, string>): Promise<Data> {
    return super.get(endpoint, endpoint === "query" ? { step: this.#lookBack, ...parameters } : parameters);
  }
}

interface Running {
  readonly url: string;
  readonly program: BackgroundProgram;
  stop(): Promise<void>;
}

async function start(options: VictoriaOptions, flags: (folder: string) => readonly string[]): Promise<Running> {
  const { binary, scrapeConfigs = [], interval = "1s" } = options;
  const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-victoria-"));
  const configFile = path.join(folder, "scrape.json");
  const global = { scrape_interval: interval, scrape_timeout: interval };
  // JSON is valid YAML.
  await writeFile(configFile, JSON.stringify({ global, scrape_configs: scrapeConfigs }));
  const program = startInBackground(binary, [
    `-promscrape.config=${configFile}`,
    // The system picks a free port and the log names it.
    "-httpListenAddr=127.0.0.1:0",
    ...flags(folder),
    ...(options.flags ?? []),
  ]);
  const stop = async () => {
    // The data is deleted anyway, so an orderly shutdown would waste seconds.
    await program.stop("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [, url = ""] = await program.waitForLog(/started server at (http:\/\/[\d.]+:\d+)/, START_LIMIT_MS);
    return { url, program, stop };
  } catch (error) {
    await stop();
    throw new Error(`${binary} did not start: ${String(error)}\n${program.log()}`, { cause: error });
  }
}
