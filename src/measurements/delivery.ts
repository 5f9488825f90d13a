import { attempt, type DeliveryFailure, DeliveryLoop, type Pass, type Pause } from "../delivery/delivery-loop.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { Runtime } from "../lib/runtime.ts";
import type { MeasurementRecorder } from "../telemetry/recorders.ts";
import {
  type Coverage,
  coverageOf,
  type DeliveryOutcome,
  type MeasurementRow,
  type MeasurementSink,
  type RowKind,
  type SettledRows,
} from "./measurement.ts";
import type { Batch, Outbox } from "./outbox.ts";
import { WatermarkSaver, type Watermarks } from "./watermarks.ts";

/** Rows gather for this time if there is less than a batch. */
const LINGER_MS = 1_000;
/** The metrics count all refusals. */
const LOG_REFUSALS_EVERY_MS = 60_000;

export interface DeliveryOptions extends Runtime {
  readonly sink: MeasurementSink;
  readonly outbox: Outbox;
  readonly watermarks: Watermarks;
  readonly maxBatchPoints: number;
  readonly observer: MeasurementRecorder;
}

/** Delivers the measurements of one server to a receiver, and remembers what arrived. */
export class Delivery extends DeliveryLoop {
  readonly outbox: Outbox;
  readonly watermarks: Watermarks;
  readonly #options: DeliveryOptions;
  readonly #saver: WatermarkSaver;
  readonly #refusals: LogOnChange;

  constructor(options: DeliveryOptions) {
    super(options);
    const { clock, outbox, watermarks } = options;
    this.#options = options;
    this.outbox = outbox;
    this.watermarks = watermarks;
    this.#saver = new WatermarkSaver(options);
    this.#refusals = new LogOnChange({ remindEveryMs: LOG_REFUSALS_EVERY_MS, now: () => clock.monotonic() });
  }

  saveWatermarks(): void {
    this.#saver.notify();
  }

  /**
   * Time of the staleness marker of a sensor: just after the last sent measurement, so that later measurements follow
   * it. Milliseconds since the epoch, server's clock. `undefined` if nothing was sent.
   */
  endOf(sensorId: string): number | undefined {
    const covered = this.coveredOf(sensorId);
    const repeatedAt = this.watermarks.repeatedAt(sensorId);
    // The next average may begin right after the last millisecond of this one.
    const measured = covered && covered.until + (covered.kind === "average" ? 0 : 1);
    return latest(measured, repeatedAt === undefined ? undefined : repeatedAt + 1);
  }

  /** The end of queued and acknowledged measurements, without repeats. */
  coveredOf(sensorId: string): Coverage | undefined {
    const newest = this.outbox.newestOf(sensorId);
    return newest === undefined ? this.watermarks.get(sensorId) : coverageOf(newest);
  }

  /** Queues the last values once more. Does nothing if the sensor has queued rows, or if there is little room. */
  repeat(sensorId: string, at: number, values: MeasurementRow["values"]): void {
    const { outbox, watermarks } = this;
    if (outbox.has(sensorId) || outbox.isCrowded) return;
    if (outbox.offer({ sensorId, at, resolution: "repeated", values }) === "taken") watermarks.repeat(sensorId, at);
  }

  /** Delivers the queue within `graceMs`, writes the watermarks, and ends. Call after polling. Never rejects. */
  async flush(graceMs: number): Promise<void> {
    this.start();
    await this.finish(graceMs, "drain");
    await this.#saver.end();
  }

  /**
   * Ends, so that another delivery can continue with the outbox and watermarks. The batch under way has `graceMs`.
   * Never rejects.
   */
  async handOver(graceMs: number): Promise<void> {
    await this.finish(graceMs, "batch");
    await this.#saver.end();
  }

  protected override hasWork(): boolean {
    return this.outbox.pointsToTake > 0;
  }

  protected override lingerMs(): number {
    const { outbox, maxBatchPoints } = this.#options;
    return outbox.pointsToTake < maxBatchPoints ? LINGER_MS : 0;
  }

  protected override async deliverNext(cutOff: AbortSignal, stop: AbortSignal): Promise<Pass> {
    const { outbox, maxBatchPoints, sink } = this.#options;
    const batch = outbox.take(maxBatchPoints, { skipsHistory: true });
    if (batch !== undefined) return this.#send(batch, cutOff, stop);
    const ms = outbox.pointsToTake > 0 ? (sink.takeHistoryTurn?.() ?? 0) : 0;
    if (ms > 0) return { kind: "waits", ms };
    const history = outbox.take(maxBatchPoints);
    return history === undefined ? { kind: "idle" } : this.#send(history, cutOff, stop);
  }

  async #send({ rows }: Batch, cutOff: AbortSignal, stop: AbortSignal): Promise<DeliveryOutcome> {
    const { outbox, sink, log } = this.#options;
    const left = new Set(rows);
    let isOver = false;
    let isAcknowledged = false;
    const onSettled = (settled: SettledRows): void => {
      // The rows are back in the outbox.
      if (isOver) return;
      for (const row of settled.rows) left.delete(row);
      isAcknowledged ||= settled.isSkipped !== true;
      this.#settle(settled);
    };
    const outcome = await attempt((signal) => sink.deliver(rows, { signal, stop, onSettled }), cutOff);
    isOver = true;
    const failures = outcome.kind === "done" && isAcknowledged ? this.backoff.recovered() : 0;
    if (failures > 0) log.info({ failures }, "measurements can be delivered again");
    outbox.putBack([...left]);
    return outcome;
  }

  #settle({ rows, rejectedPoints, message, isSkipped = false }: SettledRows): void {
    const { outbox, watermarks } = this;
    const [{ resolution } = { resolution: "live" as const }] = rows;
    const points = rows.reduce((sum, { values }) => sum + values.length, 0);
    const rejected = Math.min(rejectedPoints, points);
    this.#count(resolution, "rejected", rejected);
    this.#count(resolution, "delivered", points - rejected);
    if (!isSkipped) this.backoff.accepted();
    outbox.settle(rows);
    for (const row of rows) if (row.resolution !== "repeated") watermarks.move(row.sensorId, coverageOf(row));
    this.#saver.notify();
    const occasion = rejected > 0 ? this.#refusals.record(undefined, rejected) : undefined;
    if (occasion === undefined) return;
    const fields = { resolution, points: occasion.sinceLine };
    this.#options.log.warn(fields, `the receiver rejected measurements permanently: ${message}`);
  }

  #count(kind: RowKind, outcome: "delivered" | "rejected", points: number): void {
    const { observer } = this.#options;
    if (points === 0) return;
    if (kind === "repeated") observer.repeated({ outcome }, points);
    else observer[outcome]({ resolution: kind }, points);
  }

  protected override recordFailure({ message }: DeliveryFailure, { ms, failures, isNews }: Pause): void {
    const { observer, log, outbox } = this.#options;
    observer.deliveryFailed();
    if (!isNews) return;
    const fields = { failures, retry_in_ms: Math.round(ms), pending: outbox.points };
    log.warn(fields, `cannot deliver measurements, retrying: ${message}`);
  }
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
