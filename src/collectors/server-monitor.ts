import type { Logger } from "pino";
import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { Clock } from "../clock.ts";
import type { Schedule } from "../config/schedule.ts";
import { type ChannelMapper, plainMapper, type ValueSeries } from "../mapping/channel-mapper.ts";
import type { Store } from "../store/store.ts";
import type { SyncEngine, SyncEngineOptions } from "../sync/sync-engine.ts";
import type { ServerMetrics } from "../telemetry/server-metrics.ts";
import type { TreeNode } from "../tree/model.ts";
import { ChannelsCollector } from "./channels.ts";
import type { Collector } from "./collector.ts";
import { confirmationWindow, type Deadlines } from "./deadlines.ts";
import { FreshestValues } from "./freshest-values.ts";
import { HealthCollector, VERSION_EVERY_MS } from "./health.ts";
import type { SensorInspection } from "./inspection.ts";
import { LimitsCollector } from "./limits.ts";
import { LookupList } from "./lookup-list.ts";
import { NodeLists } from "./node-lists.ts";
import type { ParentKind } from "./node-series.ts";
import { type CollectorStatus, Scheduler } from "./scheduler.ts";
import type { SensorStatusMode } from "./sensor-status-series.ts";
import { ServerPicture } from "./server-picture.ts";
import { StatusCollector } from "./status.ts";
import { TimeSeriesCollector } from "./time-series.ts";
import { createTimetable, type Timetable } from "./timetable.ts";
import { TreeCollector } from "./tree.ts";
import { UnknownParents } from "./unknown-parents.ts";

/** In the order of their first runs. */
export const COLLECTOR_NAMES = ["health", "tree", "status", "channels", "limits", "timeseries"] as const;
/** Extras: `prtg_up` does not depend on them. */
const EXTRAS: ReadonlySet<CollectorName> = new Set(["limits", "timeseries"]);
export type CollectorName = (typeof COLLECTOR_NAMES)[number];

export interface ServerMonitorOptions {
  /** Value of the label `server`. */
  readonly server: string;
  readonly api: MonitoringApi;
  readonly store: Store;
  /** Decides which labels series have, and as what channels are served; undefined: as the metric table says. */
  readonly mapper?: ChannelMapper | undefined;
  /** `prtg_channel_info`: `auto` where labels are left out of other series. */
  readonly channelInfo?: "auto" | "always" | undefined;
  readonly metrics: ServerMetrics;
  readonly clock: Clock;
  /** From 0 to below 1; spreads the runs. */
  readonly random: () => number;
  readonly log: Logger;
  /** A collector without a schedule does not run. */
  readonly schedules: { readonly [Name in CollectorName]?: Schedule | undefined };
  /** Age at which a measurement is withdrawn; undefined: three scanning intervals, at least five minutes. */
  readonly staleAfterMs?: number | undefined;
  readonly sensorStatus: SensorStatusMode;
  /** Kinds of objects below which sensors are counted per status. */
  readonly nodeSensors: Iterable<ParentKind>;
  /** Makes what follows the time series and pushes measurements; undefined where neither is wanted. */
  readonly createSync?: ((hooks: SyncHooks) => SyncEngine) | undefined;
}

/** What the sync needs of the picture that the collectors keep. */
export interface SyncHooks {
  readonly onFreshest: SyncEngineOptions["onFreshest"];
  /** The series that show a channel's value; undefined while the channel is not known. */
  readonly seriesOf: (sensorId: string, channelId: string) => readonly ValueSeries[] | undefined;
}

/** What a status page shows of a server. */
export interface ServerStatus {
  readonly server: string;
  readonly up: boolean;
  readonly objects: {
    readonly probe: number;
    readonly group: number;
    readonly device: number;
    readonly sensor: number;
  };
  readonly collectors: readonly CollectorStatus[];
}

/** Keeps the store's picture of one server up to date. */
export interface ServerMonitor {
  /** Resolves when the first run of every collector has finished, either way. Never rejects. */
  readonly firstAttempt: Promise<void>;
  start(): void;
  /**
   * Aborts what runs, delivers what waits within `graceMs`, and resolves when all has ended. The monitor cannot be
   * started again.
   */
  stop(graceMs?: number): Promise<void>;
  /** One run of each collector, in order. Resolves with whether all worked. */
  pollOnce(signal: AbortSignal): Promise<boolean>;
  status(): ServerStatus;
  /** What is known of a sensor and its channels; undefined while it is not known. */
  inspect(sensorId: string): SensorInspection | undefined;
  /** An object as the last poll left it; undefined while it is not known. */
  node(id: string): TreeNode | undefined;
  /** Every channel whose sensor is known. Polls may go on in between. */
  channels(): ReturnType<ServerPicture["channels"]>;
}

export function createServerMonitor(options: ServerMonitorOptions): ServerMonitor {
  return new Monitor(options);
}

class Monitor implements ServerMonitor {
  readonly firstAttempt: Promise<void>;
  readonly #options: ServerMonitorOptions;
  readonly #picture: ServerPicture;
  readonly #engine: SyncEngine | undefined;
  readonly #schedulers = new Map<CollectorName, Scheduler>();
  readonly #firstAttemptOver = Promise.withResolvers<void>();
  #started = false;

  constructor(given: ServerMonitorOptions) {
    const options = { ...given, log: given.log.child({ server: given.server }) };
    const { server, api, store, clock, random, log, metrics, sensorStatus, nodeSensors, staleAfterMs } = options;
    this.#options = options;
    this.firstAttempt = this.#firstAttemptOver.promise;
    const { mapper = plainMapper() } = options;
    const timetables = createTimetables(options);
    this.#picture = new ServerPicture({
      server,
      store,
      mapper,
      channelInfo: options.channelInfo === "always" || !mapper.labels.isWide,
      metrics,
      clock,
      clockOffset: () => api.clockOffset(),
      deadlines: createDeadlines(clock, timetables),
      sensorStatus,
      nodeSensors,
      staleAfterMs,
    });
    const picture = this.#picture;
    const lists = new NodeLists(api, log);
    const unknown = new UnknownParents(() => this.#schedulers.get("tree")?.runSoon());
    const onVersionChange = () => {
      for (const scheduler of this.#schedulers.values()) scheduler.tryAgain();
    };
    const freshest = new FreshestValues(picture, clock);
    this.#engine = options.createSync?.({
      onFreshest: (sensorId, at, values) => freshest.add(sensorId, at, values),
      seriesOf: (sensorId, channelId) => picture.seriesOf(sensorId, channelId),
    });
    const engine = this.#engine;
    const collectors: Record<CollectorName, Collector | undefined> = {
      health: new HealthCollector({ api, picture, clock, log, onVersionChange }),
      tree: new TreeCollector(api, lists, picture, unknown),
      status: new StatusCollector(api, lists, picture, unknown, nodeSensors),
      channels: new ChannelsCollector(api, picture, unknown, engine),
      limits: new LimitsCollector(api, picture, new LookupList({ api, clock, log })),
      timeseries: engine && new TimeSeriesCollector(engine, freshest),
    };
    for (const [name, timetable] of timetables) {
      const collector = collectors[name];
      if (collector === undefined) continue;
      this.#schedulers.set(
        name,
        new Scheduler({
          collector,
          timetable,
          clock,
          random,
          log,
          metrics: metrics.collector(name),
          onFinished: () => this.#report(),
        }),
      );
    }
    metrics.up(false);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#engine?.start();
    const finished = this.#startInOrder();
    void finished.finally(() => this.#firstAttemptOver.resolve());
  }

  async stop(graceMs = 0): Promise<void> {
    await Promise.all([...this.#schedulers.values()].map((scheduler) => scheduler.stop()));
    await this.#engine?.flush(graceMs);
    this.#firstAttemptOver.resolve();
  }

  async pollOnce(signal: AbortSignal): Promise<boolean> {
    let worked = true;
    for (const scheduler of this.#schedulers.values()) {
      if (signal.aborted) return false;
      worked = (await scheduler.runOnce(signal)) && worked;
    }
    this.#firstAttemptOver.resolve();
    return worked;
  }

  status(): ServerStatus {
    return {
      server: this.#options.server,
      up: this.#isUp(),
      objects: this.#picture.tree.counts,
      collectors: [...this.#schedulers.values()].map((scheduler) => scheduler.status()),
    };
  }

  inspect(sensorId: string): SensorInspection | undefined {
    return this.#picture.inspect(sensorId);
  }

  node(id: string): TreeNode | undefined {
    return this.#picture.tree.nodes.get(id);
  }

  channels(): ReturnType<ServerPicture["channels"]> {
    return this.#picture.channels();
  }

  /**
   * The tree before what hangs on it, so that the first page is right at once. A slow status list must not keep the
   * values back, so these two begin together.
   */
  async #startInOrder(): Promise<void> {
    const start = (name: CollectorName) => this.#schedulers.get(name)?.start();
    await start("health");
    await start("tree");
    await Promise.all([start("status"), start("channels")]);
    await start("limits");
    // Spread over its period on purpose: nobody need wait for it.
    void start("timeseries");
  }

  #report(): void {
    const { api, metrics } = this.#options;
    metrics.up(this.#isUp());
    metrics.clockOffset(api.clockOffset() / 1000);
  }

  /** A collector that is not scheduled is not missed. */
  #isUp(): boolean {
    for (const [name, scheduler] of this.#schedulers) {
      if (!EXTRAS.has(name) && scheduler.worked !== true) return false;
    }
    return true;
  }
}

type Timetables = ReadonlyMap<CollectorName, Timetable>;

function createTimetables({ schedules, clock, log }: ServerMonitorOptions): Timetables {
  const timetables = new Map<CollectorName, Timetable>();
  for (const name of COLLECTOR_NAMES) {
    const schedule = schedules[name];
    if (schedule !== undefined) timetables.set(name, createTimetable(schedule, clock, log));
  }
  return timetables;
}

/** What several collectors confirm lasts as the one that is there for it says. */
function createDeadlines(clock: Clock, timetables: Timetables): Deadlines {
  const after = (names: readonly CollectorName[], leastMs = 0) => {
    const timetable = names.map((name) => timetables.get(name)).find((found) => found !== undefined);
    return clock.monotonic() + confirmationWindow(Math.max(timetable?.untilThird() ?? 0, leastMs));
  };
  return {
    state: () => after(["status", "tree"]),
    property: () => after(["tree", "status"]),
    channel: () => after(["channels"]),
    limit: () => after(["limits"]),
    version: () => after(["health"], 3 * VERSION_EVERY_MS),
  };
}
