import type { ExporterMetrics } from "./exporter-metrics.ts";

/** What waits to be delivered, by resolution. */
export type PendingByResolution = ReadonlyMap<string, { readonly points: number; readonly oldestAt: number }>;

/** Of measurements. */
export const RESOLUTIONS = ["live", "short", "medium", "long"] as const;

/** Writes what the sync of one server reports into the exporter's own metrics. */
export class PrometheusSyncMetrics {
  readonly #metrics: ExporterMetrics;
  readonly #server: string;

  constructor(metrics: ExporterMetrics, server: string) {
    this.#metrics = metrics;
    this.#server = server;
    for (const resolution of RESOLUTIONS) {
      metrics.syncDelivered.inc({ server, resolution }, 0);
      metrics.syncRejected.inc({ server, resolution }, 0);
    }
    metrics.syncFailedDeliveries.inc({ server }, 0);
    metrics.syncDropped.inc({ server }, 0);
    metrics.syncWatermarkFailures.inc({ server }, 0);
  }

  /**
   * Shows what `pending` tells whenever the metrics are read, until what is returned is called.
   * @param now The server's clock, milliseconds since the epoch: its measurements bear times of that.
   */
  followPending(pending: () => PendingByResolution, now: () => number): () => void {
    return this.#metrics.followPending(() => {
      const waiting = pending();
      for (const resolution of RESOLUTIONS) {
        const labels = { server: this.#server, resolution };
        const { points, oldestAt } = waiting.get(resolution) ?? { points: 0, oldestAt: now() };
        this.#metrics.syncPending.set(labels, points);
        this.#metrics.syncOldestPending.set(labels, Math.max(0, now() - oldestAt) / 1_000);
      }
    });
  }

  delivered(resolution: string, points: number): void {
    this.#metrics.syncDelivered.inc({ server: this.#server, resolution }, points);
  }

  rejected(resolution: string, points: number): void {
    this.#metrics.syncRejected.inc({ server: this.#server, resolution }, points);
  }

  deliveryFailed(): void {
    this.#metrics.syncFailedDeliveries.inc({ server: this.#server });
  }

  dropped(points: number): void {
    this.#metrics.syncDropped.inc({ server: this.#server }, points);
  }

  watermarksSaved(worked: boolean): void {
    if (!worked) this.#metrics.syncWatermarkFailures.inc({ server: this.#server });
  }
}
