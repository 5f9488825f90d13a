import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { freePort } from "../../support/free-port.ts";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import { type ExporterProgram, type ExporterProgramOptions, startExporterProgram } from "./exporter-program.ts";
import { FLUSH_MS, type OtelCollector, startOtelCollector } from "./otel-collector.ts";
import { ReceivedFile, type ReceivedPoints, type Span } from "./received-points.ts";
import { countMissing, countRecord } from "./simulated-record.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const POLL_LIMIT_MS = 60_000;
/** Silence that ends the wait: a busy machine is slow but continues. */
const SILENCE_LIMIT_MS = 240_000;
/** Time for unexpected data. */
const AFTERMATH_MS = 2_500;

export interface SiteOptions {
  readonly collector: string;
  readonly sensors: number;
  /** Length of the history at the start, milliseconds. */
  readonly historyMs?: number;
  /** Of the collector. */
  readonly limits?: Readonly<Record<string, unknown>>;
}

/** An exporter's route: its world view and received data. */
export interface Route {
  readonly simulator: Simulator;
  readonly received: ReceivedPoints;
  readonly service: string;
  readonly protocol: ExporterProgramOptions["protocol"];
}

/** A simulated world with servers, a collector, and a clock that the test sets. */
export class DeliverySite {
  readonly world: World;
  readonly folder: string;
  /** Simulated start, milliseconds since the epoch. */
  readonly begin: number;
  collector: OtelCollector;
  readonly #binary: string;
  readonly #file: ReceivedFile;
  readonly #routes: { readonly route: Route; polls: number }[] = [];
  readonly #exporters = new Set<ExporterProgram>();
  #now: number;

  private constructor(world: World, folder: string, begin: number, binary: string, collector: OtelCollector) {
    this.world = world;
    this.folder = folder;
    this.begin = begin;
    this.collector = collector;
    this.#file = new ReceivedFile(collector.file);
    this.#binary = binary;
    this.#now = begin;
  }

  static async open({ collector: binary, sensors, historyMs = 0, limits }: SiteOptions): Promise<DeliverySite> {
    const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-delivery-"));
    const begin = Math.floor(Date.now() / 1_000) * 1_000;
    // A world has a history of 365 days.
    const world = createWorld({ seed: 1, size: { sensors }, startedAt: begin - historyMs + 365 * DAY });
    const collector = await startOtelCollector({ binary, folder, port: await freePort(), limits });
    return new DeliverySite(world, folder, begin, binary, collector);
  }

  /** Simulated time, milliseconds since the epoch. */
  get now(): number {
    return this.#now;
  }

  async route(service: string, protocol: ExporterProgramOptions["protocol"] = "http/protobuf"): Promise<Route> {
    const counted = { polls: 0 };
    const simulator = await startSimulator({
      world: this.world,
      clock: systemClock,
      spelling: "live",
      credentials: { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" },
      log: ({ url, status }) => {
        if (status === 200 && /\/channels\?limit=\d+&offset=0$/.test(url)) counted.polls++;
      },
    });
    simulator.freezeAt(this.#now);
    const route: Route = { simulator, service, protocol, received: this.#file.of(service) };
    this.#routes.push(Object.assign(counted, { route }));
    return route;
  }

  /** Starts an exporter, or its successor with the same state. */
  async startExporter(
    { simulator, service, protocol }: Route,
    endpoint = this.collector.url,
  ): Promise<ExporterProgram> {
    const { folder } = this;
    // A proxy before the Collector reads raw requests.
    const otlp = endpoint === this.collector.url ? {} : { compression: "none" };
    const exporter = await startExporterProgram({ server: simulator.url, endpoint, protocol, folder, service, otlp });
    this.#exporters.add(exporter);
    return exporter;
  }

  jump(ms: number): void {
    this.#now += ms;
    for (const { route } of this.#routes) route.simulator.freezeAt(this.#now);
  }

  /** Each waits until every exporter's poll has started: time advances in mid-poll, as in reality. */
  async run(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      this.jump(MINUTE);
      const before = this.#routes.map(({ polls }) => polls);
      await until("a poll", POLL_LIMIT_MS, () =>
        this.#routes.every(({ polls }, index) => polls > (before[index] ?? 0)),
      );
    }
  }

  /** Waits for as many distinct points as the simulator measured, minus `less`. */
  async untilDelivered({ received }: Route, span: Span, less = 0): Promise<void> {
    const expected = countRecord(this.world, span) - less;
    let count = 0;
    let cameAt = performance.now();
    // After this silence, the comparison reports missing points.
    while (performance.now() - cameAt <= SILENCE_LIMIT_MS) {
      await this.#file.readOn();
      const before = count;
      count = received.count(span);
      // Lists may show more, of down sensors.
      if (count >= expected && (count > before || before === 0) && countMissing(received, this.world, span) <= less)
        return;
      if (count > before) cameAt = performance.now();
      await sleep(100);
    }
  }

  /** Waits for unexpected data, stops the exporters and reads the full file. */
  async finish(): Promise<void> {
    await sleep(AFTERMATH_MS);
    await Promise.all([...this.#exporters].map((exporter) => exporter.stop()));
    await this.collector.stop();
    await this.#file.readOn();
  }

  async readOn(): Promise<void> {
    await sleep(2 * FLUSH_MS);
    await this.#file.readOn();
  }

  async restartCollector(): Promise<void> {
    const { folder, collector } = this;
    this.collector = await startOtelCollector({ binary: this.#binary, folder, port: collector.port });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#exporters].map((exporter) => exporter.kill()));
    await this.collector.stop();
    await Promise.all(this.#routes.map(({ route }) => route.simulator.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function until(what: string, limitMs: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`no ${what} within ${limitMs} ms`);
    await sleep(10);
  }
}
