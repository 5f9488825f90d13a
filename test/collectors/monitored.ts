import { pino } from "pino";
import { COLLECTOR_NAMES, type CollectorName } from "../../src/collectors/collector.ts";
import { ServerFailureLogs } from "../../src/collectors/failure-log.ts";
import { RunRecords } from "../../src/collectors/run-record.ts";
import {
  createExpiryPolicy,
  type Schedules,
  ServerCollectors,
  type ServerCollectorsOptions,
} from "../../src/collectors/server-collectors.ts";
import { PollHistory, ServerConnection } from "../../src/collectors/server-connection.ts";
import { StateWriter } from "../../src/collectors/state-writer.ts";
import { LatestValues } from "../../src/collectors/time-series-poll.ts";
import { formatLabels } from "../../src/exposition/text-format.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Extras } from "../../src/lib/extra-work.ts";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";
import { plainMapper } from "../../src/mapping/channel-mapper.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { ChannelChoice } from "../../src/projection/inspection.ts";
import { ServerView } from "../../src/projection/server-view.ts";
import type { Shape } from "../../src/projection/shape.ts";
import type { ChannelRecord } from "../../src/prtg/records.ts";
import { Store } from "../../src/store/store.ts";
import type { SyncEngine } from "../../src/sync/sync-engine.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { ROOT, record } from "../model/build-record.ts";
import { FREE_EXTRAS } from "../support/free-extras.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryServer } from "./memory-server.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

const SCHEDULES: Readonly<Record<CollectorName, number>> = {
  health: 15 * SECOND,
  tree: 5 * MINUTE,
  status: 30 * SECOND,
  channels: MINUTE,
  limits: 15 * MINUTE,
  details: 15 * MINUTE,
  timeseries: MINUTE,
};

const scheduled = (names: readonly CollectorName[]) =>
  Object.fromEntries(names.map((name) => [name, { kind: "interval", everyMs: SCHEDULES[name] }] as const));

/** The default configuration. */
export const SCHEDULED = scheduled(COLLECTOR_NAMES.filter((name) => name !== "details"));
export const SCHEDULED_WITH_DETAILS = scheduled(COLLECTOR_NAMES);

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface MonitoredOptions extends Partial<Shape> {
  readonly staleAfterMs?: number | undefined;
  readonly server?: string;
  readonly store?: Store;
  readonly clock?: Clock;
  readonly maxLabelText?: number;
  readonly schedules?: Schedules;
  readonly engine?: SyncEngine;
  readonly random?: () => number;
  readonly memory?: MemoryBudget;
  readonly extras?: Extras;
  readonly pageUpToDate?: ServerCollectorsOptions["turns"]["pageUpToDate"];
  readonly isOneOfMany?: boolean;
}

type CreateCollectors = (more?: Partial<ServerCollectorsOptions>) => ServerCollectors;

/** With replaceable collectors. */
class Monitor {
  readonly view: ServerView;
  readonly #clock: Clock;
  readonly latest: LatestValues;
  collectors: ServerCollectors;
  readonly #create: CreateCollectors;

  constructor(view: ServerView, clock: Clock, latest: LatestValues, create: CreateCollectors) {
    this.view = view;
    this.#clock = clock;
    this.latest = latest;
    this.#create = create;
    this.collectors = create();
  }

  /** Resolves after the first run of every collector. */
  start(): Promise<boolean> {
    return this.collectors.start();
  }

  async stop(): Promise<void> {
    await this.collectors.stop();
  }

  /** New collectors continue from the current state. */
  async replace(more: Partial<ServerCollectorsOptions>): Promise<void> {
    await this.collectors.stop();
    this.collectors = this.#create(more);
    void this.collectors.start();
  }

  pollOnce(aborted: AbortSignal): Promise<boolean> {
    return this.collectors.runOnce(aborted);
  }

  status() {
    return { up: this.collectors.up, collectors: this.collectors.status() };
  }

  inspect(sensorId: string, choice: ChannelChoice) {
    return this.view.inspect(sensorId, choice, this.#clock.monotonic());
  }

  node(id: string) {
    return this.view.state.tree.nodes.get(id);
  }
}

export interface Monitored {
  readonly server: MemoryServer;
  readonly monitor: Monitor;
  readonly clock: ManualClock;
  readonly store: Store;
  readonly log: LogLine[];
  /** Fails on a duplicate series. */
  series(family: MetricFamily): Series[];
  /** Value of the only series with these labels. */
  value(family: MetricFamily, labels?: Readonly<Record<string, string>>): number | undefined;
  /** A metric of the exporter itself. */
  own(name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined>;
}

/** Clock stopped, nothing has run. */
export function monitored(server: MemoryServer, more: MonitoredOptions = {}): Monitored {
  const clock = new ManualClock();
  const store = more.store ?? new Store(Object.values(TREE_FAMILIES));
  const exporter = new ExporterMetrics({ version: "0", revision: "0" }, () => []);
  const log: LogLine[] = [];
  const name = more.server ?? "hq";
  const mapper = more.mapper ?? plainMapper();
  const nodeSensors = more.nodeSensors ?? ["probe", "group"];
  const metrics = serverRecorder(exporter, name);
  const shared = {
    clock: more.clock ?? clock,
    metrics,
    log: pino({ level: "debug" }, { write: (line: string) => void log.push(JSON.parse(line)) }).child({ server: name }),
  };
  const { staleAfterMs, maxLabelText, sensorStatus = "current", dependencyInfo = false } = more;
  const channelInfo = more.channelInfo ?? !mapper.labels.isWide;
  const shape = { mapper, nodeSensors, sensorStatus, channelInfo, dependencyInfo };
  const view = new ServerView({ server: name, store, shape, staleAfterMs, maxLabelText });
  const writer = new StateWriter({
    ...{ ...shared, view },
    clockOffset: () => server.clockOffset(),
    isClockInDoubt: () => server.isClockInDoubt(),
    memory: more.memory?.open(),
    expiry: createExpiryPolicy(shared.clock, (collector) => monitor.collectors.msToThird(collector)),
  });
  const isOneOfMany = () => more.isOneOfMany === true;
  const connection = new ServerConnection({ api: server, ...shared, isOneOfMany });
  const failures = new ServerFailureLogs(shared.log, shared.clock);
  const history = new PollHistory(shared.log, failures);
  const records = new RunRecords({ ...shared, failures, metrics: (collector) => metrics.collector(collector) });
  const latest = new LatestValues(writer, shared.clock);
  const monitor: Monitor = new Monitor(
    view,
    shared.clock,
    latest,
    (other) =>
      new ServerCollectors({
        ...{ connection, history, writer, records },
        sync: more.engine && { engine: more.engine, latest },
        plan: {
          schedules: more.schedules ?? SCHEDULED,
          countedKinds: new Set(nodeSensors),
          dependency: dependencyInfo,
        },
        telemetry: { log: shared.log, server: metrics },
        budgets: { objects: more.memory ?? new MemoryBudget(), extras: more.extras ?? FREE_EXTRAS },
        turns: { pageUpToDate: more.pageUpToDate },
        runtime: { clock: shared.clock, random: more.random ?? (() => 0) },
        ...other,
      }),
  );

  function series(family: MetricFamily): Series[] {
    store.expire(clock.monotonic());
    const table = store.table(family);
    const found: Series[] = [];
    const seen = new Set<string>();
    for (let slot = 0; slot < table.slots; slot++) {
      if (!table.isPresent(slot)) continue;
      const values = table.labels(slot);
      const text = formatLabels(family.labels, values);
      if (seen.has(text)) throw new Error(`series twice: ${family.name}${text}`);
      seen.add(text);
      const labels = Object.fromEntries(family.labels.map((name, index) => [name, values[index] ?? ""]));
      found.push({ labels, value: table.value(slot) });
    }
    return found;
  }

  return {
    server,
    monitor,
    clock,
    store,
    log,
    series,
    value(family, labels = {}) {
      const found = series(family).filter((each) => fits(each.labels, labels));
      if (found.length > 1) throw new Error(`${found.length} series of ${family.name} fit`);
      return found[0]?.value;
    },
    async own(name, labels = {}) {
      const metric = (await exporter.registry.getMetricsAsJSON()).find((each) => each.name === name);
      return metric?.values.find((each) => fits(each.labels, labels))?.value;
    },
  };
}

function fits(
  labels: Readonly<Record<string, string | number | undefined>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

export function channel(id: string, more: Partial<ChannelRecord> = {}): ChannelRecord {
  const [sensorId = "", channelId = ""] = id.split(".");
  return {
    sensorId,
    channelId,
    name: `channel ${channelId}`,
    unit: "%",
    value: 50,
    measuredAt: undefined,
    limits: undefined,
    ...more,
  };
}

/** Probe 1, group 10, device 40, sensor 50 with channels 0 and 1, sensor 51 with channel 0. */
export function smallServer(measuredAt: number = new ManualClock().now()): MemoryServer {
  const server = new MemoryServer();
  server.put(
    record("probe", "1", ROOT, { name: "Berlin" }),
    record("group", "10", "1", { name: "Network" }),
    record("device", "40", "10", { name: "sw-1" }),
    record("sensor", "50", "40", { name: "Uplink", intervalSeconds: 60 }),
    record("sensor", "51", "40", { name: "Ping", intervalSeconds: 600 }),
  );
  server.channelRecords = ["50.0", "50.1", "51.0"].map((id) => channel(id, { measuredAt }));
  return server;
}
