import type { Logger } from "pino";
import { attempt } from "../delivery/attempt.ts";
import { Backoff } from "../delivery/backoff.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import type { DeliveryOutcome, MeasurementRow, MeasurementSink, RowKind, SettledRows } from "./measurement.ts";
import type { Batch, Outbox } from "./outbox.ts";

/** Rows gather for this time if there is less than a batch. */
const LINGER_MS = 1_000;
/** At the end, no request begins after this part of the time, so that the last one can be answered. */
const LAST_START = 0.8;
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

export class PushLoop {
  readonly #options: PushLoopOptions;
  /** Aborts when the rest must go at once. */
  readonly #flushing = new AbortController();
  /** Aborts when no further request may begin. */
  readonly #stop = new AbortController();
  /** Aborts when the time is over. */
  readonly #cutOff = new AbortController();
  #ended = false;
  #rowsCame = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #requestedPauseEnd = Number.NEGATIVE_INFINITY;
  #deadline = Number.POSITIVE_INFINITY;
  #isRetry = false;
  readonly #backoff: Backoff;
  readonly #refusals: LogOnChange;

  constructor(options: PushLoopOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options);
    this.#refusals = new LogOnChange({
      remindEveryMs: LOG_REFUSALS_EVERY_MS,
      now: () => options.clock.monotonic(),
    });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  notify(): void {
    this.#rowsCame.resolve();
  }

  /** Delivers the queue within `graceMs` and ends. The rest stays queued. Never rejects. */
  async flush(graceMs: number): Promise<void> {
    const { clock } = this.#options;
    this.#deadline = clock.monotonic() + LAST_START * graceMs;
    // Ends our own backoff, but not a pause that the receiver asked for.
    this.#notBefore = this.#requestedPauseEnd;
    this.#flushing.abort();
    this.start();
    await this.#finish(graceMs);
  }

  /** Ends. The batch under way has `graceMs`, and is queued again otherwise. Never rejects. */
  async end(graceMs: number): Promise<void> {
    this.#ended = true;
    await this.#finish(graceMs);
  }

  async #finish(graceMs: number): Promise<void> {
    this.#flushing.abort();
    this.notify();
    const timer = new AbortController();
    const abortAfter = (ms: number, controller: AbortController): void => {
      this.#options.clock.sleep(ms, timer.signal).then(
        () => controller.abort(),
        () => undefined,
      );
    };
    abortAfter(LAST_START * graceMs, this.#stop);
    abortAfter(graceMs, this.#cutOff);
    await this.#running;
    timer.abort();
  }

  async #run(): Promise<void> {
    const { outbox, maxBatchPoints, sink } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#gather();
      if (!(await this.#pause())) return;
      const batch = outbox.take(maxBatchPoints, { skipsHistory: true });
      if (batch !== undefined) {
        await this.#send(batch);
        continue;
      }
      const waitMs = outbox.pointsToTake > 0 ? (sink.takeHistoryTurn?.() ?? 0) : 0;
      if (waitMs > 0) {
        if (!(await this.#awaitTurn(waitMs))) return;
        continue;
      }
      const history = outbox.take(maxBatchPoints);
      if (history !== undefined) await this.#send(history);
      else if (this.#isFlushing) return;
    }
  }

  /** Waits for the turn of history, or for rows that need none. False if the time is over. */
  async #awaitTurn(ms: number): Promise<boolean> {
    const { clock } = this.#options;
    const over = new AbortController();
    if (this.#isFlushing) {
      if (this.#ended || clock.monotonic() + ms >= this.#deadline) return false;
      await clock.sleep(ms, this.#stop.signal).catch(() => undefined);
      return true;
    }
    this.#rowsCame = Promise.withResolvers();
    const turn = clock.sleep(ms, over.signal).catch(() => undefined);
    await Promise.race([turn, this.#rowsCame.promise]);
    over.abort();
    return true;
  }

  get #isFlushing(): boolean {
    return this.#flushing.signal.aborted;
  }

  async #gather(): Promise<void> {
    const { outbox, clock, maxBatchPoints } = this.#options;
    const { signal } = this.#flushing;
    while (!signal.aborted && outbox.pointsToTake === 0) {
      this.#rowsCame = Promise.withResolvers();
      await this.#rowsCame.promise;
    }
    if (outbox.pointsToTake < maxBatchPoints && !this.#isRetry)
      await clock.sleep(LINGER_MS, signal).catch(() => undefined);
  }

  async #pause(): Promise<boolean> {
    const { clock } = this.#options;
    if (!this.#isFlushing) await this.#sleepTo(this.#notBefore, this.#flushing.signal);
    if (!this.#isFlushing) return true;
    if (this.#ended) return false;
    if (this.#notBefore >= this.#deadline) return false;
    await this.#sleepTo(this.#notBefore, this.#stop.signal);
    return clock.monotonic() < this.#deadline;
  }

  async #sleepTo(monotonic: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const ms = monotonic - clock.monotonic();
    if (ms > 0) await clock.sleep(ms, signal).catch(() => undefined);
  }

  async #send({ rows }: Batch): Promise<void> {
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
    const outcome = await attempt<DeliveryOutcome>(
      (signal) => sink.deliver(rows, { signal, stop: this.#stop.signal, onSettled }),
      this.#cutOff.signal,
      (message) => ({ kind: "failed", retryAfterMs: undefined, message }),
    );
    isOver = true;
    const failures = outcome.kind === "done" && isAcknowledged ? this.#backoff.recovered() : 0;
    if (failures > 0) log.info({ failures }, "measurements can be delivered again");
    outbox.putBack([...left]);
    this.#isRetry = outcome.kind === "failed";
    // An end by us is not a failure of the receiver.
    if (outcome.kind === "failed" && !this.#stop.signal.aborted) this.#recordFailure(outcome);
  }

  #settle({ rows, rejectedPoints, message, isSkipped = false }: SettledRows): void {
    const { outbox, onSettled, log } = this.#options;
    const [{ resolution } = { resolution: "live" as const }] = rows;
    const points = rows.reduce((sum, { values }) => sum + values.length, 0);
    const rejected = Math.min(rejectedPoints, points);
    this.#count(resolution, points - rejected, rejected);
    if (!isSkipped) this.#backoff.accepted();
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

  #recordFailure({ retryAfterMs, message }: Extract<DeliveryOutcome, { readonly kind: "failed" }>): void {
    const { clock, observer, log, outbox } = this.#options;
    observer.deliveryFailed();
    const { ms, requestedMs, failures, isNews } = this.#backoff.failed(retryAfterMs);
    const now = clock.monotonic();
    if (requestedMs !== undefined) this.#requestedPauseEnd = now + requestedMs;
    this.#notBefore = now + ms;
    if (!isNews) return;
    const fields = { failures, retry_in_ms: Math.round(ms), pending: outbox.points };
    log.warn(fields, `cannot deliver measurements, retrying: ${message}`);
  }
}
