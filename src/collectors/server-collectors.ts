import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import type { Extras } from "../lib/extra-work.ts";
import { confirmationWindow, type ExpiryPolicy } from "../model/expiry-policy.ts";
import type { ParentKind } from "../projection/shape.ts";
import type { SyncEngine } from "../sync/sync-engine.ts";
import { EXTRA_COLLECTORS } from "../telemetry/own-metrics.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import { ChannelsCollector, LimitsCollector } from "./channel-collectors.ts";
import { COLLECTOR_NAMES, type Collector, type CollectorName, FIRST_RUNS } from "./collector.ts";
import { CollectorRunner, type CollectorStatus } from "./collector-runner.ts";
import { DetailsCollector } from "./details-collector.ts";
import { HealthCollector, VERSION_EVERY_MS } from "./health.ts";
import type { LatestValues } from "./latest-values.ts";
import { StatusCollector, TreeCollector } from "./node-collectors.ts";
import type { RunRecord, RunRecords } from "./run-record.ts";
import type { ServerReader } from "./server-reader.ts";
import type { StateWriter } from "./state-writer.ts";
import { TimeSeriesCollector } from "./time-series.ts";

/** Extras: `prtg_up` does not depend on them, and the first page does not wait for them. */
const EXTRAS: ReadonlySet<CollectorName> = new Set<CollectorName>(EXTRA_COLLECTORS);

/** A collector without a schedule does not run. */
export type Schedules = { readonly [Name in CollectorName]?: Schedule | undefined };

export interface ServerCollectorsOptions {
  readonly reader: ServerReader;
  /** Of the state that they keep up to date. */
  readonly writer: StateWriter;
  /** Of these collectors, and of those that went before over the same state. */
  readonly records: RunRecords;
  /** Follows the time series; undefined where they are neither read nor pushed, and then there is no collector of them. */
  readonly sync: { readonly engine: SyncEngine; readonly latest: LatestValues } | undefined;
  /** What the process has time for beside all else. */
  readonly extras: Extras;
  /** Resolves when the page shows what was written to the state until now; undefined where there is none. */
  readonly pageUpToDate?: (() => Promise<void>) | undefined;
  readonly schedules: Schedules;
  /** Kinds of objects below which the server counts the sensors per status. */
  readonly countedKinds: ReadonlySet<ParentKind>;
  readonly metrics: ServerRecorder;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** See `createTimetable`. */
  readonly phase?: number | undefined;
  /** Bound to the server. */
  readonly log: Logger;
}

/** The collectors of one server, each with its runner. Once stopped they do not start again: others take their place. */
export class ServerCollectors {
  readonly #options: ServerCollectorsOptions;
  /** In the order of their first runs. */
  readonly #runners = new Map<CollectorName, CollectorRunner>();
  readonly #channels: ChannelsCollector;
  #stopped = false;

  constructor(options: ServerCollectorsOptions) {
    const { schedules, records, clock, random, phase, log } = options;
    this.#options = options;
    const collectors = this.#create();
    this.#channels = collectors.channels;
    for (const name of COLLECTOR_NAMES) {
      const schedule = schedules[name];
      const collector = collectors[name];
      if (schedule === undefined || collector === undefined) continue;
      const onFinished = () => {
        this.#report();
        this.#readAwaited(name);
      };
      const record = records.open(name);
      const runner = new CollectorRunner({ collector, schedule, record, clock, random, phase, log, onFinished });
      this.#runners.set(name, runner);
    }
  }

  /**
   * Starts the schedules, and the runs that the records require, in the order of `FIRST_RUNS`. Resolves when each of these
   * runs has finished, either way, but for those of extras: with false where they were stopped before.
   */
  async start(): Promise<boolean> {
    for (const runner of this.#runners.values()) {
      if (runner.record.mustRunAtStart) runner.resumeTimetable();
      else void runner.start();
    }
    this.#options.metrics.up(this.up);
    if (this.#options.pageUpToDate !== undefined) this.#channels.leaveRest();
    for (const names of FIRST_RUNS) if (!areExtras(names)) await this.#startAll(names);
    void this.#startExtras();
    return !this.#stopped;
  }

  /** After the page with what the other first runs brought, which they would else keep from being made. */
  async #startExtras(): Promise<void> {
    await this.#options.pageUpToDate?.();
    await this.#channels.takeRest().catch((err: unknown) => {
      this.#options.log.error({ err }, "following the time series from the first list failed");
    });
    for (const names of FIRST_RUNS) if (areExtras(names)) await this.#startAll(names);
  }

  async #startAll(names: readonly CollectorName[]): Promise<void> {
    await Promise.all(names.map((name) => this.#runners.get(name)?.start()));
  }

  /** Aborts what runs, and resolves when all has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    await this.#channels.stop();
  }

  /** One run of each collector, in order. Resolves with whether all worked; false when `signal` aborts. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    let worked = true;
    for (const runner of this.#runners.values()) {
      if (signal.aborted) return false;
      worked = (await runner.runOnce(signal)) && worked;
    }
    return worked;
  }

  has(name: CollectorName): boolean {
    return this.#runners.has(name);
  }

  /** Whether the last runs worked, and read what is to be read now. A collector that is not scheduled is not missed. */
  get up(): boolean {
    for (const [name, { record }] of this.#runners) {
      if (!EXTRAS.has(name) && !record.isUpToDate) return false;
    }
    return true;
  }

  /** What is known of the runs of each, in the order of their first runs. */
  get records(): readonly RunRecord[] {
    return Array.from(this.#runners.values(), ({ record }) => record);
  }

  status(): readonly CollectorStatus[] {
    return Array.from(this.#runners.values(), (runner) => runner.status());
  }

  /** Milliseconds from now in which the next three runs fall due; undefined where the collector does not run. */
  untilThird(name: CollectorName): number | undefined {
    return this.#runners.get(name)?.untilThird();
  }

  #create(): { readonly [Name in CollectorName]: Collector | undefined } & { readonly channels: ChannelsCollector } {
    const { reader, writer, countedKinds, sync, extras, clock } = this.#options;
    const onVersionChange = () => {
      for (const { record } of this.#runners.values()) record.tryAgain();
    };
    const onRecovery = () => {
      for (const runner of this.#runners.values()) runner.recoverSoon();
    };
    const requestTree = () => this.#runners.get("tree")?.runSoon();
    return {
      health: new HealthCollector({ health: reader.health, writer, onVersionChange, onRecovery }),
      tree: new TreeCollector({ reader, writer }),
      status: new StatusCollector({ reader, writer, countedKinds, requestTree }),
      channels: new ChannelsCollector({ reader, writer, engine: sync?.engine, clock, requestTree }),
      limits: new LimitsCollector(reader, writer, extras),
      details: new DetailsCollector(reader, writer, extras),
      timeseries: sync && new TimeSeriesCollector(sync.engine, sync.latest),
    };
  }

  /** New objects do not wait for the next tick: after a run that missed some, or one that came before the tree was read. */
  #readAwaited(finished: CollectorName): void {
    const runner = this.#runners.get(finished);
    if (runner?.record.missedSome === true) runner.runSoon();
    if (finished !== "tree" || runner?.record.isSettled !== true) return;
    for (const each of this.#runners.values()) if (each.record.lacksBasis) each.runSoon();
  }

  #report(): void {
    const { reader, metrics } = this.#options;
    metrics.up(this.up);
    metrics.clockOffset(reader.api.clockOffset() / 1000);
  }
}

/**
 * What several collectors confirm lasts as the one that is there for it says.
 * @param untilThird Milliseconds until the third run from now of a collector; undefined where it does not run.
 */
export function createExpiryPolicy(
  clock: Clock,
  untilThird: (name: CollectorName) => number | undefined,
): ExpiryPolicy {
  const after = (names: readonly CollectorName[], minMs = 0) => {
    const windowMs = names.map(untilThird).find((found) => found !== undefined) ?? 0;
    return clock.monotonic() + confirmationWindow(Math.max(windowMs, minMs));
  };
  return {
    state: () => after(["status", "tree"]),
    property: () => after(["tree", "status"]),
    channel: () => after(["channels"]),
    limit: () => after(["limits"]),
    version: () => after(["health"], 3 * VERSION_EVERY_MS),
    detail: () => after(["details"]),
  };
}

function areExtras(names: readonly CollectorName[]): boolean {
  return names.every((name) => EXTRAS.has(name));
}
