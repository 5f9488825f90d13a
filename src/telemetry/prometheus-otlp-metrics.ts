import type { ExporterMetrics } from "./exporter-metrics.ts";
import { RESOLUTIONS } from "./prometheus-sync-metrics.ts";

/** What requests carry. */
const STREAMS = [...RESOLUTIONS, "state"] as const;

/**
 * Writes what the OTLP exporter reports into the exporter's own metrics. Points of measurements are counted where the
 * server is known (PrometheusSyncMetrics); here those of the current state.
 */
export class PrometheusOtlpMetrics {
  readonly #metrics: ExporterMetrics;

  constructor(metrics: ExporterMetrics) {
    this.#metrics = metrics;
    for (const outcome of ["delivered", "rejected"]) metrics.otlpStatePoints.inc({ outcome }, 0);
    for (const stream of STREAMS) {
      metrics.otlpFailedRequests.inc({ stream }, 0);
      metrics.otlpRefusedRequests.inc({ stream }, 0);
      metrics.otlpSkippedPoints.inc({ stream }, 0);
    }
  }

  delivered(stream: string, points: number): void {
    if (stream === "state") this.#metrics.otlpStatePoints.inc({ outcome: "delivered" }, points);
  }

  rejected(stream: string, points: number): void {
    if (stream === "state") this.#metrics.otlpStatePoints.inc({ outcome: "rejected" }, points);
  }

  requestRefused(stream: string): void {
    this.#metrics.otlpRefusedRequests.inc({ stream });
  }

  attemptFailed(stream: string): void {
    this.#metrics.otlpFailedRequests.inc({ stream });
  }

  skipped(stream: string, points: number): void {
    this.#metrics.otlpSkippedPoints.inc({ stream }, points);
  }
}
