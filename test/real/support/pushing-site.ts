import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import type { WorldSize } from "prtg-simulator/src/world/layout/size.ts";
import type { SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { expect, vi } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { servedValue } from "../../support/expected-series.ts";
import { freePort } from "../../support/free-port.ts";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import { type OtlpRelay, startOtlpRelay } from "./otlp-relay.ts";
import { type PushingExporter, startPushingExporter } from "./pushing-exporter.ts";

/** Time for two polls and pushes on an idle machine. */
const TWO_CYCLES_MS = 2_500;
const LONG = { timeout: 60_000 };

const MINUTE = 60_000;
const ALL_COLLECTORS = ["health", "tree", "status", "channels", "limits", "timeseries"];

interface PushingSiteOptions {
  readonly size: Partial<WorldSize>;
  /** Simulated start, milliseconds since the epoch. */
  readonly at: number;
  readonly endpoint?: string;
  /** More keys of section `otlp`, in YAML flow style. */
  readonly otlp?: string;
  /** More YAML sections. */
  readonly settings?: string;
  /** Run every second. */
  readonly collectors?: readonly string[];
  /** Changes the world before the exporter starts. */
  readonly prepare?: (site: PushingSite) => void;
}

/** Stopped time. The exporter pushes to a relay every second. */
export class PushingSite {
  readonly world: World;
  readonly simulator: Simulator;
  readonly relay: OtlpRelay;
  at: number;
  readonly #stateDir = mkdtempSync(path.join(tmpdir(), "prtg-exporter-push-"));
  readonly #settings: string;
  readonly #used = new Set<SimSensor>();
  #exporter: PushingExporter | undefined;

  private constructor(world: World, simulator: Simulator, relay: OtlpRelay, options: PushingSiteOptions) {
    const { at, endpoint = "/api/v1/otlp", otlp = "", settings = "", collectors = ALL_COLLECTORS } = options;
    this.world = world;
    this.simulator = simulator;
    this.relay = relay;
    this.at = at;
    this.#settings = `${settings}
state_dir: ${this.#stateDir}
otlp: { endpoint: "${relay.url}${endpoint}", interval: 1s, ${otlp} }
collectors: { ${collectors.map((name) => `${name}: { schedule: 1s }`).join(", ")} }
`;
  }

  static async start(options: PushingSiteOptions): Promise<PushingSite> {
    const world = createWorld({ seed: 1, size: options.size, startedAt: options.at });
    const credentials = { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" };
    const simulator = await startSimulator({ world, clock: systemClock, spelling: "live", credentials });
    const site = new PushingSite(world, simulator, await startOtlpRelay(), options);
    site.moveTo(options.at);
    options.prepare?.(site);
    await site.startExporter();
    return site;
  }

  get exporter(): PushingExporter {
    if (this.#exporter === undefined) throw new Error("no exporter runs");
    return this.#exporter;
  }

  /** Also restarts it on the same port with the same state. */
  async startExporter(): Promise<void> {
    const port = this.#exporter?.port ?? (await freePort());
    this.#exporter = await startPushingExporter({ server: this.simulator.url, settings: this.#settings, port });
  }

  moveTo(moment: number): void {
    this.at = moment;
    this.simulator.freezeAt(moment);
  }

  pass(minutes: number): void {
    this.moveTo(this.at + minutes * MINUTE);
  }

  waitForTwoCycles(): Promise<void> {
    return waitForTwoCycles(this.simulator, this.relay);
  }

  /** A sensor that is up with values, each time another. */
  measuredSensor(fits: (sensor: SimSensor) => boolean = () => true): SimSensor {
    const found = this.world.list("sensor").find((sensor) => {
      if (!fits(sensor) || this.#used.has(sensor) || this.world.state(sensor, this.at).status !== "up") return false;
      return sensor.channels.some((channel) => servedValue(this.world, channel, this.at) !== undefined);
    });
    if (found === undefined) throw new Error("the world is too small");
    this.#used.add(found);
    return found;
  }

  async close(): Promise<void> {
    await this.#exporter?.stop();
    await this.relay.close();
    await this.simulator.close();
    rmSync(this.#stateDir, { recursive: true, force: true });
  }
}

/** So every served series has a recent push. */
export function measureEachMinute({ world }: PushingSite): void {
  for (const sensor of world.list("sensor")) sensor.intervalSeconds = 60;
}

/** Two polls and pushes at one-second schedules. */
async function waitForTwoCycles(simulator: Simulator, relay: OtlpRelay): Promise<void> {
  const polls = () => simulator.requests.count({ route: "/experimental/channels", status: 200 });
  const pushes = () => relay.points.get("prtg.up")?.length ?? 0;
  const before = { polls: polls(), pushes: pushes() };
  await sleep(TWO_CYCLES_MS);
  await vi.waitFor(() => expect(polls()).toBeGreaterThanOrEqual(before.polls + 2), LONG);
  await vi.waitFor(() => expect(pushes()).toBeGreaterThanOrEqual(before.pushes + 2), LONG);
}
