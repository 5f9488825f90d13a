import type { Logger } from "pino";
import { attempt } from "../delivery/attempt.ts";
import { Backoff } from "../delivery/backoff.ts";
import type { Clock } from "../lib/clock.ts";
import type { EventSink, SendOutcome } from "./event.ts";
import type { QueuedEvent } from "./event-queue.ts";

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
  readonly #backoff: Backoff;

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options);
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
    const { sink, onSettled, onFailed, log, output } = this.#options;
    const events = batch.map(({ event }) => event);
    const outcome = await attempt<SendOutcome>(
      (signal) => sink.send(events, signal),
      this.#cutOff.signal,
      (message) => ({ kind: "retry", settled: 0, rejected: 0, retryAfterMs: undefined, message }),
    );
    const settled = outcome.kind === "retry" ? outcome.settled : batch.length;
    const { rejected } = outcome;
    if (settled > 0) {
      await onSettled(batch.slice(0, settled), rejected);
      this.#backoff.accepted();
    }
    if (rejected > 0)
      log.warn({ output, events: rejected }, `the output rejected events permanently: ${outcome.message}`);
    if (outcome.kind !== "retry") {
      if (this.#backoff.recovered() > 0) log.info({ output }, "events can be delivered again");
      return undefined;
    }
    // An abort by us is not a failure of the receiver.
    if (!this.#cutOff.signal.aborted) onFailed();
    return this.#recordFailure(outcome);
  }

  #recordFailure({ retryAfterMs, message }: Extract<SendOutcome, { kind: "retry" }>): Pause {
    const { log, output } = this.#options;
    const { ms, requestedMs, failures, isNews } = this.#backoff.failed(retryAfterMs);
    if (isNews) {
      const fields = { output, failures, retry_in_ms: Math.round(ms) };
      log.warn(fields, `cannot deliver events, retrying: ${message}`);
    }
    return { ms, isRequested: requestedMs !== undefined };
  }
}
