import type { Logger } from "pino";
import type { Pause } from "../delivery/backoff.ts";
import { attempt, type DeliveryFailure, DeliveryLoop, type Pass } from "../delivery/delivery-loop.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import type { DeliveryOutcome, MeasurementRow, MeasurementSink, RowKind, SettledRows } from "./measurement.ts";
import type { Batch, Outbox } from "./outbox.ts";

/** Rows gather for this time if there is less than a batch. */
const LINGER_MS = 1_000;
/** The metrics count all refusals. */
const LOG_REFUSALS_EVERY_MS = 60_000;

export interface PushLoopOptions {
  readonly sink: MeasurementSink;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly observer: SyncRecorder;
  readonly maxBatchPoints: number;
  /** The receiver accepted these rows, or rejected them permanently. */
  readonly onSettled: (rows: readonly MeasurementRow[]) => void;
}

/** Delivers the measurements of an outbox. */
export class PushLoop extends DeliveryLoop {
  readonly #options: PushLoopOptions;
  readonly #refusals: LogOnChange;

  constructor(options: PushLoopOptions) {
    super(options);
    this.#options = options;
    this.#refusals = new LogOnChange({
      remindEveryMs: LOG_REFUSALS_EVERY_MS,
      now: () => options.clock.monotonic(),
    });
  }

  /** Delivers the queue within `graceMs` and ends. The rest stays queued. Never rejects. */
  flush(graceMs: number): Promise<void> {
    this.start();
    return this.finish(graceMs, "drain");
  }

  /** Ends. The batch under way has `graceMs`, and is queued again otherwise. Never rejects. */
  end(graceMs: number): Promise<void> {
    return this.finish(graceMs, "batch");
  }

  protected override hasWork(): boolean {
    return this.#options.outbox.pointsToTake > 0;
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
    const { outbox, onSettled, log } = this.#options;
    const [{ resolution } = { resolution: "live" as const }] = rows;
    const points = rows.reduce((sum, { values }) => sum + values.length, 0);
    const rejected = Math.min(rejectedPoints, points);
    this.#count(resolution, points - rejected, rejected);
    if (!isSkipped) this.backoff.accepted();
    outbox.settle(rows);
    onSettled(rows);
    const occasion = rejected > 0 ? this.#refusals.record(undefined, rejected) : undefined;
    if (occasion === undefined) return;
    log.warn({ resolution, points: occasion.sinceLine }, `the receiver rejected measurements permanently: ${message}`);
  }

  #count(resolution: RowKind, delivered: number, rejected: number): void {
    const { observer } = this.#options;
    const isRepeated = resolution === "repeated";
    if (rejected > 0) isRepeated ? observer.repeated("rejected", rejected) : observer.rejected(resolution, rejected);
    if (delivered > 0)
      isRepeated ? observer.repeated("delivered", delivered) : observer.delivered(resolution, delivered);
  }

  protected override recordFailure({ message }: DeliveryFailure, { ms, failures, isNews }: Pause): void {
    const { observer, log, outbox } = this.#options;
    observer.deliveryFailed();
    if (!isNews) return;
    const fields = { failures, retry_in_ms: Math.round(ms), pending: outbox.points };
    log.warn(fields, `cannot deliver measurements, retrying: ${message}`);
  }
}
