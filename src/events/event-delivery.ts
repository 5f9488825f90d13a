import type { Logger } from "pino";
import { attempt, type DeliveryFailure, DeliveryLoop, type Pass, type Pause } from "../delivery/delivery-loop.ts";
import type { Clock } from "../lib/clock.ts";
import type { EventSink } from "./event.ts";
import type { QueuedEvent } from "./event-queue.ts";

export interface EventDeliveryOptions {
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

/** Delivers events to one output, in order and in batches. */
export class EventDelivery extends DeliveryLoop {
  readonly #options: EventDeliveryOptions;

  constructor(options: EventDeliveryOptions) {
    super(options);
    this.#options = options;
  }

  /** One more attempt within `graceMs`, then closes the sink. Never rejects. */
  async end(graceMs: number): Promise<void> {
    await this.finish(graceMs, "attempt");
    await this.#options.sink.close();
  }

  protected override hasWork(): boolean {
    return this.#options.next().length > 0;
  }

  protected override async deliverNext(cutOff: AbortSignal): Promise<Pass> {
    const { next, sink, onSettled, log, output } = this.#options;
    const batch = next();
    if (batch.length === 0) return { kind: "idle" };
    const events = batch.map(({ event }) => event);
    const outcome = await attempt((signal) => sink.send(events, signal), cutOff);
    if (outcome.kind === "failed") return outcome;
    const settled = outcome.kind === "retry" ? outcome.settled : batch.length;
    const { rejected, message } = outcome;
    if (settled > 0) {
      await onSettled(batch.slice(0, settled), rejected);
      this.backoff.accepted();
    }
    if (rejected > 0) log.warn({ output, events: rejected }, `the output rejected events permanently: ${message}`);
    if (outcome.kind === "retry") return { kind: "failed", retryAfterMs: outcome.retryAfterMs, message };
    if (this.backoff.recovered() > 0) log.info({ output }, "events can be delivered again");
    return { kind: "done" };
  }

  protected override recordFailure({ message }: DeliveryFailure, { ms, failures, isNews }: Pause): void {
    const { log, output, onFailed } = this.#options;
    onFailed();
    if (!isNews) return;
    const fields = { output, failures, retry_in_ms: Math.round(ms) };
    log.warn(fields, `cannot deliver events, retrying: ${message}`);
  }
}
