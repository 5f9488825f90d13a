import type { DecodeProblem } from "../prtg/decode-problems.ts";
import type { ExporterMetrics } from "./exporter-metrics.ts";
import { EXPORTER_METRICS, RESOLUTIONS, type SYNC_CHANGES, type SYNC_RESULTS } from "./metric-declarations.ts";
import { currentRun, type FinishedRequest } from "./run-trace.ts";

export interface FinishedRun {
  readonly success: boolean;
  readonly complete: boolean;
  readonly durationSeconds: number;
  /** Unix time of the end, seconds. */
  readonly finishedAt: number;
}

export type ServerRecorder = ReturnType<typeof serverRecorder>;
export type CollectorRecorder = ReturnType<typeof collectorRecorder>;
export type MeasurementRecorder = ReturnType<typeof measurementRecorder>;
export type EventRecorder = ReturnType<typeof eventRecorder>;
export type SyncRecorder = ReturnType<typeof syncRecorder>;
export type OtlpRecorder = ReturnType<typeof otlpRecorder>;

const OF_SERVER = { ...EXPORTER_METRICS.server, ...EXPORTER_METRICS.objects };

export function serverRecorder(metrics: ExporterMetrics, server: string) {
  const own = metrics.recorder(OF_SERVER, { server });
  const { endpoints } = metrics;
  const begun = new Set<string>();
  const begin = (endpoint: string): void => {
    if (begun.has(endpoint)) return;
    begun.add(endpoint);
    metrics.start(EXPORTER_METRICS.server, "endpoint", { server }, endpoint);
  };
  return {
    ...own,
    /** Starts the counters of these endpoints at 0. Lists are endpoints too. */
    expect(endpoints: readonly string[], lists: readonly string[]): void {
      for (const endpoint of endpoints) begin(endpoint);
      for (const endpoint of lists) metrics.start(EXPORTER_METRICS.server, "list", { server }, endpoint);
    },
    requestStarted(endpoint: string): void {
      begin(endpoint);
      own.inFlight(1);
    },
    requestFinished(request: FinishedRequest): void {
      const { endpoint, code, durationMs, bytes } = request;
      currentRun()?.addRequest(request);
      own.inFlight(-1);
      own.requests({ endpoint, code });
      own.requestDuration({ endpoint }, durationMs / 1_000);
      endpoints.requests({ endpoint, code });
      endpoints.requestDuration({ endpoint }, durationMs / 1_000);
      own.responseBytes({ endpoint }, bytes);
    },
    decodeProblem(problem: DecodeProblem, count: number): void {
      own.decodeProblem({ problem }, count);
      currentRun()?.addProblem(problem, count);
    },
    collector: (name: string) => collectorRecorder(metrics, server, name),
    forgetCollector: (name: string): Promise<void> => metrics.forget({ server, collector: name }),
    forget: (): Promise<void> => metrics.forget({ server }),
  };
}

function collectorRecorder(metrics: ExporterMetrics, server: string, collector: string) {
  const own = metrics.recorder(EXPORTER_METRICS.collector, { server, collector });
  return {
    ...own,
    finished(run: FinishedRun): void {
      own.success(run.success);
      own.complete(run.complete);
      own.duration(run.durationSeconds);
      if (run.success) own.lastSuccess(run.finishedAt);
    },
  };
}

/** `oldestAt`: milliseconds since the epoch. */
export type PendingByResolution = ReadonlyMap<string, { readonly points: number; readonly oldestAt: number }>;

/** @param isPushed There is a receiver. */
export function measurementRecorder(metrics: ExporterMetrics, server: string, isPushed = true) {
  const own = metrics.recorder(EXPORTER_METRICS.measurements, { server }, isPushed);
  return {
    ...own,
    /**
     * Updates the backlog at each scrape. The returned function stops this and sets the backlog to 0. @param now Clock of the server,
     * milliseconds since the epoch.
     */
    followPending(pending: () => PendingByResolution, now: () => number): () => void {
      const unfollow = metrics.followPending(() => {
        const waiting = pending();
        const at = now();
        for (const resolution of RESOLUTIONS) {
          const { points, oldestAt } = waiting.get(resolution) ?? { points: 0, oldestAt: at };
          own.pending({ resolution }, points);
          own.oldestPending({ resolution }, Math.max(0, at - oldestAt) / 1_000);
        }
      });
      return () => {
        unfollow();
        for (const resolution of RESOLUTIONS) {
          own.pending({ resolution }, 0);
          own.oldestPending({ resolution }, 0);
        }
      };
    },
  };
}

export function eventRecorder(metrics: ExporterMetrics, server: string) {
  return metrics.recorder(EXPORTER_METRICS.events, { server });
}

export function syncRecorder(metrics: ExporterMetrics) {
  const own = metrics.recorder(EXPORTER_METRICS.sync);
  return {
    ...own,
    changed(kind: (typeof SYNC_CHANGES)[number], result: (typeof SYNC_RESULTS)[number]): void {
      own.changes({ kind, result });
    },
  };
}

/** `measurementRecorder` counts the points of measurements, by server. */
export function otlpRecorder(metrics: ExporterMetrics) {
  const own = metrics.recorder(EXPORTER_METRICS.otlp);
  return {
    ...own,
    delivered(stream: string, points: number): void {
      if (stream === "state") own.statePoints({ outcome: "delivered" }, points);
    },
    /** Permanent rejections. */
    rejected(stream: string, points: number): void {
      if (stream === "state") own.statePoints({ outcome: "rejected" }, points);
    },
  };
}
