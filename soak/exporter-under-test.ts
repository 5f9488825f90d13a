import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Program } from "./program.ts";
import { API_KEY, PASSWORD, type SimulatedSite, USERNAME } from "./simulated-site.ts";

const JUMPING_CLOCK = new URL("jumping-clock.ts", import.meta.url).href;

/** Seconds. Much quicker than those of an operator, so that an hour holds the polls of a day. */
export const SCHEDULES = { health: 2, status: 3, channels: 4, tree: 5, timeseries: 5, limits: 10 } as const;
/** Those follow the wall clock, as cron schedules; the others a timer. All periods divide a minute. */
const BY_CRON: readonly string[] = ["status", "channels", "tree"];
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

export interface ExporterOptions {
  readonly schedules?: Schedules;
  /** The time zone of a wall clock that can jump, which some schedules then follow. */
  readonly timeZone?: string;
}

/** What the configuration is made from. */
interface Setup {
  readonly sites: Sites;
  readonly schedules: Schedules;
  readonly byCron: readonly string[];
  readonly folder: string;
}

/** The exporter in a process of its own, with both servers. */
export class ExporterUnderTest {
  readonly program: Program;
  readonly metricsUrl: string;
  readonly #setup: Setup;
  #allStatuses = false;

  private constructor(program: Program, url: string, setup: Setup) {
    this.program = program;
    this.metricsUrl = url;
    this.#setup = setup;
  }

  /** Resolves when its first poll is over. */
  static async start(
    shaken: SimulatedSite,
    sound: SimulatedSite,
    { schedules = SCHEDULES, timeZone }: ExporterOptions = {},
  ): Promise<ExporterUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), "prtg-exporter-soak-"));
    const setup = { sites: [shaken, sound], schedules, byCron: timeZone === undefined ? [] : BY_CRON, folder } as const;
    const file = join(folder, "exporter.json");
    writeFileSync(file, configuration(setup, false));
    const program = new Program(
      ["serve", `--config.file=${file}`, "--web.listen-address=127.0.0.1:0", "--log.format=json"],
      { KEY: API_KEY, PASSWORD, ...(timeZone !== undefined && { TZ: timeZone, SOAK_CLOCK_FILE: clockFile(folder) }) },
      timeZone === undefined ? [] : ["--import", JUMPING_CLOCK],
    );
    const [, url = ""] = await program.until(/serving metrics on (http:[^"]+)/);
    await program.until(/first poll finished/);
    return new ExporterUnderTest(program, url, setup);
  }

  /** Sets its wall clock so far ahead of the machine's, in milliseconds. */
  setClockAhead(ms: number): void {
    const file = clockFile(this.#setup.folder);
    writeFileSync(`${file}.new`, String(ms));
    renameSync(`${file}.new`, file);
  }

  /** Has the configuration read again; `changed`: with another setting than before. */
  reload({ changed }: { readonly changed: boolean }): void {
    if (changed) this.#allStatuses = !this.#allStatuses;
    writeFileSync(join(this.#setup.folder, "exporter.json"), configuration(this.#setup, this.#allStatuses));
    this.program.signal("SIGHUP");
  }

  /** Resolves with how it ended. */
  async stop(): Promise<string> {
    const ending = await this.program.stop();
    rmSync(this.#setup.folder, { recursive: true, force: true });
    return ending;
  }
}

function clockFile(folder: string): string {
  return join(folder, "clock");
}

/** Every JSON document is a YAML document. */
function configuration({ sites: [shaken, sound], schedules, byCron }: Setup, allStatuses: boolean): string {
  const limits = {
    concurrency: 4,
    requests_per_second: 200,
    timeout: `${TIMEOUT_MS}ms`,
    total_timeout: `${TOTAL_TIMEOUT_MS}ms`,
    max_response_size: "8MiB",
    max_objects: 20_000,
  };
  const collectors = Object.entries(schedules).map(
    ([name, seconds]) =>
      [name, { schedule: byCron.includes(name) ? `*/${seconds} * * * * *` : `${seconds}s` }] as const,
  );
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
