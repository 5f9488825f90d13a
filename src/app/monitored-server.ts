import { collectorsWith } from "../collectors/collector.ts";
import type { CollectorStatus } from "../collectors/collector-runner.ts";
import { readersOfNew } from "../collectors/node-polls.ts";
import type { RunRecord } from "../collectors/run-record.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { SelectRules } from "../config/select-schema.ts";
import { ServerEvents } from "../events/server-events.ts";
import type { Delivery } from "../measurements/delivery.ts";
import { ChangeLog } from "../model/change-log.ts";
import type { ParentsByStatus } from "../model/counts.ts";
import { watchTogether } from "../model/state-observer.ts";
import type { Tree, TreeNode } from "../model/tree.ts";
import type { ServerView } from "../projection/server-view.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { StatusToken } from "../prtg/status.ts";
import { isNarrower } from "../selection/rules.ts";
import type { Tables } from "../store/store.ts";
import { eventRecorder } from "../telemetry/recorders.ts";
import { digest } from "./config-digests.ts";
import { deviceLookup } from "./device-lookup.ts";
import type { EventPlan } from "./event-outputs.ts";
import type { ConfiguredShape } from "./mapping.ts";
import { isSameExceptConnection, isSameSelection, type PipelinePlan } from "./pipeline-plan.ts";
import {
  connectParts,
  openServer,
  type ServerParts,
  ServerPipeline,
  type ServerSurroundings,
} from "./server-pipeline.ts";

/** What is known of a server as a whole. */
export interface ServerStatus {
  readonly server: string;
  readonly up: boolean;
  /** `undefined` if unknown or stale. */
  readonly version: string | undefined;
  readonly objects: Tree["counts"];
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
  /** Collectors in the order of their first runs. */
  readonly runs: readonly Pick<RunRecord, "name" | "lastSuccessAt" | "error" | "isOff">[];
}

export interface MonitoredServerOptions extends ServerSurroundings {
  readonly plan: PipelinePlan;
  /** `undefined` without events. */
  readonly events: EventPlan | undefined;
  readonly shape: ConfiguredShape;
}

/** One PRTG server: its state, and the pipeline that feeds it, which a reload exchanges. */
export class MonitoredServer {
  /** Resolves when each collector has run once, or at `stop`. Never rejects. */
  readonly firstPoll: Promise<void>;
  readonly view: ServerView;
  /** Outlives reloads, like the state. */
  readonly changes: ChangeLog;
  readonly #parts: ServerParts;
  readonly #monitoredSince: number;
  readonly #firstPollEnd = Promise.withResolvers<void>();
  #pipeline: ServerPipeline;
  #events: ServerEvents | undefined;
  #isStarted = false;

  constructor({ plan, events, shape, ...around }: MonitoredServerOptions) {
    this.firstPoll = this.#firstPollEnd.promise;
    this.#monitoredSince = around.clock.now();
    this.#parts = openServer(plan.server, shape, around);
    this.view = this.#parts.view;
    this.#pipeline = new ServerPipeline(plan, connectParts(plan.server, this.#parts), this.#parts);
    this.changes = new ChangeLog({ now: () => around.clock.now() });
    this.view.state.watchNodes(this.changes);
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
    const { shares, metrics } = this.#parts;
    shares.state.set(0);
    shares.pending.set(0);
    await metrics.forget();
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
    const { records, metrics } = this.#parts;
    const past = await before.handOver(plan, graceMs);
    for (const name of readersOfNew(plan.sections, before.plan.sections)) records.requireRun(name);
    if (isReconnected) records.requireAllRuns();
    const isReselected = !isSameSelection(before.plan, plan);
    // Other servers may share the new breaker.
    if (isReconnected) metrics.breakerChanged(false);
    const { tree } = this.view.state;
    const connection = isReconnected
      ? connectParts(plan.server, this.#parts, { connection: before.connection, tree })
      : isReselected
        ? before.connection.selecting(plan.server.select, tree)
        : before.connection;
    this.#pipeline = new ServerPipeline(plan, connection, this.#parts, past);
    const gone = records.retain((each) => this.#pipeline.collectors.has(each));
    await Promise.all(gone.map((name) => metrics.forgetCollector(name)));
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
      this.view.state.watchNodes(this.changes);
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
    const { sensorsByStatus, parentsByStatus } = this.view.state;
    const runs = this.#pipeline.collectors.records;
    return { ...this.#facts(), sensorsByStatus, parentsByStatus, monitoredSince: this.#monitoredSince, runs };
  }

  status(): ServerStatus {
    return { ...this.#facts(), collectors: this.#pipeline.collectors.status() };
  }

  #facts(): Omit<ServerStatus, "collectors"> {
    const { state, server } = this.view;
    const { version, tree, channels } = state;
    const isKnown = version !== undefined && version.expiresAt > this.#parts.clock.monotonic();
    return {
      server,
      up: this.#pipeline.collectors.up,
      version: isKnown ? version.version.toWellFormed() : undefined,
      objects: tree.counts,
      channels: channels.count,
    };
  }

  /** Records of the collectors, in the order of their first runs. */
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
    const { records } = this.#parts;
    records.awaitNew("tree");
    for (const name of collectorsWith("isBelowTree")) records.awaitNew(name, "tree");
  }

  #beginEvents({ memory, structure, sinks }: EventPlan): void {
    const { state, server } = this.view;
    const { exporterMetrics, clock, random, log } = this.#parts;
    const observer = eventRecorder(exporterMetrics, server);
    const devices = deviceLookup(() => this.view.state);
    const deviceOf = ({ deviceId }: TreeNode) => devices.device(server, deviceId);
    const events = new ServerEvents({ server, memory, structure, deviceOf, clock, random, log, observer });
    // Synchronous: there is no output to end yet.
    void events.deliverTo(sinks);
    state.watchNodes(watchTogether(this.changes, events.watcher));
    this.#events = events;
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
