import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FLAGS, VARIABLES } from "../../bin/node-settings.js";
import { builtMain, builtProbe } from "./built-program.ts";
import { Child } from "./child.ts";
import type { LoopTurns } from "./loop-watch.ts";
import type { Memory, ProcessorTime } from "./probe.ts";
import { API_KEY } from "./simulator.ts";

export interface ExporterOptions {
  readonly server: string | readonly string[];
  /** PEM. */
  readonly caFile?: string;
  readonly settings?: object;
  readonly limits?: object;
  /** Unset: no cache. */
  readonly compileCache?: string;
}

/** No pacing of requests. */
export const UNPACED = { requests_per_second: 1_000 };
export const ONCE = { schedule: "24h" };

/** `prtg-exporter serve` with the probe preloaded. */
export interface ExporterProcess extends AsyncDisposable {
  readonly url: string;
  /** Monotonic. */
  readonly startedAt: number;
  ready(): Promise<void>;
  processorTime(): Promise<ProcessorTime>;
  memory(): Promise<Memory>;
  leanMemory(): Promise<Memory>;
  watchLoop(): Promise<void>;
  loopTurns(): Promise<LoopTurns>;
  stop(): Promise<void>;
}

export async function startExporter(options: ExporterOptions): Promise<ExporterProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-bench-"));
  const config = path.join(folder, "config.json");
  const { server, caFile, limits = UNPACED, settings, compileCache } = options;
  const tls = caFile === undefined ? {} : { tls: { ca_file: caFile } };
  const urls = typeof server === "string" ? [server] : server;
  const servers = urls.map((url, index) => ({
    ...{ name: index === 0 ? "hq" : `branch-${index}`, url, auth: { api_key: "${BENCH_KEY}" }, limits },
    ...tls,
  }));
  const main = builtMain();
  const probe = await builtProbe();
  // JSON is valid YAML.
  await writeFile(config, JSON.stringify({ servers, ...settings }));
  const cache = compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache };
  const startedAt = performance.now();
  const child = Child.node(
    main,
    ["serve", "--config.file", config, "--web.listen-address", "127.0.0.1:0", "--log.format", "json"],
    { env: { ...VARIABLES, ...cache, BENCH_KEY: API_KEY }, preload: probe, flags: FLAGS },
  );
  const stop = async () => {
    await child.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [, address = ""] = await child.said(/serving metrics on (http:[^"]+)\/metrics/);
    return {
      url: address,
      startedAt,
      ready: async () => void (await child.said(/first poll finished/, 600_000)),
      processorTime: () => child.ask("processorTime"),
      memory: () => child.ask("memory"),
      leanMemory: () => child.ask("leanMemory"),
      watchLoop: () => child.ask("watchLoop"),
      loopTurns: () => child.ask("loopTurns"),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
