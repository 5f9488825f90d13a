import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import {
  coverageEnd,
  isEndOfAverage,
  type MeasurementRow,
  type MeasurementSink,
  type Resolution,
} from "./measurement.ts";
import type { Outbox, Pending } from "./outbox.ts";
import { PushLoop } from "./push-loop.ts";
import { WatermarkSaver } from "./watermark-saver.ts";
import type { Watermarks } from "./watermarks.ts";

export interface DeliveryOptions {
  readonly sink: MeasurementSink;
  /** What waits; the next delivery may go on with it. */
  readonly outbox: Outbox;
  /** Up to when the receiver has everything; the next delivery may go on with them. */
  readonly watermarks: Watermarks;
  /** Values in one call of the sink. */
  readonly maxBatchPoints: number;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Bound to the server. */
  readonly log: Logger;
  readonly observer: SyncRecorder;
}

/** Takes the measurements of one server to a receiver, and remembers which of them it has. */
export class Delivery {
  readonly outbox: Outbox;
  readonly watermarks: Watermarks;
  readonly #loop: PushLoop;
  readonly #saver: WatermarkSaver;

  constructor(options: DeliveryOptions) {
    const { outbox, watermarks } = options;
    this.outbox = outbox;
    this.watermarks = watermarks;
    this.#saver = new WatermarkSaver(options);
    this.#loop = new PushLoop({
      ...options,
      onSettled: ({ rows }) => {
        for (const row of rows) if (row.resolution !== "repeated") watermarks.move(row.sensorId, coverageEnd(row));
        this.#saver.notify();
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Rows were put into the outbox. */
  notify(): void {
    this.#loop.notify();
  }

  /** Watermarks may have moved. */
  watermarksChanged(): void {
    this.#saver.notify();
  }

  /**
   * When a series of the sensor ended for the receiver: just after all that was sent of it, so that whatever is measured later comes
   * after that too. Milliseconds since the epoch, server's clock; undefined where nothing was sent.
   */
  endOf(sensorId: string): number | undefined {
    const last = latest(this.coveredOf(sensorId), this.watermarks.repeatedAt(sensorId));
    // The span of an average ends after its time anyway, and the next one may begin with the next millisecond.
    return last === undefined || isEndOfAverage(last) ? last : last + 1;
  }

  /** As far as what waits and what was acknowledged reach, repeats left out. */
  coveredOf(sensorId: string): number | undefined {
    const newest = this.outbox.newestOf(sensorId);
    return newest === undefined ? this.watermarks.get(sensorId) : coverageEnd(newest);
  }

  /**
   * Queues the last values of a sensor once more. Measurements come first: nothing is queued if one of the sensor waits, or
   * if there is little room.
   */
  repeat(sensorId: string, at: number, values: MeasurementRow["values"]): void {
    const { outbox, watermarks } = this;
    if (outbox.has(sensorId) || outbox.isCrowded) return;
    if (outbox.offer({ sensorId, at, resolution: "repeated", values }) === "taken") watermarks.repeat(sensorId, at);
  }

  /** Values that wait, by resolution; resolutions of which nothing waits are left out. */
  pending(): ReadonlyMap<Resolution, Pending> {
    return this.outbox.pending();
  }

  /** Delivers what waits within `graceMs`, then writes the watermarks, and ends. Call when polling has ended. Never rejects. */
  async flush(graceMs: number): Promise<void> {
    await this.#loop.flush(graceMs);
    await this.#saver.end();
  }

  /**
   * Ends, for another delivery to go on with outbox and watermarks. What is under way has `graceMs` to arrive; the rest
   * stays in the outbox. Never rejects.
   */
  async handOver(graceMs: number): Promise<void> {
    await this.#loop.end(graceMs);
    await this.#saver.end();
  }
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
