import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import { startInBackground } from "./background-program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const START_LIMIT_MS = 60_000;
/** Avoids waiting after jumps of simulated time. */
const REQUESTS_PER_SECOND = 1_000;

export interface ExporterProgramOptions {
  readonly server: string;
  readonly endpoint: string;
  readonly protocol: "http/json" | "http/protobuf";
  /** For configuration and state. */
  readonly folder: string;
  /** Value of `service.name`. */
  readonly service: string;
  /** More settings by collector. */
  readonly collectors?: Readonly<Record<string, unknown>>;
  /** More keys of section `otlp`. */
  readonly otlp?: Readonly<Record<string, unknown>>;
}

/** `prtg-exporter serve` in its own process, with one-second schedules. */
export interface ExporterProgram {
  readonly stateDir: string;
  page(): Promise<string>;
  log(): string;
  /** Resolves after the first poll. */
  ready(): Promise<void>;
  /** Delivers pending data. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export async function startExporterProgram(options: ExporterProgramOptions): Promise<ExporterProgram> {
  const { server, endpoint, protocol, folder, service, collectors, otlp } = options;
  const stateDir = path.join(folder, `state-${service}`);
  const config = path.join(folder, `${service}.json`);
  await mkdir(stateDir, { recursive: true });
  const often = { schedule: "1s" };
  const limits = { requests_per_second: REQUESTS_PER_SECOND };
  // JSON is valid YAML.
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
    // Tests count each measurement once.
    otlp: { endpoint, protocol, service_name: service, interval: "60s", repeat_interval: 0, ...otlp },
    state_dir: stateDir,
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
    page: async () => (await fetch(url)).text(),
    log: () => program.log(),
    ready: async () => void (await said(/(first poll finished)/)),
    stop: () => program.stop(),
    kill: () => program.stop("SIGKILL"),
  };
}
