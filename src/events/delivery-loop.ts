import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import { onAbort } from "../lib/abort.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { receiverPause } from "../sync/push-loop.ts";
import type { EventSink, SendOutcome } from "./event.ts";
import type { QueuedEvent } from "./event-queue.ts";

/** The metrics count all failures. */
const LOG_FAILURES_EVERY_MS = 10 * 60_000;

export interface DeliveryLoopOptions {
  readonly output: string;
  readonly sink: EventSink;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** The next events of this output. */
  readonly next: () => readonly QueuedEvent[];
  /** Called when the output accepted or rejected these permanently. */
  readonly onSettled: (settled: readonly QueuedEvent[], rejected: number) => Promise<void>;
  readonly onFailed: () => void;
}

interface Pause {
  readonly ms: number;
  /** Whether the receiver asked for the pause. */
  readonly isRequested: boolean;
}

/** Delivers events to one output, in order and in batches. Retries without end. */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  /** Aborts when the rest must go at once. */
  readonly #flushing = new AbortController();
  /** Aborts when the time is over. */
  readonly #cutOff = new AbortController();
  #came = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #failures = 0;
  readonly #failing: LogOnChange;

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    this.#failing = new LogOnChange({ remindEveryMs: LOG_FAILURES_EVERY_MS, now: () => options.clock.monotonic() });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Events wait. */
  notify(): void {
    this.#came.resolve();
  }

  /** One more attempt within `graceMs`, then closes the sink. Never rejects. */
  async end(graceMs: number): Promise<void> {
    const { clock, sink } = this.#options;
    this.#flushing.abort();
    this.notify();
    const timer = new AbortController();
    void clock.sleep(graceMs, timer.signal).then(
      () => this.#cutOff.abort(),
      () => undefined,
    );
    await this.#running;
    timer.abort();
    await sink.close();
  }

  async #run(): Promise<void> {
    const { next, clock } = this.#options;
    while (!this.#cutOff.signal.aborted) {
      const batch = next();
      if (batch.length === 0) {
        if (this.#flushing.signal.aborted) return;
        this.#came = Promise.withResolvers();
        // Events may have arrived meanwhile.
        if (next().length === 0) await this.#came.promise;
        continue;
      }
      const isLastTry = this.#flushing.signal.aborted;
      const pause = await this.#deliver(batch);
      if (pause === undefined) continue;
      if (isLastTry) return;
      await clock.sleep(pause.ms, this.#flushing.signal).catch(() => undefined);
      // Our backoff ends with the process, a pause of the receiver does not.
      if (pause.isRequested && this.#flushing.signal.aborted) return;
    }
  }

  /** Returns the pause before a retry. */
  async #deliver(batch: readonly QueuedEvent[]): Promise<Pause | undefined> {
    const { onSettled, onFailed, log, output } = this.#options;
    const outcome = await this.#send(batch);
    if (outcome.kind === "retry") {
      if (outcome.settled > 0) await onSettled(batch.slice(0, outcome.settled), outcome.rejected);
      // An abort by us is not a failure of the receiver.
      if (!this.#cutOff.signal.aborted) onFailed();
      return this.#recordFailure(outcome);
    }
    const rejected = outcome.kind === "rejected" ? batch.length : outcome.rejected;
    await onSettled(batch, rejected);
    this.#failures = 0;
    if (this.#failing.over() > 0) log.info({ output }, "events can be delivered again");
    if (rejected > 0)
      log.warn({ output, events: rejected }, `the output rejected events permanently: ${outcome.message}`);
    return undefined;
  }

  async #send(batch: readonly QueuedEvent[]): Promise<SendOutcome> {
    const { signal } = this.#cutOff;
    const failed = (message: string): SendOutcome => {
      return { kind: "retry", settled: 0, rejected: 0, retryAfterMs: undefined, message };
    };
    const cutOff = Promise.withResolvers<SendOutcome>();
    const forget = onAbort(signal, () => cutOff.resolve(failed("no time left before the exit")));
    try {
      const events = batch.map(({ event }) => event);
      // A sink that ignores the signal must not keep the process alive.
      return await Promise.race([this.#options.sink.send(events, signal), cutOff.promise]);
    } catch (error) {
      return failed(describeError(error));
    } finally {
      forget();
    }
  }

  #recordFailure({ retryAfterMs, message }: Extract<SendOutcome, { kind: "retry" }>): Pause {
    const { random, log, output } = this.#options;
    const { ms, requestedMs } = receiverPause({ failuresBefore: this.#failures, retryAfterMs, random });
    this.#failures++;
    if (this.#failing.record() !== undefined) {
      const fields = { output, failures: this.#failures, retry_in_ms: Math.round(ms) };
      log.warn(fields, `cannot deliver events, retrying: ${message}`);
    }
    return { ms, isRequested: requestedMs !== undefined };
  }
}
