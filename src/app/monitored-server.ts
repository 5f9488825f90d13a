import { collectorsWith } from "../collectors/collector.ts";
import type { CollectorStatus } from "../collectors/collector-runner.ts";
import { ServerFailureLogs } from "../collectors/failure-log.ts";
import { readersOfNew } from "../collectors/node-polls.ts";
import { type RunRecord, RunRecords } from "../collectors/run-record.ts";
import { type ConnectionPast, PollHistory, ServerConnection } from "../collectors/server-connection.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { SelectRules } from "../config/select-schema.ts";
import { ServerEvents } from "../events/server-events.ts";
import type { Extras } from "../lib/extra-work.ts";
import type { ParentsByStatus } from "../model/counts.ts";
import type { TreeNode } from "../model/tree.ts";
import { ServerView } from "../projection/server-view.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { StatusToken } from "../prtg/status.ts";
import { isNarrower } from "../selection/rules.ts";
import type { Store, Tables } from "../store/store.ts";
import type { Delivery } from "../sync/delivery.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { eventRecorder, serverRecorder } from "../telemetry/recorders.ts";
import { digest } from "./config-digests.ts";
import { connectServer } from "./connect-server.ts";
import type { ServerClientContext } from "./context.ts";
import { deviceLookup } from "./device-lookup.ts";
import type { EventPlan } from "./event-outputs.ts";
import type { ConfiguredShape } from "./mapping.ts";
import { maxLabelText } from "./object-memory.ts";
import { isSameExceptConnection, isSameSelection, type PipelinePlan } from "./pipeline-plan.ts";
import { type PipelineBase, ServerPipeline, type ServerTurns } from "./server-pipeline.ts";

/** What is known of a server as a whole. */
export interface ServerStatus {
  readonly server: string;
  readonly up: boolean;
  /** `undefined` if unknown or stale. */
  readonly version: string | undefined;
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

/** For an overview: cheap, because each page needs it of all servers. */
export interface ServerSummary extends Omit<ServerStatus, "collectors"> {
  readonly sensorsByStatus: ReadonlyMap<StatusToken, number>;
  readonly parentsByStatus: ParentsByStatus;
  /** Milliseconds since the epoch. */
  readonly monitoredSince: number;
  /** In the order of their first runs. */
  readonly runs: readonly Pick<RunRecord, "name" | "lastSuccessAt" | "error" | "isOff">[];
}

export interface MonitoredServerOptions {
  readonly plan: PipelinePlan;
  /** `undefined` without events. */
  readonly events: EventPlan | undefined;
  readonly shape: ConfiguredShape;
  readonly store: Store;
  readonly exporterMetrics: ExporterMetrics;
  readonly extras: Extras;
  readonly turns: ServerTurns;
  readonly context: ServerClientContext;
}

/** One PRTG server: its state, and the pipeline that feeds it, which a reload exchanges. */
export class MonitoredServer {
  /** Resolves when each collector has run once, or at `stop`. Never rejects. */
  readonly firstPoll: Promise<void>;
  readonly view: ServerView;
  readonly #base: PipelineBase;
  readonly #context: ServerClientContext;
  readonly #monitoredSince: number;
  readonly #firstPollEnd = Promise.withResolvers<void>();
  #pipeline: ServerPipeline;
  #events: ServerEvents | undefined;
  #isStarted = false;

  constructor(options: MonitoredServerOptions) {
    const { plan, events, shape, store, exporterMetrics, extras, turns, context } = options;
    const { clock, random, memory } = context;
    const { server } = plan;
    const metrics = serverRecorder(exporterMetrics, server.name);
    const log = context.log.child({ server: server.name });
    this.firstPoll = this.#firstPollEnd.promise;
    const { staleAfterMs, ...viewShape } = shape;
    const view = new ServerView({
      ...{ server: server.name, store, shape: viewShape, staleAfterMs },
      maxLabelText: maxLabelText(server),
    });
    this.view = view;
    this.#context = context;
    this.#monitoredSince = clock.now();
    const failures = new ServerFailureLogs(log, clock);
    this.#base = {
      view,
      records: new RunRecords({ clock, log, failures, metrics: (name) => metrics.collector(name) }),
      history: new PollHistory(log, failures),
      telemetry: { log, server: metrics, exporter: exporterMetrics },
      budgets: { objects: memory.objects, state: memory.objects.open(), pending: memory.pending.open(), extras },
      turns,
      runtime: { clock, random },
    };
    this.#pipeline = new ServerPipeline(plan, this.#connect(server), this.#base);
    if (events !== undefined) this.#beginEvents(events);
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#events?.start();
    this.#startPipeline();
  }

  /** Aborts polls and delivers the backlog within `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    await this.#pipeline.stop(graceMs);
    await this.#events?.stop(graceMs);
    this.#firstPollEnd.resolve();
  }

  /** Before the server is removed: series of the backlog end after its delivery. */
  markBacklog(): void {
    for (const [sensorId, channelId] of this.delivery?.outbox.channels() ?? []) {
      this.view.markMeasured(sensorId, channelId);
    }
  }

  /** Ends the session and closes the connections. */
  close(): Promise<void> {
    return this.#pipeline.connection.api.close();
  }

  /** Removes the server from the exporter's own metrics. Call after `stop` and `close`. */
  async forget(): Promise<void> {
    const { budgets, telemetry } = this.#base;
    budgets.state.set(0);
    budgets.pending.set(0);
    await telemetry.server.forget();
  }

  /** One run of each collector, without a schedule. Resolves with whether all worked; false when `signal` aborts. */
  async pollOnce(signal: AbortSignal): Promise<boolean> {
    const worked = await this.#pipeline.collectors.runOnce(signal);
    this.#firstPollEnd.resolve();
    return worked;
  }

  /** Copies the series into other tables, for `Store.reshape`. */
  async reshape(shape: ConfiguredShape, tables: Tables): Promise<() => void> {
    const hadRules = this.view.hasRules;
    const changed = await this.view.reshape(shape, tables, this.#pipeline.writer.context());
    return () => {
      changed();
      this.#pipeline.writer.report(hadRules);
    };
  }

  /**
   * Replaces the pipeline if the plan differs. The next one continues: only aborted runs start again at once, with another
   * connection all of them.
   * @param isReconnected URL, credentials or connection settings differ.
   * @returns closes the connection that is no longer used
   */
  async change(plan: PipelinePlan, isReconnected: boolean, graceMs: number): Promise<() => Promise<void>> {
    const before = this.#pipeline;
    const nothing = () => Promise.resolve();
    if (!isReconnected && isSameExceptConnection(before.plan, plan)) return nothing;
    const { records, telemetry } = this.#base;
    const past = await before.handOver(plan, graceMs);
    for (const name of readersOfNew(plan.sections, before.plan.sections)) records.requireRun(name);
    if (isReconnected) records.requireAllRuns();
    const isReselected = !isSameSelection(before.plan, plan);
    // Other servers may share the new breaker.
    if (isReconnected) telemetry.server.breakerChanged(false);
    const connection = this.#connectionFor(plan.server, isReconnected, isReselected);
    this.#pipeline = new ServerPipeline(plan, connection, this.#base, past);
    const gone = records.retain((each) => this.#pipeline.collectors.has(each));
    await Promise.all(gone.map((name) => telemetry.server.forgetCollector(name)));
    if (isReselected) await this.#reselect(before.plan.server.select, plan.server.select);
    if (isReconnected && viewOf(before.plan.server) !== viewOf(plan.server)) {
      records.awaitNew("health");
      this.#awaitNewObjects();
    }
    if (this.#isStarted) this.#startPipeline();
    if (!isReconnected) return nothing;
    return () => before.connection.api.close();
  }

  /** Resolves when unused outputs have ended. @param plan `undefined`: no events */
  async changeEvents(plan: EventPlan | undefined, graceMs: number): Promise<void> {
    const events = this.#events;
    if (plan === undefined) {
      this.#events = undefined;
      this.view.state.watchNodes(undefined);
      await events?.stop(graceMs);
    } else if (events === undefined) {
      this.#beginEvents(plan);
      if (this.#isStarted) this.#events?.start();
    } else {
      events.reportStructure(plan.structure);
      events.remember(plan.memory);
      await events.deliverTo(plan.sinks, graceMs);
    }
  }

  summary(): ServerSummary {
    const { state, server } = this.view;
    const { version, tree, channels, sensorsByStatus, parentsByStatus } = state;
    const { collectors } = this.#pipeline;
    const isKnown = version !== undefined && version.expiresAt > this.#context.clock.monotonic();
    return {
      server,
      up: collectors.up,
      version: isKnown ? version.version.toWellFormed() : undefined,
      objects: tree.counts,
      channels: channels.count,
      sensorsByStatus,
      parentsByStatus,
      monitoredSince: this.#monitoredSince,
      runs: collectors.records,
    };
  }

  status(): ServerStatus {
    const {
      sensorsByStatus: _counts,
      parentsByStatus: _parents,
      monitoredSince: _since,
      runs: _runs,
      ...known
    } = this.summary();
    return { ...known, collectors: this.#pipeline.collectors.status() };
  }

  /** In the order of their first runs. */
  runs(): readonly RunRecord[] {
    return this.#pipeline.collectors.records;
  }

  /** Its requests count against the budget of all requests. */
  get api(): MonitoringApi {
    return this.#pipeline.connection.api;
  }

  /** The server has such an object, and the configuration does not select it. */
  isLeftOut(id: string): boolean {
    return this.#pipeline.connection.selected?.selection.includesObject(id) === false;
  }

  /** `undefined` if push is disabled. */
  get delivery(): Delivery | undefined {
    return this.#pipeline.delivery;
  }

  #connectionFor(server: ServerConfig, isReconnected: boolean, isReselected: boolean): ServerConnection {
    const { connection } = this.#pipeline;
    const { tree } = this.view.state;
    if (isReconnected) return this.#connect(server, { connection, tree });
    return isReselected ? connection.selecting(server.select, tree) : connection;
  }

  /** Drops objects that are no longer selected. The next runs bring the new ones. */
  async #reselect(before: SelectRules | undefined, after: SelectRules | undefined): Promise<void> {
    const { connection, writer } = this.#pipeline;
    const deselected = connection.leaving(this.view.state);
    const counted = { value: undefined };
    if (deselected !== undefined) await writer.applyTree({ deselected, statusSummary: counted, objectCounts: counted });
    if (!isNarrower(before, after)) this.#awaitNewObjects();
  }

  /** `prtg_up` waits for the new objects. */
  #awaitNewObjects(): void {
    const { records } = this.#base;
    records.awaitNew("tree");
    for (const name of collectorsWith("isBelowTree")) records.awaitNew(name, "tree");
  }

  #beginEvents({ memory, structure, sinks }: EventPlan): void {
    const { state, server } = this.view;
    const { telemetry, runtime } = this.#base;
    const { clock, random } = runtime;
    const { log } = telemetry;
    const observer = eventRecorder(telemetry.exporter, server);
    const devices = deviceLookup(() => this.view.state);
    const deviceOf = ({ deviceId }: TreeNode) => devices.device(server, deviceId);
    const events = new ServerEvents({ server, memory, structure, deviceOf, clock, random, log, observer });
    // Synchronous: there is no output to end yet.
    void events.deliverTo(sinks);
    state.watchNodes(events.watcher);
    this.#events = events;
  }

  #connect(server: ServerConfig, past?: ConnectionPast): ServerConnection {
    const { telemetry, turns, runtime } = this.#base;
    const { log } = telemetry;
    const api = connectServer(server, telemetry.server, log, this.#context);
    const { select } = server;
    const { clock } = runtime;
    return new ServerConnection({ api, select, clock, log, isOneOfMany: turns.isOneOfMany }, past);
  }

  #startPipeline(): void {
    void this.#pipeline.start().then((isOver) => {
      if (isOver) this.#firstPollEnd.resolve();
    });
  }
}

/** Another user sees other objects, and another API key may belong to another user. */
function viewOf({ url, credentials }: ServerConfig): string {
  const { kind } = credentials;
  return digest([url, kind, kind === "api_key" ? credentials.apiKey.print() : credentials.username]);
}
