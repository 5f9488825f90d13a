import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import type { WorldFlags } from "prtg-simulator/src/command/flags.ts";
import { timetable } from "prtg-simulator/src/command/start.ts";
import { createContext, type LogFlags } from "../app/context.ts";
import { loadConfig } from "../config/load.ts";
import type { Redactor } from "../errors/redactor.ts";
import type { ListenAddress } from "../http/server/listener.ts";
import type { WebFlags } from "./flags.ts";
import { startServing } from "./serve.ts";
import { stopSignal } from "./signals.ts";
import { startSimulatedServer } from "./simulate/simulate.ts";

export interface DemoFlags extends LogFlags, WebFlags, WorldFlags {
  readonly tls?: true;
}

/** Polls more often than with a real server. */
const demoConfig = (fingerprint: string | undefined): string => `
servers:
  - name: demo
    url: \${SIMULATOR_URL}
    auth: { api_key: "\${SIMULATOR_KEY}" }
    tls: { ${fingerprint === undefined ? "" : `fingerprints: ["${fingerprint}"]`} }
collectors:
  status: { schedule: 10s }
  channels: { schedule: 10s }
`;

/** Simulator and exporter in one process. Resolves with the exit code. */
export async function demo(flags: DemoFlags, redactor: Redactor): Promise<number> {
  const stopped = stopSignal();
  const context = await createContext(flags, redactor);
  const started = context.clock.monotonic();
  const apiKey = randomBytes(16).toString("hex");
  const credentials = { apiKey, username: "demo", password: apiKey };
  const simulator = await startSimulatedServer(flags, { host: "127.0.0.1", port: 0 }, credentials, flags);
  for (const run of simulator.scenarios.runs) context.print(timetable(run));
  try {
    const { config } = await loadConfig({
      file: "demo.yaml",
      env: { SIMULATOR_URL: simulator.url, SIMULATOR_KEY: apiKey },
      readFile: async () => demoConfig(simulator.fingerprint),
      redactor,
    });
    const addresses = flags["web.listenAddress"];
    const free = await freeAddresses(addresses);
    for (const [at, { port }] of addresses.entries()) {
      if (free[at]?.port !== port) context.print(`Port ${port} is taken: serving on ${free[at]?.port} instead.`);
    }
    const serving = await startServing({ config, flags: { ...flags, "web.listenAddress": free }, context });
    void serving.firstPoll.then((worked) => {
      const seconds = ((context.clock.monotonic() - started) / 1_000).toFixed(1);
      const sensors = simulator.world.list("sensor").length;
      const outcome = worked ? "is complete" : "failed in part (see the log)";
      const url = serving.web.urls[0] ?? "";
      const metrics = `${url}${flags["web.telemetryPath"]}`;
      context.print(
        `The first poll of ${sensors} simulated sensors ${outcome} after ${seconds} s.\n` +
          `Open ${url.padEnd(metrics.length)}   the status page\n` +
          `     ${metrics}   the metrics page   (Ctrl-C stops the demo)`,
      );
    });
    await stopped;
    await serving.stop();
  } finally {
    await simulator.close();
  }
  return 0;
}

export const MAX_PORTS_TRIED = 100;

/** Replaces a port that is in use with the next free one. Addresses with other problems stay: listening reports them. */
export async function freeAddresses(addresses: readonly ListenAddress[]): Promise<readonly ListenAddress[]> {
  const free: ListenAddress[] = [];
  for (const address of addresses) free.push(await freeAddress(address, free));
  return free;
}

async function freeAddress(address: ListenAddress, addresses: readonly ListenAddress[]): Promise<ListenAddress> {
  if (address.port === 0) return address;
  const last = Math.min(address.port + MAX_PORTS_TRIED, 65_536);
  for (let port = address.port; port < last; port++) {
    const candidate = { ...address, port };
    const isDuplicate = addresses.some((other) => other.port === port && other.host === address.host);
    if (!isDuplicate && !(await isTaken(candidate))) return candidate;
  }
  return address;
}

async function isTaken({ host, port }: ListenAddress): Promise<boolean> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  }
  server.close();
  await once(server, "close");
  return false;
}
