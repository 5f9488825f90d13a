import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import { startAnsweringServer } from "./answering-server.ts";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const START_LIMIT_MS = 150_000;
/** Must have no effect. Simulated time jumps but stays in the past. */
const BEHIND_MS = 30 * 60_000;

type Reception = "unavailable" | "mixed";

/** An exporter with two servers (one missing) and an unreliable receiver. */
export interface FailingSite {
  readonly simulator: Simulator;
  /** host:port of the exporter. */
  readonly address: string;
  /** host:port of an exporter with the first server and a limited page. */
  readonly limitedAddress: string;
  page(): Promise<string>;
  receive(reception: Reception): void;
  control(request: string, body?: unknown): Promise<void>;
  /** Sensors below the object measure every five minutes. */
  measureSeldom(id: string): void;
  dependOn(id: string, sensorId: string): void;
  tag(id: string, tags: readonly string[]): void;
  breakConfiguration(): Promise<void>;
  close(): Promise<void>;
}

export async function startFailingSite(sensors: number): Promise<FailingSite> {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-site-"));
  const size = { probes: 3, groups: 9, devices: Math.ceil(sensors / 8), sensors };
  const world = createWorld({ seed: 1, size, startedAt: Date.now() });
  const simulator = await startSimulator({
    world,
    clock: systemClock,
    startAt: Date.now() - BEHIND_MS,
    spelling: "live",
    control: true,
    credentials: { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" },
  });
  const receiver = await startFailingReceiver();
  const stateDir = path.join(folder, "state");
  await mkdir(stateDir);
  const configFile = path.join(folder, "prtg-exporter.yaml");
  const program = await startExporter(configFile, configuration(simulator.url, receiver.url, stateDir));
  const limited = await startExporter(path.join(folder, "limited.yaml"), limitedConfiguration(simulator.url));
  const close = async () => {
    await Promise.all([program.stop("SIGKILL"), limited.stop("SIGKILL")]);
    await receiver.close();
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [address = "", limitedAddress = ""] = await Promise.all([program, limited].map(startedAt));
    return {
      simulator,
      address,
      limitedAddress,
      page: async () => (await fetch(`http://${address}/metrics`)).text(),
      receive: receiver.receive,
      control: (request, body) => control(simulator.url, request, body),
      measureSeldom: (id) => {
        world.edit(id, { interval: { seconds: 300, errorIntervalsDown: 1 } }, Date.now() - BEHIND_MS);
      },
      dependOn: (id, dependsOn) => {
        world.edit(id, { dependency: { schedule: "none", dependsOn } }, Date.now() - BEHIND_MS);
      },
      tag: (id, tags) => {
        world.edit(id, { tags: [...tags] }, Date.now() - BEHIND_MS);
      },
      breakConfiguration: async () => {
        await writeFile(configFile, "servers: nonsense\n");
        process.kill(program.pid, "SIGHUP");
      },
      close,
    };
  } catch (error) {
    await close();
    const logs = program.log() + limited.log();
    throw new Error(`the exporters did not start: ${String(error)}\n${logs}`, { cause: error });
  }
}

async function startExporter(configFile: string, configuration: unknown): Promise<BackgroundProgram> {
  // JSON is valid YAML.
  await writeFile(configFile, JSON.stringify(configuration));
  return startInBackground(
    process.execPath,
    ["src/main.ts", "serve", `--config.file=${configFile}`, "--web.listen-address=127.0.0.1:0", "--log.format=json"],
    { cwd: ROOT, env: { KEY: TEST_KEY } },
  );
}

function limitedConfiguration(server: string): unknown {
  return {
    servers: [{ name: "hq", url: server, auth: { api_key: `\${KEY}` } }],
    limits: { max_series: 500 },
    // Once only: renames during a test would show partially.
    collectors: { tree: { schedule: "1h" } },
  };
}

function configuration(server: string, receiver: string, stateDir: string): unknown {
  const often = { schedule: "1s" };
  const auth = { api_key: `\${KEY}` };
  return {
    servers: [
      { name: "hq", url: server, auth, limits: { requests_per_second: 200 } },
      // No listener.
      { name: "closed", url: "http://127.0.0.1:9", auth },
    ],
    collectors: {
      ...{ health: often, tree: often, status: often, channels: often, limits: often, timeseries: often },
      details: { enabled: true, schedule: "1s" },
    },
    metrics: { dependency_info: true, sensor_down_delay: true },
    // For forecasts. The original metrics stay.
    mapping: { presets: ["disk-free", "memory", "core-health", "probe-health"] },
    otlp: { endpoint: receiver, interval: "2s" },
    state_dir: stateDir,
  };
}

async function startedAt(program: BackgroundProgram): Promise<string> {
  const [, address = ""] = await program.waitForLog(/serving metrics on http:\/\/([^/"]+)/, START_LIMIT_MS);
  await program.waitForLog(/first poll finished/, START_LIMIT_MS);
  return address;
}

async function control(server: string, request: string, body: unknown): Promise<void> {
  const answer = await fetch(`${server}/simulator/${request}`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  if (!answer.ok) throw new Error(`${request}: ${answer.status} ${await answer.text()}`);
}

/** Of ten requests, one permanent and one temporary rejection. */
const MIXED = [200, 200, 503, 200, 200, 200, 400, 200, 200, 200];

async function startFailingReceiver() {
  let reception: Reception = "unavailable";
  let requests = 0;
  const relay = await startAnsweringServer(async () => {
    const status = reception === "mixed" ? (MIXED[requests++ % MIXED.length] ?? 200) : 503;
    return { status, headers: { "content-type": "application/x-protobuf" } };
  });
  return {
    ...relay,
    receive: (next: Reception) => {
      reception = next;
    },
  };
}
