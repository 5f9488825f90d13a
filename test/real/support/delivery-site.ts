import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Simulator, startSimulator } from "../../../packages/simulator/src/simulator.ts";
import type { World } from "../../../packages/simulator/src/world/model.ts";
import { createWorld } from "../../../packages/simulator/src/world/world.ts";
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
/** Time without a new point after which no more is expected: what is busy elsewhere is slow, but goes on. */
const SILENCE_LIMIT_MS = 240_000;
/** Time in which what should not come would come. */
const AFTERMATH_MS = 2_500;

export interface SiteOptions {
  readonly collector: string;
  readonly sensors: number;
  /** How far back the measurements go when the test begins, milliseconds. */
  readonly historyMs?: number;
}

/** One exporter's way: its own view of the world, and what the collector has of it. */
export interface Route {
  readonly simulator: Simulator;
  readonly received: ReceivedPoints;
  readonly service: string;
  readonly protocol: ExporterProgramOptions["protocol"];
}

/** A simulated world, servers that show it, a collector, and time that the test steers. */
export class DeliverySite {
  readonly world: World;
  readonly folder: string;
  /** The simulated moment at which the test began, milliseconds since the epoch. */
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

  static async open({ collector: binary, sensors, historyMs = 0 }: SiteOptions): Promise<DeliverySite> {
    const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-delivery-"));
    const begin = Math.floor(Date.now() / 1_000) * 1_000;
    // A world has a history of 365 days.
    const world = createWorld({ seed: 1, size: { sensors }, startedAt: begin - historyMs + 365 * DAY });
    const collector = await startOtelCollector({ binary, folder, port: await freePort() });
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

  /** Starts an exporter, or the next one in its place, with the same state. */
  async startExporter(
    { simulator, service, protocol }: Route,
    endpoint = this.collector.url,
  ): Promise<ExporterProgram> {
    const { folder } = this;
    // What stands before the Collector reads requests as they come.
    const otlp = endpoint === this.collector.url ? {} : { compression: "none" };
    const exporter = await startExporterProgram({ server: simulator.url, endpoint, protocol, folder, service, otlp });
    this.#exporters.add(exporter);
    return exporter;
  }

  /** Simulated time goes on at once. */
  jump(ms: number): void {
    this.#now += ms;
    for (const { route } of this.#routes) route.simulator.freezeAt(this.#now);
  }

  /**
   * Simulated minutes, each of which every exporter begins to poll before the next one comes: so that time goes on in
   * the middle of their polls, as it does in the world.
   */
  async run(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      this.jump(MINUTE);
      const before = this.#routes.map(({ polls }) => polls);
      await until("a poll", POLL_LIMIT_MS, () =>
        this.#routes.every(({ polls }, index) => polls > (before[index] ?? 0)),
      );
    }
  }

  /** Waits until as many different points came as the simulator measured in a span, but for `less` that may not. */
  async untilDelivered({ received }: Route, span: Span, less = 0): Promise<void> {
    const expected = countRecord(this.world, span) - less;
    let count = 0;
    let cameAt = performance.now();
    // What is missing after such a silence is for the comparison to tell.
    while (performance.now() - cameAt <= SILENCE_LIMIT_MS) {
      await this.#file.readOn();
      const before = count;
      count = received.count(span);
      // Lists may have shown more, of sensors that are down.
      if (count >= expected && (count > before || before === 0) && countMissing(received, this.world, span) <= less)
        return;
      if (count > before) cameAt = performance.now();
      await sleep(100);
    }
  }

  /** Stops the exporters, after a while for what should not come, and reads the file to its end. */
  async finish(): Promise<void> {
    await sleep(AFTERMATH_MS);
    await Promise.all([...this.#exporters].map((exporter) => exporter.stop()));
    await this.collector.stop();
    await this.#file.readOn();
  }

  /** Reads on in the collector's file, which has what came up to now. */
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
