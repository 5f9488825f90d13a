import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import type { Schedule } from "../config/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import { type ChannelMapper, plainMapper, type ValueSeries } from "../mapping/channel-mapper.ts";
import { confirmationWindow, type ExpiryPolicy } from "../model/expiry-policy.ts";
import type { Tree, TreeNode } from "../model/tree.ts";
import type { ChannelChoice, SensorInspection } from "../projection/inspection.ts";
import { ServerView } from "../projection/server-view.ts";
import type { ParentKind, SensorStatusMode, Shape } from "../projection/shape.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { StatusToken } from "../prtg/status.ts";
import type { Store, Tables } from "../store/store.ts";
import type { CycleReport } from "../sync/series-cycle.ts";
import type { SyncEngine, SyncEngineOptions } from "../sync/sync-engine.ts";
import type { ServerRecorder } from "../telemetry/recorders.ts";
import { ChannelsCollector } from "./channels.ts";
import type { Collector } from "./collector.ts";
import { HealthCollector, VERSION_EVERY_MS } from "./health.ts";
import { LatestValues } from "./latest-values.ts";
import { LimitsCollector } from "./limits.ts";
import { LookupList } from "./lookup-list.ts";
import { NodeLists } from "./node-lists.ts";
import { type CollectorStatus, Scheduler } from "./scheduler.ts";
import { ServerCounts } from "./server-counts.ts";
import { StateWriter } from "./state-writer.ts";
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
  readonly metrics: ServerRecorder;
  readonly clock: Clock;
  /** From 0 to below 1; spreads the runs. */
  readonly random: () => number;
  readonly log: Logger;
  /** A collector without a schedule does not run. */
  readonly schedules: Schedules;
  /** Age at which a measurement is withdrawn; undefined: three scanning intervals, at least five minutes. */
  readonly staleAfterMs?: number | undefined;
  /** Characters that labels of the objects, and those of the channels, may have in all; undefined: any number. */
  readonly maxLabelText?: number | undefined;
  readonly sensorStatus: SensorStatusMode;
  /** Kinds of objects below which sensors are counted per status. */
  readonly nodeSensors: Iterable<ParentKind>;
  /** Makes what follows the time series and pushes measurements; undefined where neither is wanted. */
  readonly createSync?: ((hooks: SyncHooks) => SyncEngine | undefined) | undefined;
}

export type Schedules = { readonly [Name in CollectorName]?: Schedule | undefined };

/** What is shown, as the configuration says it. */
export type MonitorShape = Pick<
  ServerMonitorOptions,
  "mapper" | "channelInfo" | "sensorStatus" | "nodeSensors" | "staleAfterMs"
>;

/** Gives the engine that is to follow on this one. */
export type ChangeEngine = (engine: SyncEngine | undefined, hooks: SyncHooks) => Promise<SyncEngine | undefined>;

/** What the sync needs of the state that the collectors keep. */
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
  /** Channels whose sensor is known. */
  readonly channels: number;
  readonly collectors: readonly CollectorStatus[];
}

/** Keeps the state of one server up to date. */
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
  /** Copies what is shown into other tables, as `shape` wants it: for `Store.reshape`. */
  reshape(shape: MonitorShape, tables: Tables): Promise<() => void>;
  /** Goes by other schedules from now on. Only those that differ from what they were are touched. Resolves with what runs no more. */
  reschedule(schedules: Schedules): Promise<readonly CollectorName[]>;
  /** Breaks off what runs, has `change` exchange what the API is, and runs everything again, in order. */
  reconnect(change: () => void | Promise<void>): Promise<void>;
  /** Has `change` put another engine in place of the one there is, while nothing uses it. Resolves as `reschedule` does. */
  resync(change: ChangeEngine): Promise<readonly CollectorName[]>;
  status(): ServerStatus;
  /** What is known of a sensor and its channels; undefined while it is not known. */
  inspect(sensorId: string, choice: ChannelChoice): SensorInspection | undefined;
  /** An object as the last poll left it; undefined while it is not known. */
  node(id: string): TreeNode | undefined;
  /** As of the last commit. */
  tree(): Tree;
  /** Own status of an object; undefined where no list told, or none has confirmed it for long. */
  nodeStatus(node: TreeNode): StatusToken | undefined;
  /** Every channel whose sensor is known. Polls may go on in between. */
  channels(): ReturnType<ServerView["channels"]>;
}

export function createServerMonitor(options: ServerMonitorOptions): ServerMonitor {
  return new Monitor(options);
}

class Monitor implements ServerMonitor {
  readonly firstAttempt: Promise<void>;
  readonly #options: ServerMonitorOptions;
  readonly #view: ServerView;
  readonly #writer: StateWriter;
  readonly #collectors: Readonly<Record<CollectorName, Collector>>;
  readonly #hooks: SyncHooks;
  readonly #schedulers = new Map<CollectorName, Scheduler>();
  readonly #timetables = new Map<CollectorName, Timetable>();
  readonly #firstAttemptOver = Promise.withResolvers<void>();
  #schedules: Schedules = {};
  #countedKinds: ReadonlySet<ParentKind>;
  /** Rules may drop channels. */
  #leavesOut: boolean;
  #engine: SyncEngine | undefined;
  #started = false;
  #stopped = false;
  /** Rises when all are to run anew: those who run them in order stop then. */
  #round = 0;

  constructor(given: ServerMonitorOptions) {
    const options = { ...given, log: given.log.child({ server: given.server }) };
    const { server, api, store, clock, log, metrics } = options;
    this.#options = options;
    this.#countedKinds = new Set(options.nodeSensors);
    this.#leavesOut = options.mapper?.hasRules === true;
    this.firstAttempt = this.#firstAttemptOver.promise;
    const { staleAfterMs, maxLabelText } = options;
    this.#view = new ServerView({ server, store, shape: shapeOf(options), staleAfterMs, maxLabelText });
    this.#writer = new StateWriter({
      view: this.#view,
      metrics,
      clock,
      clockOffset: () => api.clockOffset(),
      isClockInDoubt: () => api.isClockInDoubt(),
      expiry: createExpiryPolicy(clock, this.#timetables),
    });
    const writer = this.#writer;
    const lists = new NodeLists(api, log);
    const counts = new ServerCounts(api, log);
    const unknown = new UnknownParents(() => this.#schedulers.get("tree")?.runSoon());
    const onVersionChange = () => {
      for (const scheduler of this.#schedulers.values()) scheduler.tryAgain();
    };
    const onRecovery = () => {
      for (const scheduler of this.#schedulers.values()) scheduler.recoverSoon();
    };
    const latest = new LatestValues(writer, clock);
    this.#hooks = {
      onFreshest: (sensorId, at, values) => latest.add(sensorId, at, values),
      seriesOf: (sensorId, channelId) => this.#view.seriesOf(sensorId, channelId),
    };
    this.#engine = options.createSync?.(this.#hooks);
    // The engine may be another one some day.
    const onListPoll: SyncEngine["onListPoll"] = async (...list) => this.#engine?.onListPoll(...list);
    const readDue: SyncEngine["readDue"] = async (signal) => this.#engine?.readDue(signal) ?? NOTHING_READ;
    this.#collectors = {
      health: new HealthCollector({ api, writer, clock, log, onVersionChange, onRecovery }),
      tree: new TreeCollector(lists, writer, unknown, counts),
      status: new StatusCollector(lists, writer, unknown, counts, () => this.#countedKinds),
      channels: new ChannelsCollector(api, writer, unknown, { onListPoll }),
      limits: new LimitsCollector(api, writer, new LookupList({ api, clock, log })),
      timeseries: new TimeSeriesCollector({ readDue }, latest),
    };
    this.#schedule(options.schedules);
    metrics.up(false);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#engine?.start();
    void this.#runInOrder();
  }

  async stop(graceMs = 0): Promise<void> {
    this.#stopped = true;
    this.#round++;
    await Promise.all([...this.#schedulers.values()].map((scheduler) => scheduler.stop()));
    await this.#engine?.flush(graceMs);
    this.#firstAttemptOver.resolve();
  }

  reshape(shape: MonitorShape, tables: Tables): Promise<() => void> {
    const counted = new Set(shape.nodeSensors);
    // What was left out until now may have limits, which are asked for rarely, or was not counted.
    const missing: CollectorName[] = this.#leavesOut ? ["limits"] : [];
    if (!counted.isSubsetOf(this.#countedKinds)) missing.push("status");
    const hadRules = this.#view.hasRules;
    const wanted = { ...shapeOf(shape), staleAfterMs: shape.staleAfterMs };
    return this.#view.reshape(wanted, tables, this.#writer.context()).then((changed) => () => {
      changed();
      this.#writer.report(hadRules);
      this.#countedKinds = counted;
      this.#leavesOut = shape.mapper?.hasRules === true;
      for (const name of missing) this.#schedulers.get(name)?.runSoon();
    });
  }

  async reschedule(schedules: Schedules): Promise<readonly CollectorName[]> {
    const before = new Map(this.#schedulers);
    if (this.#stopped) return [];
    this.#schedule(schedules);
    const gone = [...before].filter(([name]) => !this.#schedulers.has(name));
    await Promise.all(gone.map(([, scheduler]) => scheduler.stop()));
    if (this.#started) {
      for (const [name, scheduler] of this.#schedulers) if (!before.has(name)) void scheduler.start();
      this.#report();
    }
    return gone.map(([name]) => name);
  }

  async reconnect(change: () => void | Promise<void>): Promise<void> {
    this.#round++;
    await Promise.all([...this.#schedulers.values()].map((scheduler) => scheduler.pause()));
    await change();
    for (const scheduler of this.#schedulers.values()) scheduler.tryAgain();
    if (this.#started && !this.#stopped) void this.#runInOrder();
  }

  async resync(change: ChangeEngine): Promise<readonly CollectorName[]> {
    const users = (["channels", "timeseries"] as const).map((name) => this.#schedulers.get(name));
    const brokenOff = await Promise.all(users.map((scheduler) => scheduler?.pause()));
    this.#engine = await change(this.#engine, this.#hooks);
    if (this.#started && !this.#stopped) this.#engine?.start();
    for (const [index, scheduler] of users.entries()) void scheduler?.resume(brokenOff[index] === true);
    return this.reschedule(this.#schedules);
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
      objects: this.#view.state.tree.counts,
      channels: this.#view.state.channelCount,
      collectors: [...this.#schedulers.values()].map((scheduler) => scheduler.status()),
    };
  }

  inspect(sensorId: string, choice: ChannelChoice): SensorInspection | undefined {
    return this.#view.inspect(sensorId, choice, this.#options.clock.monotonic());
  }

  node(id: string): TreeNode | undefined {
    return this.#view.state.tree.nodes.get(id);
  }

  tree(): Tree {
    return this.#view.state.tree;
  }

  nodeStatus(node: TreeNode): StatusToken | undefined {
    return this.#view.state.statusOf(node, this.#options.clock.monotonic());
  }

  channels(): ReturnType<ServerView["channels"]> {
    return this.#view.channels();
  }

  /** Touches what differs from the schedules there were. The time series need an engine. */
  #schedule(schedules: Schedules): void {
    const { clock, random, log, metrics } = this.#options;
    for (const name of COLLECTOR_NAMES) {
      const schedule = name === "timeseries" && this.#engine === undefined ? undefined : schedules[name];
      const scheduler = this.#schedulers.get(name);
      if (schedule === undefined) {
        this.#schedulers.delete(name);
        this.#timetables.delete(name);
        continue;
      }
      if (scheduler !== undefined && isDeepStrictEqual(schedule, this.#schedules[name])) continue;
      const timetable = createTimetable(schedule, clock, log);
      this.#timetables.set(name, timetable);
      if (scheduler !== undefined) {
        scheduler.reschedule(timetable);
        continue;
      }
      const collector = this.#collectors[name];
      const onFinished = () => this.#report();
      const options = { collector, timetable, clock, random, log, metrics: metrics.collector(name), onFinished };
      this.#schedulers.set(name, new Scheduler(options));
    }
    this.#schedules = schedules;
    // In the order of their runs, whenever they came.
    for (const name of COLLECTOR_NAMES) {
      const scheduler = this.#schedulers.get(name);
      this.#schedulers.delete(name);
      if (scheduler !== undefined) this.#schedulers.set(name, scheduler);
    }
  }

  /**
   * The tree before what hangs on it, so that the first page is right at once. A slow status list must not keep the
   * values back, so these two begin together.
   */
  async #runInOrder(): Promise<void> {
    const round = this.#round;
    const run = async (name: CollectorName) => {
      const scheduler = this.#schedulers.get(name);
      if (round === this.#round) await scheduler?.resume(true);
    };
    await run("health");
    await run("tree");
    await Promise.all([run("status"), run("channels")]);
    await run("limits");
    // Spread over its period on purpose: nobody need wait for it.
    void run("timeseries");
    if (round === this.#round) this.#firstAttemptOver.resolve();
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

/** Where no engine is. */
const NOTHING_READ: CycleReport = { due: 0, read: 0, failed: 0, requests: 0 };

type Timetables = ReadonlyMap<CollectorName, Timetable>;

function shapeOf({ mapper = plainMapper(), channelInfo, sensorStatus, nodeSensors }: MonitorShape): Shape {
  const isInfoServed = channelInfo === "always" || !mapper.labels.isWide;
  return { mapper, channelInfo: isInfoServed, sensorStatus, nodeSensors };
}

/** What several collectors confirm lasts as the one that is there for it says. */
function createExpiryPolicy(clock: Clock, timetables: Timetables): ExpiryPolicy {
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
