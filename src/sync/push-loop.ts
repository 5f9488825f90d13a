import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import { onAbort } from "../lib/abort.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import type { DeliveryOutcome, MeasurementSink } from "./measurement.ts";
import type { Batch, Outbox } from "./outbox.ts";

/** Rows gather for this time if there is less than a batch. */
const LINGER_MS = 1_000;
/** The metrics count all failures. */
const LOG_FAILURES_EVERY_MS = 10 * 60_000;
const LOG_REFUSALS_EVERY_MS = 60_000;

export interface PushLoopOptions {
  readonly sink: MeasurementSink;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly observer: SyncRecorder;
  readonly maxBatchPoints: number;
  /** The receiver accepted or rejected the batch permanently. */
  readonly onSettled: (batch: Batch) => void;
}

export class PushLoop {
  readonly #options: PushLoopOptions;
  /** Aborts when the rest must go at once. */
  readonly #flushing = new AbortController();
  /** Aborts when the time is over. */
  readonly #cutOff = new AbortController();
  #ended = false;
  #rowsCame = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #requestedPauseEnd = Number.NEGATIVE_INFINITY;
  #deadline = Number.POSITIVE_INFINITY;
  #failures = 0;
  readonly #failing: LogOnChange;
  readonly #refusals: LogOnChange;

  constructor(options: PushLoopOptions) {
    this.#options = options;
    const now = () => options.clock.monotonic();
    this.#failing = new LogOnChange({ remindEveryMs: LOG_FAILURES_EVERY_MS, now });
    this.#refusals = new LogOnChange({ remindEveryMs: LOG_REFUSALS_EVERY_MS, now });
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
    this.#deadline = clock.monotonic() + graceMs;
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
    void this.#options.clock.sleep(graceMs, timer.signal).then(
      () => this.#cutOff.abort(),
      () => undefined,
    );
    await this.#running;
    timer.abort();
  }

  async #run(): Promise<void> {
    const { outbox, maxBatchPoints, sink } = this.#options;
    while (!this.#cutOff.signal.aborted) {
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
      await clock.sleep(ms, this.#cutOff.signal).catch(() => undefined);
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
    if (outbox.pointsToTake < maxBatchPoints) await clock.sleep(LINGER_MS, signal).catch(() => undefined);
  }

  async #pause(): Promise<boolean> {
    const { clock } = this.#options;
    if (!this.#isFlushing) await this.#sleepTo(this.#notBefore, this.#flushing.signal);
    if (!this.#isFlushing) return true;
    if (this.#ended) return false;
    if (this.#notBefore >= this.#deadline) return false;
    await this.#sleepTo(this.#notBefore, this.#cutOff.signal);
    return clock.monotonic() < this.#deadline;
  }

  async #sleepTo(monotonic: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const ms = monotonic - clock.monotonic();
    if (ms > 0) await clock.sleep(ms, signal).catch(() => undefined);
  }

  async #send(batch: Batch): Promise<void> {
    const { outbox, onSettled } = this.#options;
    const outcome = await this.#deliver(batch);
    if (outcome.kind === "failed") {
      outbox.putBack(batch);
      this.#recordFailure(outcome);
      return;
    }
    const rejected = outcome.kind === "refused" ? batch.points : Math.min(outcome.rejectedPoints, batch.points);
    this.#count(batch, rejected);
    this.#recordSuccess(batch, rejected, outcome.message);
    outbox.settle(batch);
    onSettled(batch);
  }

  #count({ resolution, points }: Batch, rejected: number): void {
    const { observer } = this.#options;
    const isRepeated = resolution === "repeated";
    if (rejected > 0) isRepeated ? observer.repeated("rejected", rejected) : observer.rejected(resolution, rejected);
    const delivered = points - rejected;
    if (delivered > 0)
      isRepeated ? observer.repeated("delivered", delivered) : observer.delivered(resolution, delivered);
  }

  async #deliver(batch: Batch): Promise<DeliveryOutcome> {
    const { signal } = this.#cutOff;
    const cutOff = Promise.withResolvers<DeliveryOutcome>();
    const forget = onAbort(signal, () =>
      cutOff.resolve({ kind: "failed", retryAfterMs: undefined, message: "no time left before the exit" }),
    );
    try {
      // A sink that ignores the signal must not keep the process alive.
      return await Promise.race([this.#options.sink.deliver(batch.rows, signal), cutOff.promise]);
    } catch (error) {
      return { kind: "failed", retryAfterMs: undefined, message: describeError(error) };
    } finally {
      forget();
    }
  }

  #recordFailure({
    retryAfterMs,
    message,
  }: {
    readonly retryAfterMs: number | undefined;
    readonly message: string;
  }): void {
    const { clock, random, observer, log, outbox } = this.#options;
    observer.deliveryFailed();
    const pause = receiverPause({ failuresBefore: this.#failures, retryAfterMs, random });
    this.#failures++;
    const now = clock.monotonic();
    if (pause.requestedMs !== undefined) this.#requestedPauseEnd = now + pause.requestedMs;
    this.#notBefore = now + pause.ms;
    if (this.#failing.record() === undefined) return;
    const retryInMs = Math.round(pause.ms);
    const fields = { failures: this.#failures, retry_in_ms: retryInMs, pending: outbox.points };
    log.warn(fields, `cannot deliver measurements, retrying: ${message}`);
  }

  #recordSuccess({ resolution }: Batch, refused: number, message: string): void {
    const { log } = this.#options;
    const failures = this.#failing.over();
    if (failures > 0) log.info({ failures }, "measurements can be delivered again");
    this.#failures = 0;
    const occasion = refused > 0 ? this.#refusals.record(undefined, refused) : undefined;
    if (occasion === undefined) return;
    log.warn({ resolution, points: occasion.sinceLine }, `the receiver rejected measurements permanently: ${message}`);
  }
}

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** Longer pauses would look like an outage. */
const MAX_REQUESTED_PAUSE_MS = 15 * 60_000;

interface FailedDelivery {
  readonly failuresBefore: number;
  /** `undefined`: the receiver asked for no pause. */
  readonly retryAfterMs: number | undefined;
  readonly random: () => number;
}

/**
 * Milliseconds until the next attempt. `requestedMs`: the part that the receiver asked for, bounded. Adds jitter, so
 * that exporters do not retry in step.
 */
export function receiverPause({ failuresBefore, retryAfterMs, random }: FailedDelivery): {
  readonly ms: number;
  readonly requestedMs: number | undefined;
} {
  if (retryAfterMs === undefined) {
    const bound = Math.min(FIRST_BACKOFF_MS * 2 ** failuresBefore, MAX_BACKOFF_MS);
    return { ms: bound * (0.5 + 0.5 * random()), requestedMs: undefined };
  }
  const requestedMs = Math.min(retryAfterMs, MAX_REQUESTED_PAUSE_MS);
  return { ms: requestedMs + FIRST_BACKOFF_MS * random(), requestedMs };
}
