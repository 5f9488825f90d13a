import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Program } from "./program.ts";
import { API_KEY, PASSWORD, type SimulatedSite, USERNAME } from "./simulated-site.ts";

/** Seconds. Much quicker than anybody's, so that an hour holds the polls of a day. */
export const SCHEDULES = { health: 2, status: 3, channels: 4, tree: 5, timeseries: 5, limits: 10 } as const;
export const COLLECTORS = Object.keys(SCHEDULES).filter((name) => name !== "timeseries");
export const TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 15_000;
export const STALE_AFTER_MS = 150_000;

/** The server that is disturbed, and the one that is not. */
export const SHAKEN = "shaken";
export const SOUND = "sound";

/** Seconds, by collector. */
type Schedules = Readonly<Record<keyof typeof SCHEDULES, number>>;
type Sites = readonly [shaken: SimulatedSite, sound: SimulatedSite];

/** The exporter in a process of its own, with both servers. */
export class ExporterUnderTest {
  readonly program: Program;
  readonly metricsUrl: string;
  readonly #folder: string;
  readonly #sites: Sites;
  readonly #schedules: Schedules;
  #allStatuses = false;

  private constructor(program: Program, url: string, folder: string, sites: Sites, schedules: Schedules) {
    this.#schedules = schedules;
    this.program = program;
    this.metricsUrl = url;
    this.#folder = folder;
    this.#sites = sites;
  }

  /** Resolves when its first poll is over. */
  static async start(
    shaken: SimulatedSite,
    sound: SimulatedSite,
    schedules: Schedules = SCHEDULES,
  ): Promise<ExporterUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), "prtg-exporter-soak-"));
    const file = join(folder, "exporter.json");
    writeFileSync(file, configuration([shaken, sound], schedules, false));
    const program = new Program(
      ["serve", `--config.file=${file}`, "--web.listen-address=127.0.0.1:0", "--log.format=json"],
      { KEY: API_KEY, PASSWORD },
    );
    const [, url = ""] = await program.until(/serving metrics on (http:[^"]+)/);
    await program.until(/first poll finished/);
    return new ExporterUnderTest(program, url, folder, [shaken, sound], schedules);
  }

  /** Has the configuration read again; `changed`: with another setting than before. */
  reload({ changed }: { readonly changed: boolean }): void {
    if (changed) this.#allStatuses = !this.#allStatuses;
    writeFileSync(join(this.#folder, "exporter.json"), configuration(this.#sites, this.#schedules, this.#allStatuses));
    this.program.signal("SIGHUP");
  }

  /** Resolves with how it ended. */
  async stop(): Promise<string> {
    const ending = await this.program.stop();
    rmSync(this.#folder, { recursive: true, force: true });
    return ending;
  }
}

/** Every JSON document is a YAML document. */
function configuration([shaken, sound]: Sites, schedules: Schedules, allStatuses: boolean): string {
  const limits = {
    concurrency: 4,
    requests_per_second: 200,
    timeout: `${TIMEOUT_MS}ms`,
    total_timeout: `${TOTAL_TIMEOUT_MS}ms`,
    max_response_size: "8MiB",
  };
  const collectors = Object.entries(schedules).map(([name, seconds]) => [name, { schedule: `${seconds}s` }] as const);
  return JSON.stringify({
    servers: [
      { name: SHAKEN, url: shaken.url, auth: { username: USERNAME, password: "${PASSWORD}" }, limits },
      { name: SOUND, url: sound.url, auth: { api_key: "${KEY}" }, limits },
    ],
    collectors: Object.fromEntries(collectors),
    stale_after: `${STALE_AFTER_MS}ms`,
    metrics: { sensor_status: allStatuses ? "all" : "current" },
  });
}
