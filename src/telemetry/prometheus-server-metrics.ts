import { PREFERRED_ENDPOINTS, PREFERRED_LISTS } from "../prtg/endpoints.ts";
import type { ApiObserver, FinishedRequest } from "../prtg/observer.ts";
import type { ExporterMetrics } from "./exporter-metrics.ts";
import {
  type CollectorMetrics,
  DECODE_PROBLEMS,
  type DecodeProblem,
  type FinishedRun,
  type ServerMetrics,
  type UnmappedReason,
} from "./server-metrics.ts";

/** Writes what one server's client and collectors report into the exporter's own metrics. */
export class PrometheusServerMetrics implements ServerMetrics, ApiObserver {
  readonly #metrics: ExporterMetrics;
  readonly #server: string;
  /** Endpoints whose counters have begun. */
  readonly #begun = new Set<string>();

  constructor(metrics: ExporterMetrics, server: string) {
    this.#metrics = metrics;
    this.#server = server;
    // A series that says 0 from the start is what alerts and `rate` need.
    metrics.up.set({ server }, 0);
    metrics.apiBreakerOpen.set({ server }, 0);
    metrics.apiUnverified.set({ server }, 0);
    metrics.apiInFlight.set({ server }, 0);
    metrics.waitingChannels.set({ server }, 0);
    metrics.orphans.set({ server }, 0);
    for (const problem of DECODE_PROBLEMS) metrics.decodeProblems.inc({ server, problem }, 0);
    for (const endpoint of PREFERRED_ENDPOINTS) this.#begin(endpoint);
    for (const endpoint of PREFERRED_LISTS) metrics.apiListsMoved.inc({ server, endpoint }, 0);
  }

  up(working: boolean): void {
    this.#metrics.up.set({ server: this.#server }, working ? 1 : 0);
  }

  collector(name: string): CollectorMetrics {
    const metrics = this.#metrics;
    const labels = { server: this.#server, collector: name };
    metrics.collectorEnabled.set(labels, 1);
    metrics.collectorSkippedRuns.inc(labels, 0);
    return {
      enabled: (enabled) => metrics.collectorEnabled.set(labels, enabled ? 1 : 0),
      skipped: () => metrics.collectorSkippedRuns.inc(labels),
      finished: (run: FinishedRun) => {
        metrics.collectorSuccess.set(labels, run.success ? 1 : 0);
        metrics.collectorComplete.set(labels, run.complete ? 1 : 0);
        metrics.collectorDuration.set(labels, run.durationSeconds);
        if (run.success) metrics.collectorLastSuccess.set(labels, run.finishedAt);
      },
    };
  }

  /** It does not run any more: nothing is left of it. */
  collectorGone(name: string): Promise<void> {
    return this.#metrics.forget({ server: this.#server, collector: name });
  }

  /** The server is read no more: nothing is left of it. */
  gone(): Promise<void> {
    return this.#metrics.forget({ server: this.#server });
  }

  waitingChannels(count: number): void {
    this.#metrics.waitingChannels.set({ server: this.#server }, count);
  }

  unmappedChannels(reason: UnmappedReason, count: number): void {
    this.#metrics.unmappedChannels.set({ server: this.#server, reason }, count);
  }

  orphans(count: number): void {
    this.#metrics.orphans.set({ server: this.#server }, count);
  }

  clockOffset(seconds: number): void {
    this.#metrics.clockOffset.set({ server: this.#server }, seconds);
  }

  decodeProblem(problem: DecodeProblem, count: number): void {
    this.#metrics.decodeProblems.inc({ server: this.#server, problem }, count);
  }

  requestStarted(endpoint: string): void {
    this.#begin(endpoint);
    this.#metrics.apiInFlight.inc({ server: this.#server });
  }

  requestFinished({ endpoint, code, durationMs, bytes }: FinishedRequest): void {
    const labels = { server: this.#server, endpoint };
    this.#metrics.apiInFlight.dec({ server: this.#server });
    this.#metrics.apiRequests.inc({ ...labels, code });
    this.#metrics.apiRequestDuration.observe(labels, durationMs / 1_000);
    this.#metrics.apiResponseBytes.inc(labels, bytes);
  }

  /** Codes are not known beforehand, and each would be a series for each endpoint of each server. */
  #begin(endpoint: string): void {
    if (this.#begun.has(endpoint)) return;
    this.#begun.add(endpoint);
    const labels = { server: this.#server, endpoint };
    this.#metrics.apiRetries.inc(labels, 0);
    this.#metrics.apiResponseBytes.inc(labels, 0);
  }

  retried(endpoint: string): void {
    this.#metrics.apiRetries.inc({ server: this.#server, endpoint });
  }

  breakerChanged(open: boolean): void {
    this.#metrics.apiBreakerOpen.set({ server: this.#server }, open ? 1 : 0);
  }

  /** Whether any certificate is accepted. */
  unverified(unverified: boolean): void {
    this.#metrics.apiUnverified.set({ server: this.#server }, unverified ? 1 : 0);
  }

  listMoved(endpoint: string): void {
    this.#metrics.apiListsMoved.inc({ server: this.#server, endpoint });
  }

  totalMismatch(endpoint: string, difference: number): void {
    this.#metrics.apiTotalMismatch.set({ server: this.#server, endpoint }, difference);
  }
}
