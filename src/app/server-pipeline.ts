import type { Logger } from "pino";
import { LatestValues } from "../collectors/latest-values.ts";
import type { RunRecords } from "../collectors/run-record.ts";
import { createExpiryPolicy, ServerCollectors } from "../collectors/server-collectors.ts";
import type { ServerReader } from "../collectors/server-reader.ts";
import { StateWriter } from "../collectors/state-writer.ts";
import type { Extras } from "../lib/extra-work.ts";
import type { MemoryShare } from "../lib/memory-budget.ts";
import type { ServerView } from "../projection/server-view.ts";
import { Delivery } from "../sync/delivery.ts";
import { Outbox } from "../sync/outbox.ts";
import { SyncEngine, SyncProgress } from "../sync/sync-engine.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import { type ServerRecorder, type SyncRecorder, syncRecorder } from "../telemetry/recorders.ts";
import type { CommandContext } from "./context.ts";
import { isSameDelivery, type PipelinePlan } from "./pipeline-plan.ts";

/** Values of one server that may wait for the receiver: some 50 MB. What is dropped is read from the server again. */
const MAX_PENDING_POINTS = 500_000;
/** Values handed to the sink at a time; it divides them into requests under 4 MiB. */
const BATCH_POINTS = 10_000;

/** What stays with a server, whichever pipeline feeds it. */
export interface PipelineBase {
  readonly name: string;
  readonly view: ServerView;
  readonly records: RunRecords;
  readonly metrics: ServerRecorder;
  readonly exporterMetrics: ExporterMetrics;
  readonly context: CommandContext;
  /** Of the process: what it has time for. */
  readonly extras: Extras;
  /** See `ServerCollectorsOptions`. */
  readonly pageUpToDate: () => Promise<void>;
  /** What the state takes. */
  readonly stateMemory: MemoryShare;
  /** What measurements take that wait for the receiver. */
  readonly pendingMemory: MemoryShare;
  /** See `createTimetable`. */
  readonly phase: number;
  /** See `AllNodesReaderOptions`. */
  readonly isOneOfMany: () => boolean;
  /** Bound to the server. */
  readonly log: Logger;
}

/** What one pipeline hands to the next; all of it undefined where that is to begin anew. */
export interface HandedOn {
  /** Goes on as it is. */
  readonly delivery?: Delivery | undefined;
  /** One that has ended: the next goes on with what waits, and from where it came to. */
  readonly endedDelivery?: Delivery | undefined;
  readonly progress?: SyncProgress | undefined;
}

/**
 * Everything between one PRTG server and its state: the client, the collectors with their runners, and the sync with its
 * way to the receiver. A configuration that says anything else of it gets another pipeline over the same state.
 */
export class ServerPipeline {
  readonly plan: PipelinePlan;
  readonly reader: ServerReader;
  readonly writer: StateWriter;
  readonly collectors: ServerCollectors;
  readonly #sync: ServerSync | undefined;

  constructor(plan: PipelinePlan, reader: ServerReader, base: PipelineBase, before: HandedOn = {}) {
    const { view, records, metrics, context, extras, pageUpToDate, phase, log } = base;
    const { clock, random } = context;
    const { schedules, countedKinds } = plan;
    this.plan = plan;
    this.reader = reader;
    const writer = new StateWriter({
      ...{ view, metrics, clock, memory: base.stateMemory },
      clockOffset: () => reader.api.clockOffset(),
      isClockInDoubt: () => reader.api.isClockInDoubt(),
      expiry: createExpiryPolicy(clock, (name) => this.collectors.untilThird(name)),
    });
    this.writer = writer;
    const sync = createSync(plan, reader, writer, base, before);
    this.#sync = sync;
    if (sync?.delivery === undefined) base.pendingMemory.set(0);
    this.collectors = new ServerCollectors({
      ...{ reader, writer, records, sync, extras, schedules, countedKinds },
      ...{ metrics, clock, random, phase, pageUpToDate, log },
    });
  }

  /** Undefined where nothing is pushed. */
  get delivery(): Delivery | undefined {
    return this.#sync?.delivery;
  }

  /** Resolves with whether the first run of every collector has finished, either way: false where it was stopped before. */
  start(): Promise<boolean> {
    this.#sync?.delivery?.start();
    return this.collectors.start();
  }

  /** Aborts what runs, delivers what waits within `graceMs`, and resolves when all has ended. The client stays open. */
  async stop(graceMs: number): Promise<void> {
    await this.collectors.stop();
    await this.#sync?.delivery?.flush(graceMs);
    this.#sync?.unfollow?.();
  }

  /**
   * Stops in favour of a pipeline that is to be as `next` says. Where that pushes, what waits goes over to it, and what is
   * under way to another receiver has its own time to arrive, at least `graceMs`; else all of it is delivered within that.
   */
  async handOver(next: PipelinePlan, graceMs: number): Promise<HandedOn> {
    await this.collectors.stop();
    const handedOn = await this.#handOverSync(next, graceMs);
    // Not earlier: points wait until the next pipeline has them, and follows them at once.
    this.#sync?.unfollow?.();
    return handedOn;
  }

  async #handOverSync(next: PipelinePlan, graceMs: number): Promise<HandedOn> {
    const { delivery, progress } = this.#sync ?? {};
    if (isSameDelivery(this.plan, next)) {
      return { delivery, progress: this.plan.sync?.mode === next.sync?.mode ? progress : undefined };
    }
    if (next.push === undefined) await delivery?.flush(graceMs);
    // A request that is cut off is sent once more, and may have arrived all the same: it has the time that it always has.
    else await delivery?.handOver(Math.max(graceMs, this.plan.push?.options.prepared.settings.timeoutMs ?? 0));
    return next.push === undefined ? {} : { endedDelivery: delivery };
  }
}

interface ServerSync {
  readonly engine: SyncEngine;
  readonly latest: LatestValues;
  readonly progress: SyncProgress;
  /** Undefined where nothing is pushed. */
  readonly delivery: Delivery | undefined;
  /** Metrics do not tell any more of what waits. */
  readonly unfollow: (() => void) | undefined;
}

/** Undefined where time series are neither read nor pushed. */
function createSync(
  plan: PipelinePlan,
  { api }: ServerReader,
  writer: StateWriter,
  base: PipelineBase,
  before: HandedOn,
): ServerSync | undefined {
  if (plan.sync === undefined) return undefined;
  const { name, view, exporterMetrics, context, extras } = base;
  const { clock } = context;
  const observer = syncRecorder(exporterMetrics, name, plan.push !== undefined);
  const delivery = before.delivery ?? createDelivery(plan, base, observer, before.endedDelivery);
  const progress = before.progress ?? new SyncProgress();
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
    ...{ onFreshest, channelsOf },
    repeats: repeats.intervalMs > 0 ? repeats : undefined,
  });
  const now = () => clock.now() + api.clockOffset();
  const unfollow = delivery && observer.followPending(() => delivery.pending(), now);
  return { engine, latest, progress, delivery, unfollow };
}

/** Undefined where nothing is pushed. */
function createDelivery(
  { push, server }: PipelinePlan,
  { view, exporterMetrics, context, pendingMemory, log }: PipelineBase,
  observer: SyncRecorder,
  before: Delivery | undefined,
): Delivery | undefined {
  const watermarks = push?.options.watermarks.get(server.name);
  if (push === undefined || watermarks === undefined) return undefined;
  // Not earlier: what was under way has moved them until now.
  if (before !== undefined && before.watermarks !== watermarks) watermarks.takeOver(before.watermarks);
  const outbox = before?.outbox ?? new Outbox(MAX_PENDING_POINTS, pendingMemory);
  const { clock, random } = context;
  const sink = push.createSink(view, exporterMetrics);
  return new Delivery({ sink, outbox, watermarks, maxBatchPoints: BATCH_POINTS, clock, random, log, observer });
}
