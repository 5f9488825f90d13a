import type { ExporterMetrics } from "./exporter-metrics.ts";
import { OWN_METRICS, RESOLUTIONS } from "./own-metrics.ts";

export interface FinishedRequest {
  /** A template without ids, such as `/experimental/channels`. */
  readonly endpoint: string;
  /** HTTP status, or the kind of failure where none came. */
  readonly code: string;
  /** From sending the request to the last byte; waiting for the budget is not included. */
  readonly durationMs: number;
  /** Bytes of the body that arrived. */
  readonly bytes: number;
}

export interface FinishedRun {
  readonly success: boolean;
  readonly complete: boolean;
  readonly durationSeconds: number;
  /** Unix time of the end, seconds. */
  readonly finishedAt: number;
}

/** What is recorded of one PRTG server: requests to it, its answers, its collectors. */
export type ServerRecorder = ReturnType<typeof serverRecorder>;
export type CollectorRecorder = ReturnType<typeof collectorRecorder>;
export type SyncRecorder = ReturnType<typeof syncRecorder>;
export type EventRecorder = ReturnType<typeof eventRecorder>;
export type OtlpRecorder = ReturnType<typeof otlpRecorder>;

/** What is told of a server as a whole. */
const OF_SERVER = { ...OWN_METRICS.server, ...OWN_METRICS.objects };

export function serverRecorder(metrics: ExporterMetrics, server: string) {
  const own = metrics.recorder(OF_SERVER, { server });
  const { endpoints } = metrics;
  const begun = new Set<string>();
  /** Codes are not known beforehand, and each would be a series for each endpoint of each server. */
  const begin = (endpoint: string): void => {
    if (begun.has(endpoint)) return;
    begun.add(endpoint);
    metrics.start(OWN_METRICS.server, "endpoint", { server }, endpoint);
  };
  return {
    ...own,
    /** Has the counters of these endpoints begin at 0; lists are among the endpoints. */
    expect(endpoints: readonly string[], lists: readonly string[]): void {
      for (const endpoint of endpoints) begin(endpoint);
      for (const endpoint of lists) metrics.start(OWN_METRICS.server, "list", { server }, endpoint);
    },
    requestStarted(endpoint: string): void {
      begin(endpoint);
      own.inFlight(1);
    },
    requestFinished({ endpoint, code, durationMs, bytes }: FinishedRequest): void {
      own.inFlight(-1);
      own.requests(endpoint, code);
      own.requestDuration(endpoint, durationMs / 1_000);
      endpoints.requests(endpoint, code);
      endpoints.requestDuration(endpoint, durationMs / 1_000);
      own.responseBytes(endpoint, bytes);
    },
    collector: (name: string) => collectorRecorder(metrics, server, name),
    /** The collector does not run any more: nothing is left of it. */
    collectorGone: (name: string): Promise<void> => metrics.forget({ server, collector: name }),
    /** The server is read no more: nothing is left of it. */
    gone: (): Promise<void> => metrics.forget({ server }),
  };
}

function collectorRecorder(metrics: ExporterMetrics, server: string, collector: string) {
  const own = metrics.recorder(OWN_METRICS.collector, { server, collector });
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

/** What waits to be delivered, by resolution. */
export type PendingByResolution = ReadonlyMap<string, { readonly points: number; readonly oldestAt: number }>;

/** Records the measurements of one server on their way to the receiver. Without one (`isPushed`) there is nothing to tell. */
export function syncRecorder(metrics: ExporterMetrics, server: string, isPushed = true) {
  const own = metrics.recorder(OWN_METRICS.sync, { server }, isPushed);
  return {
    ...own,
    /**
     * Shows what `pending` tells whenever the metrics are read, until what is returned is called: nothing waits from then on.
     * @param now The server's clock, milliseconds since the epoch: its measurements bear times of that.
     */
    followPending(pending: () => PendingByResolution, now: () => number): () => void {
      const unfollow = metrics.followPending(() => {
        const waiting = pending();
        for (const resolution of RESOLUTIONS) {
          const { points, oldestAt } = waiting.get(resolution) ?? { points: 0, oldestAt: now() };
          own.pending(resolution, points);
          own.oldestPending(resolution, Math.max(0, now() - oldestAt) / 1_000);
        }
      });
      return () => {
        unfollow();
        for (const resolution of RESOLUTIONS) {
          own.pending(resolution, 0);
          own.oldestPending(resolution, 0);
        }
      };
    },
  };
}

/** Records the events of one server on their way to the outputs. */
export function eventRecorder(metrics: ExporterMetrics, server: string) {
  return metrics.recorder(OWN_METRICS.events, { server });
}

/** Records the requests to the OTLP receiver. Points of measurements are counted where the server is known (syncRecorder). */
export function otlpRecorder(metrics: ExporterMetrics) {
  const own = metrics.recorder(OWN_METRICS.otlp);
  return {
    ...own,
    /** The receiver has the points. */
    delivered(stream: string, points: number): void {
      if (stream === "state") own.statePoints("delivered", points);
    },
    /** The receiver refused the points for good, one by one or with their whole request. */
    rejected(stream: string, points: number): void {
      if (stream === "state") own.statePoints("rejected", points);
    },
  };
}
