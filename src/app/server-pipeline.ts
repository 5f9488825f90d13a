import type { Logger } from "pino";
import { ServerFailureLogs } from "../collectors/failure-log.ts";
import type { Phase } from "../collectors/phases.ts";
import { PollHistory } from "../collectors/polled-server.ts";
import { RunRecords } from "../collectors/run-record.ts";
import { createExpiryPolicy, ServerCollectors } from "../collectors/server-collectors.ts";
import { type ConnectionPast, ServerConnection } from "../collectors/server-connection.ts";
import { StateWriter } from "../collectors/state-writer.ts";
import { LatestValues, type ServerSeries } from "../collectors/time-series.ts";
import { createTimetables } from "../collectors/timetable.ts";
import type { ServerConfig } from "../config/resolve.ts";
import type { Extras } from "../lib/extra-work.ts";
import type { MemoryShare } from "../lib/memory-budget.ts";
import type { Runtime } from "../lib/runtime.ts";
import { Delivery } from "../measurements/delivery.ts";
import { MeasurementEngine, MeasurementProgress } from "../measurements/measurement-engine.ts";
import { Outbox } from "../measurements/outbox.ts";
import { ServerView } from "../projection/server-view.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { Store } from "../store/store.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import {
  type MeasurementRecorder,
  measurementRecorder,
  type ServerRecorder,
  serverRecorder,
} from "../telemetry/recorders.ts";
import type { MemoryBudgets } from "./context.ts";
import type { ConfiguredShape } from "./mapping.ts";
import { maxLabelText } from "./object-memory.ts";
import { isSameDelivery, type PipelinePlan } from "./pipeline-plan.ts";

/** Backlog of one server, about 50 MB. The exporter reads dropped values from the server again. */
const MAX_PENDING_POINTS = 500_000;
/** For the sink, which divides them into requests under 4 MiB. */
const BATCH_POINTS = 10_000;

/** What the exporter gives to a server. Tests give fakes. */
export interface ServerSurroundings extends Runtime {
  readonly store: Store;
  readonly exporterMetrics: ExporterMetrics;
  readonly memory: MemoryBudgets;
  readonly extras: Extras;
  readonly phase: Phase;
  /** See `ServerCollectorsOptions`. */
  readonly turnToStart: () => Promise<void>;
  /** Resolves when the page contains the state of now. */
  readonly pageUpToDate: () => Promise<void>;
  /** See `AllNodesOptions`. */
  readonly isOneOfMany: () => boolean;
  /** Creates the client of a server. */
  readonly connect: (server: ServerConfig, metrics: ServerRecorder, log: Logger) => MonitoringApi;
}

/** The parts of one server that stay when a reload exchanges the pipeline. */
export interface ServerParts extends ServerSurroundings {
  readonly view: ServerView;
  readonly records: RunRecords;
  readonly history: PollHistory;
  readonly metrics: ServerRecorder;
  /** Memory of its state, and of its measurements that wait for the receiver. */
  readonly shares: { readonly state: MemoryShare; readonly pending: MemoryShare };
}

/** Begins a server: state and series first, then what polls remember. A pipeline over these parts fills them. */
export function openServer(server: ServerConfig, shape: ConfiguredShape, around: ServerSurroundings): ServerParts {
  const { clock, store, memory } = around;
  const { staleAfterMs, ...viewShape } = shape;
  const log = around.log.child({ server: server.name });
  const metrics = serverRecorder(around.exporterMetrics, server.name);
  const failures = new ServerFailureLogs(log, clock);
  return {
    ...around,
    log,
    metrics,
    view: new ServerView({
      server: server.name,
      store,
      shape: viewShape,
      staleAfterMs,
      maxLabelText: maxLabelText(server),
    }),
    records: new RunRecords({ clock, log, failures, metrics: (name) => metrics.collector(name) }),
    history: new PollHistory(log, failures),
    shares: { state: memory.objects.open(), pending: memory.pending.open() },
  };
}

export function connectParts(
  server: ServerConfig,
  { connect, metrics, clock, log, isOneOfMany }: ServerParts,
  past?: ConnectionPast,
): ServerConnection {
  const api = connect(server, metrics, log);
  return new ServerConnection({ api, select: server.select, clock, log, isOneOfMany }, past);
}

/** From one pipeline to the next; empty if the next starts without a past. */
export interface PipelinePast {
  /** Continues unchanged. */
  readonly delivery?: Delivery | undefined;
  /** The next delivery takes over its backlog and its watermarks. */
  readonly endedDelivery?: Delivery | undefined;
  readonly progress?: MeasurementProgress | undefined;
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
  readonly #measurements: ServerMeasurements | undefined;

  constructor(plan: PipelinePlan, connection: ServerConnection, parts: ServerParts, past: PipelinePast = {}) {
    const { view, metrics, clock, memory, shares } = parts;
    this.plan = plan;
    this.connection = connection;
    const timetables = createTimetables(plan.schedules, parts, parts.phase.part);
    const writer = new StateWriter({
      view,
      metrics,
      clock,
      api: connection.api,
      memory: shares.state,
      expiry: createExpiryPolicy(clock, timetables),
    });
    this.writer = writer;
    const measurements = createMeasurements(plan, connection, writer, parts, past);
    this.#measurements = measurements;
    if (measurements?.delivery === undefined) shares.pending.set(0);
    this.collectors = new ServerCollectors({
      ...parts,
      connection,
      writer,
      timetables,
      series: measurements,
      sections: plan.sections,
      memory: memory.objects,
    });
  }

  /** `undefined` if push is disabled. */
  get delivery(): Delivery | undefined {
    return this.#measurements?.delivery;
  }

  /** Resolves when each collector has run once; with false if the pipeline was stopped before. */
  start(): Promise<boolean> {
    this.#measurements?.delivery?.start();
    return this.collectors.start();
  }

  /** Aborts polls and delivers the backlog within `graceMs`. The client stays open. */
  async stop(graceMs: number): Promise<void> {
    await this.collectors.stop();
    await this.#measurements?.delivery?.flush(graceMs);
    this.#measurements?.unfollow?.();
  }

  /**
   * Stops in favour of a pipeline as `next` says. If that pushes, it takes the backlog over, and requests to another receiver
   * have at least `graceMs` to arrive. Otherwise the backlog is delivered within `graceMs`.
   */
  async handOver(next: PipelinePlan, graceMs: number): Promise<PipelinePast> {
    await this.collectors.stop();
    const past = await this.#handOverMeasurements(next, graceMs);
    // Now that the next pipeline can follow the backlog.
    this.#measurements?.unfollow?.();
    return past;
  }

  async #handOverMeasurements(next: PipelinePlan, graceMs: number): Promise<PipelinePast> {
    const { delivery, progress } = this.#measurements ?? {};
    if (isSameDelivery(this.plan, next)) {
      return { delivery, progress: this.plan.measurements?.mode === next.measurements?.mode ? progress : undefined };
    }
    if (next.push === undefined) await delivery?.flush(graceMs);
    // An aborted request is sent again although it may have arrived: it keeps its timeout.
    else await delivery?.handOver(Math.max(graceMs, this.plan.push?.options.prepared.settings.timeoutMs ?? 0));
    return next.push === undefined ? {} : { endedDelivery: delivery };
  }
}

interface ServerMeasurements extends ServerSeries {
  readonly progress: MeasurementProgress;
  /** `undefined` if push is disabled. */
  readonly delivery: Delivery | undefined;
  /** Ends the metrics of the backlog. */
  readonly unfollow: (() => void) | undefined;
}

/** `undefined` if time series are neither read nor pushed. */
function createMeasurements(
  plan: PipelinePlan,
  { api }: ServerConnection,
  writer: StateWriter,
  parts: ServerParts,
  past: PipelinePast,
): ServerMeasurements | undefined {
  if (plan.measurements === undefined) return undefined;
  const { view, extras, clock, log } = parts;
  const observer = measurementRecorder(parts.exporterMetrics, view.server, plan.push !== undefined);
  const delivery = past.delivery ?? createDelivery(plan, parts, observer, past.endedDelivery);
  const progress = past.progress ?? new MeasurementProgress();
  const latest = new LatestValues(writer, clock);
  const repeats = {
    intervalMs: plan.push?.options.prepared.settings.repeatIntervalMs ?? 0,
    valuesOf: (sensorId: string) => view.servedValues(sensorId, clock.monotonic()),
    isHeldBack: view.isDisconnected.bind(view),
  };
  const engine = new MeasurementEngine({
    ...plan.measurements,
    api,
    delivery,
    progress,
    extras,
    clock,
    observer,
    log,
    onFreshest: latest.add.bind(latest),
    channelsOf: view.channelIds.bind(view),
    repeats: repeats.intervalMs > 0 ? repeats : undefined,
  });
  const now = () => clock.now() + api.clockOffset();
  const unfollow = delivery && observer.followPending(() => delivery.outbox.pending(), now);
  return { engine, latest, progress, delivery, unfollow };
}

/** `undefined` if push is disabled. */
function createDelivery(
  { push, server }: PipelinePlan,
  { view, exporterMetrics, shares, clock, random, log }: ServerParts,
  observer: MeasurementRecorder,
  before: Delivery | undefined,
): Delivery | undefined {
  const watermarks = push?.options.watermarks.get(server.name);
  if (push === undefined || watermarks === undefined) return undefined;
  // Now that all requests of the past delivery have ended.
  if (before !== undefined && before.watermarks !== watermarks) watermarks.takeOver(before.watermarks);
  const outbox = before?.outbox ?? new Outbox(MAX_PENDING_POINTS, shares.pending);
  const sink = push.createSink(view, exporterMetrics);
  return new Delivery({ sink, outbox, watermarks, maxBatchPoints: BATCH_POINTS, clock, random, log, observer });
}
