import type { CollectorStatus } from "../collectors/collector-runner.ts";
import { type RunRecord, RunRecords } from "../collectors/run-record.ts";
import { ServerReader } from "../collectors/server-reader.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { SelectRules } from "../config/select-schema.ts";
import { ServerEvents } from "../events/server-events.ts";
import type { Extras } from "../lib/extra-work.ts";
import type { ServerState } from "../model/server-state.ts";
import type { Tree, TreeNode } from "../model/tree.ts";
import type { ChannelChoice, SensorInspection } from "../projection/inspection.ts";
import { ServerView } from "../projection/server-view.ts";
import type { TimeSeries } from "../prtg/records.ts";
import type { StatusToken } from "../prtg/status.ts";
import { isNarrower } from "../selection/rules.ts";
import type { Store, Tables } from "../store/store.ts";
import type { Delivery } from "../sync/delivery.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { eventRecorder, serverRecorder } from "../telemetry/recorders.ts";
import { digest } from "./config-digests.ts";
import { connectServer } from "./connect-server.ts";
import type { CommandContext } from "./context.ts";
import { deviceLookup } from "./device-lookup.ts";
import type { EventPlan } from "./event-outputs.ts";
import type { ConfiguredShape } from "./mapping.ts";
import { maxLabelText } from "./object-memory.ts";
import { isSameExceptConnection, isSameSelection, type PipelinePlan } from "./pipeline-plan.ts";
import { type PipelineBase, ServerPipeline } from "./server-pipeline.ts";

/** They read the objects that the tree has. */
const BELOW_TREE = ["status", "channels", "limits"] as const;

/** What is known of a server as a whole. */
export interface ServerStatus {
  readonly server: string;
  readonly up: boolean;
  /** Undefined where the server does not tell, or has not for long. */
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

/** The same for an overview: cheap, as it is asked of all servers for each page. */
export interface ServerSummary extends Omit<ServerStatus, "collectors"> {
  readonly sensorsByStatus: ReadonlyMap<StatusToken, number>;
  /** In the order of their first runs. */
  readonly runs: readonly Pick<RunRecord, "name" | "lastSuccessAt" | "error" | "isOff">[];
}

export interface MonitoredServerOptions {
  readonly plan: PipelinePlan;
  /** Undefined where no events are told. */
  readonly events: EventPlan | undefined;
  readonly shape: ConfiguredShape;
  readonly store: Store;
  readonly exporterMetrics: ExporterMetrics;
  /** Of the process: what it has time for. */
  readonly extras: Extras;
  /** See `ServerCollectorsOptions`. */
  readonly pageUpToDate: () => Promise<void>;
  /** See `createTimetable`. */
  readonly phase: number;
  /** See `AllNodesReaderOptions`. */
  readonly isOneOfMany: () => boolean;
  readonly context: CommandContext;
}

/** One PRTG server: its state, and the pipeline that feeds it, which a reload exchanges. */
export class MonitoredServer {
  /** Resolves when the first run of every collector has finished, either way, or it was stopped. Never rejects. */
  readonly firstAttempt: Promise<void>;
  readonly #base: PipelineBase;
  readonly #firstAttemptOver = Promise.withResolvers<void>();
  #pipeline: ServerPipeline;
  #events: ServerEvents | undefined;
  #started = false;

  constructor(options: MonitoredServerOptions) {
    const { plan, events, shape, store, exporterMetrics, extras, pageUpToDate, phase, isOneOfMany, context } = options;
    const { clock } = context;
    const { server } = plan;
    const metrics = serverRecorder(exporterMetrics, server.name);
    const log = context.log.child({ server: server.name });
    this.firstAttempt = this.#firstAttemptOver.promise;
    const { staleAfterMs, ...shown } = shape;
    const view = new ServerView({
      ...{ server: server.name, store, shape: shown, staleAfterMs },
      maxLabelText: maxLabelText(server),
    });
    const records = new RunRecords({ clock, log, metrics: (name) => metrics.collector(name) });
    const stateMemory = context.memory.open();
    const pendingMemory = context.pendingMemory.open();
    this.#base = {
      name: server.name,
      view,
      records,
      metrics,
      exporterMetrics,
      extras,
      pageUpToDate,
      context,
      stateMemory,
      pendingMemory,
      phase,
      isOneOfMany,
      log,
    };
    this.#pipeline = new ServerPipeline(plan, this.#connect(server), this.#base);
    if (events !== undefined) this.#beginEvents(events);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#events?.start();
    this.#startPipeline();
  }

  /** Aborts what runs, delivers what waits within `graceMs`, and ends the session. It does not start again. */
  async stop(graceMs: number): Promise<void> {
    await this.#pipeline.stop(graceMs);
    await this.#events?.stop(graceMs);
    this.#firstAttemptOver.resolve();
  }

  /** The server is about to go. Its last measurements are delivered after its series have left, and these end then, too. */
  markWaitingMeasurements(): void {
    for (const [sensorId, channelId] of this.delivery?.outbox.channels() ?? []) {
      this.#base.view.markMeasured(sensorId, channelId);
    }
  }

  /** Ends the session and closes the connections. */
  close(): Promise<void> {
    return this.#pipeline.reader.api.close();
  }

  /** Removes the server from the exporter's own metrics. Call it after `stop` and `close`. */
  async forget(): Promise<void> {
    this.#base.stateMemory.set(0);
    this.#base.pendingMemory.set(0);
    await this.#base.metrics.forget();
  }

  /** One run of each collector, without a schedule. Resolves with whether all worked; false when `signal` aborts. */
  async pollOnce(signal: AbortSignal): Promise<boolean> {
    const worked = await this.#pipeline.collectors.runOnce(signal);
    this.#firstAttemptOver.resolve();
    return worked;
  }

  /** Copies what is shown into other tables, as `shape` wants it: for `Store.reshape`. */
  async reshape(shape: ConfiguredShape, tables: Tables): Promise<() => void> {
    const { view } = this.#base;
    const hadRules = view.hasRules;
    const changed = await view.reshape(shape, tables, this.#pipeline.writer.context());
    return () => {
      changed();
      this.#pipeline.writer.report(hadRules);
    };
  }

  /**
   * Puts a pipeline in place of the one there is, unless that is to stay as it is. It goes on where the other one was: only
   * runs that were broken off are made up for, and all of them over another connection.
   * @param isReconnected The server is reached in another way.
   * @returns what closes the connection that is used no more
   */
  async change(plan: PipelinePlan, isReconnected: boolean, graceMs: number): Promise<() => Promise<void>> {
    const before = this.#pipeline;
    const nothing = () => Promise.resolve();
    if (!isReconnected && isSameExceptConnection(before.plan, plan)) return nothing;
    const { records, metrics } = this.#base;
    const handedOn = await before.handOver(plan, graceMs);
    if (!plan.countedKinds.isSubsetOf(before.plan.countedKinds)) records.requireRun("status");
    if (isReconnected) records.requireAllRuns();
    const isReselected = !isSameSelection(before.plan, plan);
    // What was known of the connections before says nothing about these, which others may share and know of.
    if (isReconnected) metrics.breakerChanged(false);
    const reader = isReconnected ? this.#connect(plan.server, before.reader) : this.#reader(plan, isReselected);
    this.#pipeline = new ServerPipeline(plan, reader, this.#base, handedOn);
    const gone = records.retain((each) => this.#pipeline.collectors.has(each));
    await Promise.all(gone.map((name) => metrics.forgetCollector(name)));
    if (isReselected) await this.#reselect(before.plan.server.select, plan.server.select);
    if (isReconnected && viewOf(before.plan.server) !== viewOf(plan.server)) {
      records.awaitNew("health");
      this.#awaitNewObjects();
    }
    if (this.#started) this.#startPipeline();
    if (!isReconnected) return nothing;
    return () => before.reader.api.close();
  }

  /** Events are told as `plan` says; undefined: none are. Resolves when outputs that are used no more have ended. */
  async changeEvents(plan: EventPlan | undefined, graceMs: number): Promise<void> {
    const events = this.#events;
    if (plan === undefined) {
      this.#events = undefined;
      this.#base.view.state.watchNodes(undefined);
      await events?.stop(graceMs);
    } else if (events === undefined) {
      this.#beginEvents(plan);
      if (this.#started) this.#events?.start();
    } else {
      events.tellStructure(plan.structure);
      events.remember(plan.memory);
      await events.deliverTo(plan.sinks, graceMs);
    }
  }

  summary(): ServerSummary {
    const { name, view, context } = this.#base;
    const { version } = view.state;
    const { collectors } = this.#pipeline;
    return {
      server: name,
      up: collectors.up,
      version:
        version !== undefined && version.until > context.clock.monotonic() ? version.version.toWellFormed() : undefined,
      objects: view.state.tree.counts,
      channels: view.state.channelCount,
      sensorsByStatus: this.sensorsByStatus(),
      runs: collectors.records,
    };
  }

  status(): ServerStatus {
    const { sensorsByStatus: _counts, runs: _runs, ...known } = this.summary();
    return { ...known, collectors: this.#pipeline.collectors.status() };
  }

  /** Sensors that are known, per status, with the statuses that some sensor has. */
  sensorsByStatus(): ReadonlyMap<StatusToken, number> {
    return this.#base.view.state.sensorsByStatus;
  }

  /** What is known of a sensor and its channels; undefined while it is not known. */
  inspect(sensorId: string, choice: ChannelChoice): SensorInspection | undefined {
    return this.#base.view.inspect(sensorId, choice, this.#base.context.clock.monotonic());
  }

  /** An object as the last poll left it; undefined while it is not known. */
  node(id: string): TreeNode | undefined {
    return this.#base.view.state.tree.nodes.get(id);
  }

  /** The server has such an object, and the configuration does not select it. */
  isLeftOut(id: string): boolean {
    return this.#pipeline.reader.selected?.selection.tells(id) === false;
  }

  /** Asks the server for the live values of one sensor, within the budget of all requests. Rejects as `MonitoringApi.timeSeries`. */
  liveSeries(sensorId: string, signal: AbortSignal): Promise<TimeSeries> {
    return this.#pipeline.reader.api.timeSeries(sensorId, "live", signal);
  }

  /** The server's clock, milliseconds since the epoch. */
  serverTime(): number {
    return this.#base.context.clock.now() + this.#pipeline.reader.api.clockOffset();
  }

  /** What is known of the server. */
  get state(): ServerState {
    return this.#base.view.state;
  }

  /** As of the last commit. */
  tree(): Tree {
    return this.#base.view.state.tree;
  }

  /** Own status of an object; undefined where no list told, or none has confirmed it for long. */
  nodeStatus(node: TreeNode): StatusToken | undefined {
    return this.#base.view.state.statusOf(node, this.#base.context.clock.monotonic());
  }

  /** What takes measurements to a receiver; undefined where nothing is pushed. */
  get delivery(): Delivery | undefined {
    return this.#pipeline.delivery;
  }

  /** Every channel whose sensor is known. Polls may go on in between. */
  channels(): ReturnType<ServerView["channels"]> {
    return this.#base.view.channels();
  }

  #reader({ server: { select } }: PipelinePlan, isReselected: boolean): ServerReader {
    const { reader } = this.#pipeline;
    const { view, context, log, isOneOfMany } = this.#base;
    if (!isReselected) return reader;
    return reader.selecting({ select, shown: view.state.tree, clock: context.clock, log, isOneOfMany });
  }

  /** What is not selected any more goes at once; what is now comes with the next runs. */
  async #reselect(before: SelectRules | undefined, after: SelectRules | undefined): Promise<void> {
    const { view } = this.#base;
    const { reader, writer } = this.#pipeline;
    const left = reader.leaving(view.state);
    const counted = { value: undefined };
    if (left !== undefined) await writer.applyTree({ left, statusSummary: counted, objectCounts: counted });
    if (!isNarrower(before, after)) this.#awaitNewObjects();
  }

  /** `prtg_up` says nothing of new objects before they are read. */
  #awaitNewObjects(): void {
    const { records } = this.#base;
    records.awaitNew("tree");
    for (const name of BELOW_TREE) records.awaitNew(name, "tree");
  }

  #beginEvents({ memory, structure, sinks }: EventPlan): void {
    const { name, view, exporterMetrics, context, log } = this.#base;
    const { clock, random } = context;
    const observer = eventRecorder(exporterMetrics, name);
    const devices = deviceLookup(() => view.state);
    const deviceOf = ({ deviceId }: TreeNode) => devices.device(name, deviceId);
    const events = new ServerEvents({ server: name, memory, structure, deviceOf, clock, random, log, observer });
    // There is nothing to end yet, so that it is done at once.
    void events.deliverTo(sinks);
    view.state.watchNodes(events.watcher);
    this.#events = events;
  }

  #connect(server: ServerConfig, before?: ServerReader): ServerReader {
    const { metrics, log, context, isOneOfMany } = this.#base;
    const { clock, memory } = context;
    const api = connectServer(server, metrics, log, context);
    const { select } = server;
    const shown = before === undefined ? undefined : this.#base.view.state.tree;
    return new ServerReader({ api, select, shown, clock, log, memory, isOneOfMany }, before);
  }

  #startPipeline(): void {
    void this.#pipeline.start().then((isOver) => {
      if (isOver) this.#firstAttemptOver.resolve();
    });
  }
}

/** Decides which objects there are to see: the server and its user. Another API key may be that of another user. */
function viewOf({ url, credentials }: ServerConfig): string {
  const { kind } = credentials;
  return digest([url, kind, kind === "api_key" ? credentials.apiKey.print() : credentials.username]);
}
