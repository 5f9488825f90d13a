import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";

const START_LIMIT_MS = 60_000;
const MAX_ENTRIES = 5_000;

/** Stream labels and structured metadata together. */
export interface LokiEntry {
  readonly labels: Readonly<Record<string, string>>;
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  readonly line: string;
}

const answer = z.object({
  data: z.object({
    resultType: z.literal("streams"),
    result: z.array(
      z.object({
        stream: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.string(), z.string()])),
      }),
    ),
  }),
});

/** Default settings, free loopback port, data until `stop`. */
export class Loki {
  readonly url: string;
  readonly #program: BackgroundProgram;
  readonly #folder: string;

  private constructor(url: string, program: BackgroundProgram, folder: string) {
    this.url = url;
    this.#program = program;
    this.#folder = folder;
  }

  static async start(binary: string): Promise<Loki> {
    const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-loki-"));
    const file = path.join(folder, "loki.json");
    // JSON is valid YAML.
    await writeFile(file, JSON.stringify(configuration(folder)));
    const program = startInBackground(binary, [`-config.file=${file}`]);
    try {
      const [, address = ""] = await program.waitForLog(/server listening on addresses" http=(\S+)/, START_LIMIT_MS);
      await program.waitForLog(/Loki started/, START_LIMIT_MS);
      return new Loki(`http://${address}`, program, folder);
    } catch (error) {
      await program.stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
      throw new Error(`Loki did not start: ${String(error)}\n${program.log()}`, { cause: error });
    }
  }

  /** LogQL result in a range (milliseconds since the epoch), oldest first. */
  async query(logql: string, from: number, to: number): Promise<LokiEntry[]> {
    const url = new URL("/loki/api/v1/query_range", this.url);
    const ns = (ms: number) => `${ms}000000`;
    const parameters = { query: logql, start: ns(from), end: ns(to), limit: String(MAX_ENTRIES), direction: "forward" };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const response = await fetch(url);
    const text = await response.text();
    if (!response.ok) throw new Error(`HTTP ${response.status} to ${logql}: ${text}`);
    const { result } = answer.parse(JSON.parse(text)).data;
    return result
      .flatMap(({ stream: labels, values }) => values.map(([time, line]) => ({ labels, time: BigInt(time), line })))
      .toSorted((a, b) => Number(a.time - b.time));
  }

  async stop(): Promise<void> {
    await this.#program.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Loki's own single-process example, except addresses and folders. */
function configuration(folder: string): object {
  const data = path.join(folder, "data");
  const loopback = { http_listen_address: "127.0.0.1", grpc_listen_address: "127.0.0.1" };
  return {
    auth_enabled: false,
    server: { ...loopback, http_listen_port: 0, grpc_listen_port: 0 },
    common: {
      path_prefix: data,
      replication_factor: 1,
      instance_addr: "127.0.0.1",
      ring: { instance_addr: "127.0.0.1", kvstore: { store: "inmemory" } },
      storage: {
        filesystem: { chunks_directory: path.join(data, "chunks"), rules_directory: path.join(data, "rules") },
      },
    },
    schema_config: {
      configs: [
        {
          ...{ from: "2024-01-01", store: "tsdb", object_store: "filesystem", schema: "v13" },
          index: { prefix: "index_", period: "24h" },
        },
      ],
    },
    analytics: { reporting_enabled: false },
  };
}
