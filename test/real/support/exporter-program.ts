import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import { startInBackground } from "./background-program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const START_LIMIT_MS = 60_000;
/** A burst of work after a jump of simulated time is not what these tests are to wait for. */
const REQUESTS_PER_SECOND = 1_000;

export interface ExporterProgramOptions {
  /** Of the simulated server. */
  readonly server: string;
  /** Of the receiver. `undefined`: pushes nothing. */
  readonly endpoint?: string;
  readonly protocol?: "http/json" | "http/protobuf" | undefined;
  /** For its configuration and its state. */
  readonly folder: string;
  /** Value of `service.name`. */
  readonly service: string;
  /** In addition, by collector. */
  readonly collectors?: Readonly<Record<string, unknown>>;
  /** Keys of the section `otlp` in addition. */
  readonly otlp?: Readonly<Record<string, unknown>>;
  /** Sections of the configuration in addition. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** `prtg-exporter serve` in a process of its own, with schedules of a second. */
export interface ExporterProgram {
  /** host:port to scrape. */
  readonly address: string;
  /** Folder of its state. */
  readonly stateDir: string;
  page(): Promise<string>;
  log(): string;
  /** Resolves when its first poll is over. */
  ready(): Promise<void>;
  /** Lets it deliver what waits. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export async function startExporterProgram(options: ExporterProgramOptions): Promise<ExporterProgram> {
  const { server, endpoint, protocol, folder, service, collectors, otlp, settings: more } = options;
  const stateDir = path.join(folder, `state-${service}`);
  const config = path.join(folder, `${service}.json`);
  await mkdir(stateDir, { recursive: true });
  const often = { schedule: "1s" };
  const limits = { requests_per_second: REQUESTS_PER_SECOND };
  // Every JSON document is a YAML document.
  const settings = {
    servers: [{ name: "hq", url: server, auth: { api_key: `\${KEY}` }, limits }],
    collectors: {
      health: often,
      channels: often,
      timeseries: often,
      tree: { schedule: "1h" },
      status: { schedule: "1h" },
      ...collectors,
    },
    // Its users count each measurement once.
    ...(endpoint !== undefined && {
      otlp: { endpoint, protocol, service_name: service, interval: "60s", repeat_interval: 0, ...otlp },
    }),
    state_dir: stateDir,
    ...more,
  };
  await writeFile(config, JSON.stringify(settings));
  const program = startInBackground(
    process.execPath,
    ["src/main.ts", "serve", `--config.file=${config}`, "--web.listen-address=127.0.0.1:0", "--log.format=json"],
    { cwd: ROOT, env: { KEY: TEST_KEY } },
  );
  const said = async (pattern: RegExp): Promise<string> => {
    try {
      const [, found = ""] = await program.waitForLog(pattern, START_LIMIT_MS);
      return found;
    } catch (error) {
      throw new Error(`the exporter did not start: ${String(error)}\n${program.log()}`, { cause: error });
    }
  };
  const url = await said(/serving metrics on (http:[^"]+)/);
  return {
    stateDir,
    address: new URL(url).host,
    page: async () => (await fetch(url)).text(),
    log: () => program.log(),
    ready: async () => void (await said(/(first poll finished)/)),
    stop: () => program.stop(),
    kill: () => program.stop("SIGKILL"),
  };
}
