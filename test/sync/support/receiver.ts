import type { Clock } from "../../../src/lib/clock.ts";
import type {
  DeliveryControl,
  DeliveryOutcome,
  MeasurementRow,
  MeasurementSink,
  SettledRows,
} from "../../../src/sync/measurement.ts";

export interface ReceivedRow extends MeasurementRow {
  /** Arrival, wall clock. */
  readonly receivedAt: number;
  /** Permanently. */
  readonly refused: boolean;
}

/** Reaction to the next requests. */
export type Mood = "accepts" | "refuses" | "refuses in part" | "is down";

/** Slow connection: rows arrive before the answer. */
export class Receiver implements MeasurementSink {
  readonly received: ReceivedRow[] = [];
  readonly batches: number[] = [];
  mood: Mood = "accepts";
  retryAfterMs: number | undefined;
  readonly #clock: Clock;
  readonly #latencyMs: number;

  constructor(clock: Clock, latencyMs = 100) {
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  async deliver(
    rows: readonly MeasurementRow[],
    { signal, onSettled }: Pick<DeliveryControl, "signal" | "onSettled">,
  ): Promise<DeliveryOutcome> {
    try {
      await this.#clock.sleep(this.#latencyMs / 2, signal);
      const settled = this.#take(rows);
      await this.#clock.sleep(this.#latencyMs / 2, signal);
      if (settled === undefined) return { kind: "failed", retryAfterMs: this.retryAfterMs, message: "it is down" };
      onSettled(settled);
      return { kind: "done" };
    } catch {
      return { kind: "failed", retryAfterMs: undefined, message: "aborted" };
    }
  }

  #take(rows: readonly MeasurementRow[]): SettledRows | undefined {
    if (this.mood === "is down") return undefined;
    const { mood } = this;
    if (mood !== "accepts") this.mood = "accepts";
    const receivedAt = this.#clock.now();
    this.batches.push(rows.length);
    for (const [index, row] of rows.entries()) {
      const refused = mood === "refuses" || (mood === "refuses in part" && index === 0);
      this.received.push({ ...row, receivedAt, refused });
    }
    const rejected = mood === "refuses" ? rows : mood === "refuses in part" ? rows.slice(0, 1) : [];
    return { rows, rejectedPoints: rejected.reduce((sum, { values }) => sum + values.length, 0), message: "" };
  }
}
