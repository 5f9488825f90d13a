import { attempt, Backoff, type DeliveryFailure } from "../delivery/delivery-loop.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { onAbort } from "../lib/clock.ts";
import type { ValueSeries } from "../mapping/rules/rule.ts";
import type { DeliveryOptions } from "../measurements/delivery.ts";
import type {
  DeliveryControl,
  DeliveryOutcome,
  MeasurementRow,
  MeasurementSink,
  SettledRows,
} from "../measurements/measurement.ts";
import type { PlannedDevice } from "./plan.ts";

/** A receiver that never answered probably has a wrong address. */
const FIRST_PATIENCE_MS = 30_000;
const PATIENCE_MS = 15 * 60_000;
/** After an interrupt, only the answer shows whether the request arrived. */
const GRACE_MS = 5_000;

export type PushDeliveryOptions = Pick<DeliveryOptions, "sink" | "clock" | "random" | "log">;

/** All rows are settled. The receiver rejected some of their values permanently. */
export type Settled = Pick<SettledRows, "rejectedPoints" | "message">;

/** Waits while the receiver is away. */
export class PushDelivery {
  readonly #options: PushDeliveryOptions;
  #hasAnswered = false;
  #lastAnswer: number;
  readonly #backoff: Backoff;

  constructor(options: PushDeliveryOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options);
    this.#lastAnswer = options.clock.monotonic();
  }

  /**
   * Resolves with the outcome for all rows.
   * @throws ExporterError BACKFILL_RECEIVER_AWAY, or the signal's reason
   */
  async deliver(rows: readonly MeasurementRow[], signal: AbortSignal): Promise<Settled> {
    const { clock } = this.#options;
    const left = new Set(rows);
    let [rejectedPoints, message] = [0, ""];
    const onSettled: DeliveryControl["onSettled"] = (settled) => {
      for (const row of settled.rows) left.delete(row);
      rejectedPoints += settled.rejectedPoints;
      if (settled.message !== "") message = settled.message;
      if (settled.isSkipped !== true) this.#answered();
    };
    for (;;) {
      await this.#awaitTurn(signal);
      const outcome = await this.#attempt([...left], signal, onSettled);
      if (outcome.kind !== "failed") return { rejectedPoints, message };
      signal.throwIfAborted();
      await clock.sleep(this.#waitMs(outcome), signal);
    }
  }

  async #awaitTurn(signal: AbortSignal): Promise<void> {
    const { sink, clock } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const waitMs = sink.takeHistoryTurn?.() ?? 0;
      if (waitMs === 0) return;
      await clock.sleep(waitMs, signal);
    }
  }

  async #attempt(
    rows: readonly MeasurementRow[],
    signal: AbortSignal,
    onSettled: DeliveryControl["onSettled"],
  ): Promise<DeliveryOutcome> {
    const { sink, clock } = this.#options;
    const cutOff = new AbortController();
    let cancel: (() => void) | undefined;
    const forget = onAbort(signal, () => {
      cancel = clock.after(GRACE_MS, () => cutOff.abort());
    });
    const outcome = await attempt((whole) => sink.deliver(rows, { signal: whole, onSettled }), cutOff.signal);
    forget();
    cancel?.();
    return outcome;
  }

  #answered(): void {
    this.#hasAnswered = true;
    this.#lastAnswer = this.#options.clock.monotonic();
    if (this.#backoff.recovered() > 0) this.#options.log.warn("the receiver answers again");
  }

  /** @throws ExporterError BACKFILL_RECEIVER_AWAY */
  #waitMs({ message, retryAfterMs }: DeliveryFailure): number {
    const { clock, log } = this.#options;
    const patience = this.#hasAnswered ? PATIENCE_MS : FIRST_PATIENCE_MS;
    const waited = clock.monotonic() - this.#lastAnswer;
    if (waited > patience) {
      throw new ExporterError("BACKFILL_RECEIVER_AWAY", `the receiver accepts nothing: ${message}`);
    }
    const { ms, isNews } = this.#backoff.failed(retryAfterMs);
    if (isNews) log.warn(`waiting for the receiver: ${message}`);
    // The receiver is there.
    if (retryAfterMs !== undefined) this.#hasAnswered = true;
    return ms;
  }
}

/** `undefined` outside the plan. */
export type DescribeHistory = (sensorId: string, channelId: string) => readonly ValueSeries[] | undefined;

export interface PushedHistory {
  readonly describe: DescribeHistory;
  /** One object per device. `undefined` if unknown. */
  readonly deviceOf: (sensorId: string) => PlannedDevice | undefined;
}

/** Takes history as measurements. */
export interface PushTarget {
  readonly url: string;
  /** Values of one delivery, so that it fits into one request. Rows are not divided. */
  readonly maxPoints: number;
  readonly connect: (history: PushedHistory) => MeasurementSink;
  readonly random: () => number;
}
