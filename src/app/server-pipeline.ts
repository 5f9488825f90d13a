import type { Logger } from "pino";
import type { RunRecords } from "../collectors/run-record.ts";
import { createExpiryPolicy, ServerCollectors } from "../collectors/server-collectors.ts";
import type { PollHistory, ServerConnection } from "../collectors/server-connection.ts";
import { StateWriter } from "../collectors/state-writer.ts";
import { LatestValues } from "../collectors/time-series-poll.ts";
import type { Extras } from "../lib/extra-work.ts";
import type { MemoryBudget, MemoryShare } from "../lib/memory-budget.ts";
import type { ServerView } from "../projection/server-view.ts";
import { Delivery } from "../sync/delivery.ts";
import { Outbox } from "../sync/outbox.ts";
import { SyncEngine, SyncProgress } from "../sync/sync-engine.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { type ServerRecorder, type SyncRecorder, syncRecorder } from "../telemetry/recorders.ts";
import type { Runtime } from "./context.ts";
import { isSameDelivery, type PipelinePlan } from "./pipeline-plan.ts";

/** Backlog of one server, about 50 MB. The exporter reads dropped values from the server again. */
const MAX_PENDING_POINTS = 500_000;
/** For the sink, which divides them into requests under 4 MiB. */
const BATCH_POINTS = 10_000;

/** Logs and metrics of one server. */
export interface ServerTelemetry {
  readonly log: Logger;
  readonly server: ServerRecorder;
  readonly exporter: ExporterMetrics;
}

/** Bounds of one server. */
export interface ServerBudgets {
  /** Of all servers together: answers and state. */
  readonly objects: MemoryBudget;
  readonly state: MemoryShare;
  /** Measurements that wait for the receiver. */
  readonly pending: MemoryShare;
  readonly extras: Extras;
}

/** How a server takes turns with the other servers of the process. */
export interface ServerTurns {
  /** See `createTimetable`. */
  readonly phase: number;
  /** See `ServerCollectorsOptions`. */
  readonly pageUpToDate: () => Promise<void>;
  /** See `AllNodesOptions`. */
  readonly isOneOfMany: () => boolean;
}

/** Everything that stays when a reload exchanges the pipeline. */
export interface PipelineBase {
  readonly view: ServerView;
  readonly records: RunRecords;
  readonly history: PollHistory;
  readonly telemetry: ServerTelemetry;
  readonly budgets: ServerBudgets;
  readonly turns: ServerTurns;
  readonly runtime: Pick<Runtime, "clock" | "random">;
}

/** From one pipeline to the next; empty if the next starts without a past. */
export interface PipelinePast {
  /** Continues unchanged. */
  readonly delivery?: Delivery | undefined;
  /** The next delivery takes over its backlog and its watermarks. */
  readonly endedDelivery?: Delivery | undefined;
  readonly progress?: SyncProgress | undefined;
}

/**
 * Everything between one PRTG server and its state: client, collectors with their runners, time series and delivery. A
 * changed configuration gets another pipeline over the same state.
 */
export class ServerPipeline {
  readonly plan: PipelinePlan;
  readonly connection: ServerConnection;
  readonly writer: StateWriter;
  readonly collectors: ServerCollectors;
  readonly #sync: ServerSync | undefined;

  constructor(plan: PipelinePlan, connection: ServerConnection, base: PipelineBase, past: PipelinePast = {}) {
    const { view, records, history, telemetry, budgets, turns, runtime } = base;
    const { clock } = runtime;
    const { api } = connection;
    this.plan = plan;
    this.connection = connection;
    const writer = new StateWriter({
      ...{ view, metrics: telemetry.server, clock, memory: budgets.state },
      clockOffset: () => api.clockOffset(),
      isClockInDoubt: () => api.isClockInDoubt(),
      expiry: createExpiryPolicy(clock, (name) => this.collectors.msToThird(name)),
    });
    this.writer = writer;
    const sync = createSync(plan, connection, writer, base, past);
    this.#sync = sync;
    if (sync?.delivery === undefined) budgets.pending.set(0);
    this.collectors = new ServerCollectors({
      ...{ connection, history, writer, records, sync, plan, telemetry, budgets, turns, runtime },
    });
  }

  /** `undefined` if push is disabled. */
  get delivery(): Delivery | undefined {
    return this.#sync?.delivery;
  }

  /** Resolves when each collector has run once; with false if the pipeline was stopped before. */
  start(): Promise<boolean> {
    this.#sync?.delivery?.start();
    return this.collectors.start();
  }

  /** Aborts polls and delivers the backlog within `graceMs`. The client stays open. */
  async stop(graceMs: number): Promise<void> {
    await this.collectors.stop();
    await this.#sync?.delivery?.flush(graceMs);
    this.#sync?.unfollow?.();
  }

  /**
   * Stops in favour of a pipeline as `next` says. If that pushes, it takes the backlog over, and requests to another receiver
   * have at least `graceMs` to arrive. Otherwise the backlog is delivered within `graceMs`.
   */
  async handOver(next: PipelinePlan, graceMs: number): Promise<PipelinePast> {
    await this.collectors.stop();
    const past = await this.#handOverSync(next, graceMs);
    // Now that the next pipeline can follow the backlog.
    this.#sync?.unfollow?.();
    return past;
  }

  async #handOverSync(next: PipelinePlan, graceMs: number): Promise<PipelinePast> {
    const { delivery, progress } = this.#sync ?? {};
    if (isSameDelivery(this.plan, next)) {
      return { delivery, progress: this.plan.sync?.mode === next.sync?.mode ? progress : undefined };
    }
    if (next.push === undefined) await delivery?.flush(graceMs);
    // An aborted request is sent again although it may have arrived: it keeps its timeout.
    else await delivery?.handOver(Math.max(graceMs, this.plan.push?.options.prepared.settings.timeoutMs ?? 0));
    return next.push === undefined ? {} : { endedDelivery: delivery };
  }
}

interface ServerSync {
  readonly engine: SyncEngine;
  readonly latest: LatestValues;
  readonly progress: SyncProgress;
  /** `undefined` if push is disabled. */
  readonly delivery: Delivery | undefined;
  /** Ends the metrics of the backlog. */
  readonly unfollow: (() => void) | undefined;
}

/** `undefined` if time series are neither read nor pushed. */
function createSync(
  plan: PipelinePlan,
  { api }: ServerConnection,
  writer: StateWriter,
  base: PipelineBase,
  past: PipelinePast,
): ServerSync | undefined {
  if (plan.sync === undefined) return undefined;
  const { view, telemetry, budgets, runtime } = base;
  const { clock } = runtime;
  const { extras } = budgets;
  const observer = syncRecorder(telemetry.exporter, view.server, plan.push !== undefined);
  const delivery = past.delivery ?? createDelivery(plan, base, observer, past.endedDelivery);
  const progress = past.progress ?? new SyncProgress();
  const latest = new LatestValues(writer, clock);
  const onFreshest = latest.add.bind(latest);
  const channelsOf = view.channelIds.bind(view);
  const repeats = {
    intervalMs: plan.push?.options.prepared.settings.repeatIntervalMs ?? 0,
    valuesOf: (sensorId: string) => view.servedValues(sensorId, clock.monotonic()),
    isHeldBack: view.isDisconnected.bind(view),
  };
  const engine = new SyncEngine({
    ...{ api, ...plan.sync, delivery, progress, extras, clock, observer },
    log: telemetry.log,
    ...{ onFreshest, channelsOf },
    repeats: repeats.intervalMs > 0 ? repeats : undefined,
  });
  const now = () => clock.now() + api.clockOffset();
  const unfollow = delivery && observer.followPending(() => delivery.outbox.pending(), now);
  return { engine, latest, progress, delivery, unfollow };
}

/** `undefined` if push is disabled. */
function createDelivery(
  { push, server }: PipelinePlan,
  { view, telemetry, budgets, runtime }: PipelineBase,
  observer: SyncRecorder,
  before: Delivery | undefined,
): Delivery | undefined {
  const watermarks = push?.options.watermarks.get(server.name);
  if (push === undefined || watermarks === undefined) return undefined;
  // Now that all requests of the past delivery have ended.
  if (before !== undefined && before.watermarks !== watermarks) watermarks.takeOver(before.watermarks);
  const outbox = before?.outbox ?? new Outbox(MAX_PENDING_POINTS, budgets.pending);
  const { clock, random } = runtime;
  const { log } = telemetry;
  const sink = push.createSink(view, telemetry.exporter);
  return new Delivery({ sink, outbox, watermarks, maxBatchPoints: BATCH_POINTS, clock, random, log, observer });
}
