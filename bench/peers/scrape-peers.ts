import { fileURLToPath } from "node:url";
import { Child } from "../processes/child.ts";
import { findProgram, isThere } from "../processes/programs.ts";
import { ENCODINGS, type Encoding } from "../processes/scrape.ts";

/** Another program's way to serve the same series. */
export interface ScrapePeer {
  readonly name: string;
  readonly encodings: readonly Encoding[];
  /** What it lacks on this machine; undefined when it can be started. */
  missing(): string | undefined;
  /** Says where it listens when it does. `file`: what `dumpSeries` wrote. */
  start(file: string): Promise<Child>;
}

const OTEL_JS = fileURLToPath(new URL("otel-js/", import.meta.url));
const PYTHON = fileURLToPath(new URL("python/server.py", import.meta.url));
const INSTALL = "install it with scripts/install-test-programs.sh";

export const PROM_CLIENT = "prom-client's registry";

/** What Prometheus asks for. */
const GZIP: readonly Encoding[] = ["gzip"];

export const SCRAPE_PEERS: readonly ScrapePeer[] = [
  {
    name: PROM_CLIENT,
    encodings: ENCODINGS,
    missing: () => undefined,
    start: async (file) => Child.node("bench/peers/prom-client.ts", [file]),
  },
  {
    name: "OpenTelemetry JS, Prometheus exporter",
    encodings: ["identity"],
    missing: () => (isThere(`${OTEL_JS}node_modules/@opentelemetry/exporter-prometheus`) ? undefined : INSTALL),
    start: async (file) => Child.node(`${OTEL_JS}server.js`, [file]),
  },
  {
    name: "client_golang, const metrics",
    encodings: GZIP,
    missing: () => (findProgram("client-golang") === undefined ? INSTALL : undefined),
    start: async (file) => new Child(findProgram("client-golang") ?? "", [file]),
  },
  {
    name: "Python's prometheus_client, custom collector",
    encodings: GZIP,
    missing: () => (findProgram("python-openmetrics") === undefined ? INSTALL : undefined),
    start: async (file) => new Child(findProgram("python-openmetrics") ?? "", [PYTHON, file]),
  },
];
