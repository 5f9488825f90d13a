import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import {
  type Coverage,
  coverageOf,
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
  readonly outbox: Outbox;
  readonly watermarks: Watermarks;
  readonly maxBatchPoints: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly observer: SyncRecorder;
}

/** Delivers the measurements of one server to a receiver, and remembers what arrived. */
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
      onSettled: (rows) => {
        for (const row of rows) if (row.resolution !== "repeated") watermarks.move(row.sensorId, coverageOf(row));
        this.#saver.notify();
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  notify(): void {
    this.#loop.notify();
  }

  saveWatermarks(): void {
    this.#saver.notify();
  }

  /**
   * Time of the staleness marker of a sensor: just after the last sent measurement, so that later measurements follow
   * it. Milliseconds since the epoch, server's clock. `undefined` if nothing was sent.
   */
  endOf(sensorId: string): number | undefined {
    const covered = this.coveredOf(sensorId);
    const repeatedAt = this.watermarks.repeatedAt(sensorId);
    // The next average may begin right after the last millisecond of this one.
    const measured = covered && covered.until + (covered.isAverage ? 0 : 1);
    return latest(measured, repeatedAt === undefined ? undefined : repeatedAt + 1);
  }

  /** The end of queued and acknowledged measurements, without repeats. */
  coveredOf(sensorId: string): Coverage | undefined {
    const newest = this.outbox.newestOf(sensorId);
    return newest === undefined ? this.watermarks.get(sensorId) : coverageOf(newest);
  }

  /** Queues the last values once more. Does nothing if the sensor has queued rows, or if there is little room. */
  repeat(sensorId: string, at: number, values: MeasurementRow["values"]): void {
    const { outbox, watermarks } = this;
    if (outbox.has(sensorId) || outbox.isCrowded) return;
    if (outbox.offer({ sensorId, at, resolution: "repeated", values }) === "taken") watermarks.repeat(sensorId, at);
  }

  /** Queued values by resolution. Leaves out empty resolutions. */
  pending(): ReadonlyMap<Resolution, Pending> {
    return this.outbox.pending();
  }

  /** Delivers the queue within `graceMs`, writes the watermarks, and ends. Call after polling. Never rejects. */
  async flush(graceMs: number): Promise<void> {
    await this.#loop.flush(graceMs);
    await this.#saver.end();
  }

  /**
   * Ends, so that another delivery can continue with the outbox and watermarks. The batch under way has `graceMs`.
   * Never rejects.
   */
  async handOver(graceMs: number): Promise<void> {
    await this.#loop.end(graceMs);
    await this.#saver.end();
  }
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
