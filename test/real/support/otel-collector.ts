import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";

/** The example for users. */
const EXAMPLE = fileURLToPath(new URL("../../../config/otel-collector.example.yaml", import.meta.url));
const START_LIMIT_MS = 60_000;

/** Delay until received data is in the file. */
export const FLUSH_MS = 100;

interface CollectorOptions {
  readonly binary: string;
  readonly folder: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Overrides keys of the example. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Merged into the configuration by the collector. */
  readonly limits?: Readonly<Record<string, unknown>> | undefined;
  /** Address in the network of `start`. Default: loopback. */
  readonly host?: string;
  /** Starts it elsewhere with the same files. */
  readonly start?: (command: readonly string[]) => BackgroundProgram;
}

/** A real OpenTelemetry Collector that writes received data to files. */
export interface OtelCollector {
  readonly url: string;
  readonly port: number;
  /** Protobuf requests after four-byte lengths. Complete after the stop. */
  readonly file: string;
  /** Log requests in the same format. */
  readonly logsFile: string;
  log(): string;
  stop(): Promise<void>;
}

export async function startOtelCollector(options: CollectorOptions): Promise<OtelCollector> {
  const { binary, folder, port = 0, config, limits = {}, host = "127.0.0.1" } = options;
  const file = path.join(folder, "received.bin");
  const logsFile = path.join(folder, "received-logs.bin");
  const overrides = path.join(folder, "collector.json");
  const own = {
    receivers: { otlp: { protocols: { http: { endpoint: `${host}:${port}` } } } },
    exporters: {
      file: { path: file, format: "proto", flush_interval: `${FLUSH_MS}ms` },
      "file/logs": { path: logsFile, format: "proto", flush_interval: `${FLUSH_MS}ms` },
    },
    service: {
      // Self-metrics use a fixed port, which the next collector needs.
      telemetry: { metrics: { level: "none" } },
      pipelines: { logs: { exporters: ["file/logs"] } },
    },
    ...config,
  };
  // JSON is valid YAML.
  await writeFile(overrides, JSON.stringify(own));
  const limited = path.join(folder, "limits.json");
  await writeFile(limited, JSON.stringify(limits));
  const args = [EXAMPLE, overrides, limited].map((each) => `--config=${each}`);
  const program = options.start?.([binary, ...args]) ?? startInBackground(binary, args);
  try {
    const listening = /Starting HTTP server.*"endpoint": "[\d.]+:(\d+)"/;
    const [, found = ""] = await program.waitForLog(listening, START_LIMIT_MS);
    await program.waitForLog(/Everything is ready/, START_LIMIT_MS);
    return {
      url: `http://${host}:${found}`,
      port: Number(found),
      file,
      logsFile,
      log: () => program.log(),
      stop: () => program.stop(),
    };
  } catch (error) {
    await program.stop("SIGKILL");
    throw new Error(`the collector did not start: ${String(error)}\n${program.log()}`, { cause: error });
  }
}
