import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";
import { PromqlClient, type Series, type Target } from "./promql-client.ts";

export interface VictoriaOptions {
  readonly binary: string;
  /** In the format of Prometheus; nothing is scraped unless told. */
  readonly scrapeConfigs?: readonly Readonly<Record<string, unknown>>[];
  /** `1s` unless told; the scrape timeout is the same. */
  readonly interval?: string;
  readonly flags?: readonly string[];
}

const START_LIMIT_MS = 60_000;

/** A real vmagent, which scrapes and receives and passes all on, on a free loopback port until `stop`. */
export interface Vmagent {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  targets(): Promise<Target[]>;
  stop(): Promise<void>;
}

/** @param database the address of what it passes all on to */
export async function startVmagent(options: VictoriaOptions, database: string): Promise<Vmagent> {
  const { url, stop } = await start(options, (folder) => [
    `-remoteWrite.url=${database}/api/v1/write`,
    `-remoteWrite.tmpDataPath=${path.join(folder, "queue")}`,
    "-remoteWrite.flushInterval=100ms",
  ]);
  const client = new PromqlClient(url);
  return { url, targets: () => client.targets(), stop };
}

/** A real VictoriaMetrics on a free loopback port, with its data in a temporary folder until `stop`. */
export class VictoriaMetrics extends PromqlClient {
  readonly #running: Running;
  /** How far back an instant query looks for the last sample of a series; five minutes unless told. */
  readonly #lookBack: string;

  private constructor(running: Running, lookBack: string) {
    super(running.url);
    this.#running = running;
    this.#lookBack = lookBack;
  }

  static async start(options: VictoriaOptions & { readonly lookBack?: string }): Promise<VictoriaMetrics> {
    const running = await start(options, (folder) => [
      `-storageDataPath=${path.join(folder, "data")}`,
      // What has just come is wanted, too.
      "-search.latencyOffset=0s",
      "-search.disableCache",
    ]);
    return new VictoriaMetrics(running, options.lookBack ?? "5m");
  }

  log(): string {
    return this.#running.program.log();
  }

  /** Of all that came until now, of which it would else show the last second later. */
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
  // Every JSON document is a YAML document.
  await writeFile(configFile, JSON.stringify({ global, scrape_configs: scrapeConfigs }));
  const program = startInBackground(binary, [
    `-promscrape.config=${configFile}`,
    // Port 0: the system picks a free one, and the log says which.
    "-httpListenAddr=127.0.0.1:0",
    ...flags(folder),
    ...(options.flags ?? []),
  ]);
  const stop = async () => {
    // Its data goes too, so nothing needs the seconds that an orderly end takes.
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
