import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import type { SimNode, SimState, World } from "prtg-simulator/src/world/model.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { ReceivedLogRecord } from "../../otlp/support/decode-logs.ts";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import { MINUTE, until } from "./delivery-site.ts";
import { type ExporterProgram, startExporterProgram } from "./exporter-program.ts";

/** Simulated time between status polls. */
const STEP_MS = 5 * MINUTE;
const POLL_LIMIT_MS = 60_000;

interface EventSiteOptions {
  /** Log receiver. */
  readonly logsEndpoint: string;
  readonly protocol: "http/protobuf" | "http/json";
  /** Value of `service.name`. */
  readonly service: string;
  readonly world: World;
  /** Simulated start, milliseconds since the epoch. */
  readonly begin: number;
}

/** Pushes only events. Each step reads all statuses. */
export class EventSite {
  readonly #options: EventSiteOptions;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-events-"));
  readonly #simulator: Simulator;
  readonly #polls: { begun: number };
  /** Times of complete status reads, milliseconds since the epoch. */
  readonly #seen: number[] = [];
  #exporter: ExporterProgram | undefined;
  #now: number;

  private constructor(options: EventSiteOptions, simulator: Simulator, polls: { begun: number }) {
    this.#options = options;
    this.#simulator = simulator;
    this.#polls = polls;
    this.#now = options.begin;
    simulator.freezeAt(this.#now);
  }

  static async open(options: EventSiteOptions): Promise<EventSite> {
    const polls = { begun: 0 };
    const simulator = await startSimulator({
      world: options.world,
      clock: systemClock,
      spelling: "live",
      credentials: { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" },
      log: ({ url, status }) => {
        if (status === 200 && url === "/api/v2/sensor-status-summary") polls.begun++;
      },
    });
    return new EventSite(options, simulator, polls);
  }

  /** Also its successor with the same state. Waits for all statuses. */
  async start(): Promise<void> {
    const { protocol, service, logsEndpoint } = this.#options;
    const off = { enabled: false };
    this.#exporter = await startExporterProgram({
      ...{ server: this.#simulator.url, protocol, service, folder: this.#folder },
      endpoint: logsEndpoint,
      otlp: { endpoint: undefined, logs_endpoint: logsEndpoint, events: true },
      collectors: {
        status: { schedule: "1s" },
        channels: off,
        timeseries: off,
        limits: off,
        health: { schedule: "1h" },
      },
    });
    await this.#exporter.ready();
    await this.#look();
  }

  /** Like a machine crash: flushes nothing. */
  async kill(): Promise<void> {
    await this.#exporter?.kill();
    this.#exporter = undefined;
  }

  /** Advances time. A running exporter reads all statuses at each step. */
  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      this.#now += STEP_MS;
      this.#simulator.freezeAt(this.#now);
      if (this.#exporter !== undefined) await this.#look();
    }
  }

  async page(): Promise<string> {
    return (await this.#exporter?.page()) ?? "";
  }

  async untilDelivered(): Promise<void> {
    await until("the end of the queue", POLL_LIMIT_MS, async () => {
      const pending = /^prtg_exporter_events_pending\{.*output="otlp".*\} (\d+)$/m.exec(await this.page());
      return pending?.[1] === "0";
    });
  }

  /** The world's visible status changes, as text. */
  expected(): string[] {
    const { world } = this.#options;
    const nodes = [...world.list("probe"), ...world.list("group"), ...world.list("device"), ...world.list("sensor")];
    return nodes.flatMap((node) => this.#changesOf(node)).toSorted();
  }

  async close(): Promise<void> {
    await this.#exporter?.kill();
    await this.#simulator.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  *#changes(node: SimNode): Generator<readonly [SimState, SimState]> {
    const [first = this.#now, ...others] = this.#seen;
    let before = this.#options.world.state(node, first);
    for (const at of others) {
      const state = this.#options.world.state(node, at);
      if (state.status !== before.status) yield [before, state];
      before = state;
    }
  }

  #changesOf(node: SimNode): string[] {
    return [...this.#changes(node)].map(([before, { status, since, message }]) => {
      // Servers give time and reason only for sensors.
      if (node.kind !== "sensor") return inWords(node.id, status, undefined, "");
      return inWords(node.id, status, seconds(since) > seconds(before.since) ? seconds(since) : undefined, message);
    });
  }

  /** A poll that starts after this call has ended when the next one starts. */
  async #look(): Promise<void> {
    const { begun } = this.#polls;
    await until("a poll of statuses", POLL_LIMIT_MS, () => this.#polls.begun >= begun + 2);
    this.#seen.push(this.#now);
  }
}

/** Received changes in the same format, except inferred ones. */
export function changesTold(records: readonly ReceivedLogRecord[]): string[] {
  return records
    .filter(({ attributes }) => attributes["prtg.event.inferred"] !== true)
    .map(({ attributes, time, observed }) => {
      const { "prtg.object.id": id, "prtg.status.new": status, "prtg.status.message": message = "" } = attributes;
      const at = time === observed ? undefined : Number(time / 1_000_000n);
      return inWords(String(id), String(status), at, String(message));
    })
    .toSorted();
}

/** `at`: undefined if the server does not give it. */
export function inWords(id: string, status: string, at: number | undefined, message: string): string {
  return `${id} is ${status} since ${at === undefined ? "some time" : new Date(at).toISOString()}: ${message}`;
}

/** Time format of servers. */
function seconds(at: number): number {
  return Math.floor(at / 1_000) * 1_000;
}
