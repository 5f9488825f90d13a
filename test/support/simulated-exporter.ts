import { pino } from "pino";
import { type Simulator, type SimulatorOptions, startSimulator } from "prtg-simulator/src/simulator.ts";
import type { WorldSize } from "prtg-simulator/src/world/layout/size.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import type { CommandContext } from "../../src/app/context.ts";
import { openEvents } from "../../src/app/event-outputs.ts";
import { Exporter } from "../../src/app/exporter.ts";
import type { Config } from "../../src/config/load.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";
import { Receivers } from "../../src/otlp/receivers.ts";
import { ServerAccesses } from "../../src/prtg/request/server-access.ts";
import { seriesKey } from "./expected-series.ts";
import { FixedStartClock } from "./fixed-start-clock.ts";
import { type ParsedSample, parsePage } from "./parse-sample.ts";
import { loadTestConfig } from "./test-config.ts";

export const TEST_KEY = "key-of-the-tests";

export interface SimulatedExporterOptions {
  readonly size?: Partial<WorldSize>;
  readonly seed?: number;
  readonly simulator?: Partial<SimulatorOptions>;
  /** Clock of the world, simulator and exporter. Default: `FixedStartClock`. Tests with other programs or a browser need the system clock. */
  readonly clock?: Clock;
  /** YAML sections next to `servers:`, such as `metrics: { sensor_status: all }`. */
  readonly settings?: string;
}

/** A simulator over HTTP and a full exporter, both in this process. The exporter polls on request and serves no page. */
export interface SimulatedExporter {
  readonly clock: Clock;
  readonly simulator: Simulator;
  readonly exporter: Exporter;
  readonly config: Config;
  /** A full poll. True if everything worked. */
  poll(): Promise<boolean>;
  page(): Promise<string>;
  /** Samples by `seriesKey`. Rejects duplicate series. */
  samples(): Promise<Map<string, ParsedSample>>;
  close(): Promise<void>;
}

export async function startSimulatedExporter(options: SimulatedExporterOptions = {}): Promise<SimulatedExporter> {
  const { clock = new FixedStartClock() } = options;
  const simulator = await startSimulator({
    world: createWorld({ seed: options.seed ?? 1, size: options.size ?? {}, startedAt: clock.now() }),
    clock,
    spelling: "live",
    credentials: { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" },
    ...options.simulator,
  });
  const config = await configFor(simulator.url, options.settings);
  const context = testContext(clock);
  const exporter = new Exporter(config, context, undefined, await openEvents(config, context, {}));
  const page = async () => Buffer.concat(await exporter.exposition.page(negotiateFormat({}), "identity")).toString();
  exporter.exposition.start();
  return {
    clock,
    simulator,
    exporter,
    config,
    poll: async () => {
      // Only against hanging: 16,000 channels took 20 s on a busy machine.
      const worked = await exporter.pollOnce(AbortSignal.timeout(240_000));
      await exporter.exposition.refresh();
      return worked;
    },
    page,
    samples: async () =>
      new Map([...parsePage(await page()).values()].map((sample) => [seriesKey(sample.name, sample.labels), sample])),
    close: async () => {
      await exporter.stop();
      await simulator.close();
    },
  };
}

export function testContext(clock: Clock = systemClock): CommandContext {
  return {
    build: { version: "0.0.0-test", revision: "" },
    clock,
    random: Math.random,
    redactor: new Redactor(),
    log: pino({ level: "silent" }),
    print: () => undefined,
    warnOnce: () => undefined,
    memory: { objects: new MemoryBudget(), pending: new MemoryBudget() },
    outgoing: { accesses: new ServerAccesses(), receivers: new Receivers(clock) },
    eventLoopBusyMs: () => 0,
  };
}

async function configFor(url: string, settings = ""): Promise<Config> {
  const yaml = `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" }, limits: { requests_per_second: 1000 } }]\n${settings}`;
  return loadTestConfig(yaml, TEST_KEY);
}
