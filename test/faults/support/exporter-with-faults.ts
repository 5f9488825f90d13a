import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import type { WorldSize } from "prtg-simulator/src/world/layout/size.ts";
import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { Exporter } from "../../../src/app/exporter.ts";
import { openOtlpPush } from "../../../src/app/otlp-preparation.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { negotiateFormat } from "../../../src/exposition/negotiate.ts";
import { EXPORTER_METRICS } from "../../../src/telemetry/metric-declarations.ts";
import { testContext } from "../../support/simulated-exporter.ts";
import { parsePage } from "./page-parser.ts";
import { PageView } from "./page-view.ts";
import { QuietClock } from "./quiet-clock.ts";
import type { AnsweredRequest } from "./truth.ts";

export const SERVER = "hq";
export const COLLECTORS = ["health", "tree", "status", "channels", "limits", "timeseries"] as const;

/** Longest schedule below. */
export const MAX_INTERVAL_S = 60;
export const TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 20_000;

const SETTINGS = `collectors:
  health: { schedule: 15s }
  status: { schedule: 30s }
  channels: { schedule: 30s }
  tree: { schedule: 60s }
  limits: { schedule: 60s }
  timeseries: { schedule: 60s, mode: auto }
`;
const LIMITS = `{ timeout: ${TIMEOUT_MS}ms, total_timeout: ${TOTAL_TIMEOUT_MS}ms, max_response_size: 2MiB, requests_per_second: 1000 }`;
const CREDENTIALS = { apiKey: "key-of-the-matrix", username: "matrix", password: "password of the matrix" };
const FORMATS = { text: "text/plain", openmetrics: "application/openmetrics-text" } as const;
/** Older answers no longer matter. */
const KEPT_MS = 300_000;

/** A whole exporter in this process and a simulator over real sockets, in manual time. */
export interface ExporterWithFaults {
  readonly clock: QuietClock;
  readonly simulator: Simulator;
  readonly world: World;
  readonly exporter: Exporter;
  /** The server's log of the last minutes. */
  answers(): readonly AnsweredRequest[];
  text(format?: keyof typeof FORMATS): Promise<string>;
  /** Strictly parsed page. */
  page(format?: keyof typeof FORMATS): Promise<PageView>;
  /** Every last run successful and complete. */
  isWell(): Promise<boolean>;
  close(): Promise<void>;
}

interface ExporterOptions {
  readonly size: Partial<WorldSize>;
  readonly seed?: number;
  /** YAML instead of the schedules. */
  readonly settings?: string;
}

/** Resolves after the first poll. */
export async function startExporterWithFaults({
  size,
  seed = 1,
  settings = SETTINGS,
}: ExporterOptions): Promise<ExporterWithFaults> {
  const clock = new QuietClock();
  const world = createWorld({ seed, size, startedAt: clock.now() });
  let answers: AnsweredRequest[] = [];
  const simulator = await startSimulator({
    world,
    clock,
    spelling: "live",
    credentials: CREDENTIALS,
    log: ({ at, url, status, faults }) => answers.push({ at, url, status, faults }),
  });
  const { config } = await loadConfig({
    file: "matrix.yaml",
    env: { PASSWORD: CREDENTIALS.password },
    readFile: async () =>
      `servers: [{ name: ${SERVER}, url: "${simulator.url}", auth: { username: matrix, password: "\${PASSWORD}" }, limits: ${LIMITS} }]\n${settings}`,
  });
  const context = { ...testContext(clock), random: () => 0.5 };
  const exporter = new Exporter(config, context, await openOtlpPush(config, context, {}));
  clock.isWaiting = async () => {
    const requests = await exporter.metrics.samples(EXPORTER_METRICS.server.inFlight);
    return requests.some(({ value }) => value > 0);
  };
  void exporter.start();
  await clock.pass(5_000);
  const text = async (format: keyof typeof FORMATS = "text") => {
    await exporter.exposition.refresh();
    const negotiated = negotiateFormat({ accept: FORMATS[format] });
    return Buffer.concat(await exporter.exposition.page(negotiated, "identity")).toString();
  };
  return {
    clock,
    simulator,
    world,
    exporter,
    answers: () => {
      answers = answers.filter(({ at }) => at > clock.now() - KEPT_MS);
      return answers;
    },
    text,
    page: async (format = "text") => new PageView(parsePage(await text(format), format)),
    isWell: async () => {
      const { success, complete } = EXPORTER_METRICS.collector;
      const { metrics } = exporter;
      const samples = [...(await metrics.samples(success)), ...(await metrics.samples(complete))];
      return samples.every(({ value }) => value === 1);
    },
    close: async () => {
      // A byte rate limits pending history.
      let isStopped = false;
      const stopping = exporter.stop().finally(() => {
        isStopped = true;
      });
      while (!isStopped) await clock.pass(1_000);
      await stopping;
      await simulator.close();
    },
  };
}
