import type { Clock } from "../../../src/lib/clock.ts";
import type {
  DeliveryControl,
  DeliveryOutcome,
  MeasurementRow,
  MeasurementSink,
  SettledRows,
} from "../../../src/measurements/measurement.ts";

export interface ReceivedRow extends MeasurementRow {
  /** Arrival, wall clock. */
  readonly receivedAt: number;
  /** Permanently. */
  readonly refused: boolean;
}

/** Reaction to the next requests. */
export type SinkBehaviour = "accepts" | "refuses" | "refuses in part" | "is down";

/** Receiver in memory. Rows arrive before the answer, as over a slow connection. */
export class MemorySink implements MeasurementSink {
  readonly received: ReceivedRow[] = [];
  readonly batches: number[] = [];
  behaviour: SinkBehaviour = "accepts";
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
    if (this.behaviour === "is down") return undefined;
    const { behaviour } = this;
    if (behaviour !== "accepts") this.behaviour = "accepts";
    const receivedAt = this.#clock.now();
    this.batches.push(rows.length);
    for (const [index, row] of rows.entries()) {
      const refused = behaviour === "refuses" || (behaviour === "refuses in part" && index === 0);
      this.received.push({ ...row, receivedAt, refused });
    }
    const rejected = behaviour === "refuses" ? rows : behaviour === "refuses in part" ? rows.slice(0, 1) : [];
    return { rows, rejectedPoints: rejected.reduce((sum, { values }) => sum + values.length, 0), message: "" };
  }
}
