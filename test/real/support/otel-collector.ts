import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";

/** The configuration that users are shown. */
const EXAMPLE = fileURLToPath(new URL("../../../config/otel-collector.example.yaml", import.meta.url));
const START_LIMIT_MS = 60_000;

/** What came is in the file so much later. */
export const FLUSH_MS = 100;

export interface CollectorOptions {
  readonly binary: string;
  /** For its configuration and for what it receives. */
  readonly folder: string;
  /** Any free one unless told. */
  readonly port?: number;
  /** Further keys of the configuration, which win over those of the example. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** An address of the network that `start` has; the loopback address unless told. */
  readonly host?: string;
  /** Starts it elsewhere than here, with the same files. */
  readonly start?: (command: readonly string[]) => BackgroundProgram;
}

/** A real OpenTelemetry Collector that appends what it receives to a file. */
export interface OtelCollector {
  /** `http://127.0.0.1:1234` */
  readonly url: string;
  readonly port: number;
  /** Requests of metrics in protobuf, each after its length in four bytes; complete once the collector has stopped. */
  readonly file: string;
  /** Requests of log records likewise. */
  readonly logsFile: string;
  log(): string;
  stop(): Promise<void>;
}

export async function startOtelCollector(options: CollectorOptions): Promise<OtelCollector> {
  const { binary, folder, port = 0, config, host = "127.0.0.1" } = options;
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
      // Its own metrics would be served on a port that the next collector wants, too.
      telemetry: { metrics: { level: "none" } },
      pipelines: { logs: { exporters: ["file/logs"] } },
    },
    ...config,
  };
  // Every JSON document is a YAML document.
  await writeFile(overrides, JSON.stringify(own));
  const args = [`--config=${EXAMPLE}`, `--config=${overrides}`];
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
