import type { CollectorStatus } from "../../collectors/collector-runner.ts";
import type { CollectorReport, EndpointReport, Measurements, ServerDetails } from "../../http/pages/status/report.ts";
import { EXPORTER_METRICS } from "../../telemetry/metric-declarations.ts";
import type { MetricSamples } from "./metric-samples.ts";
import { instantOrNull } from "./report-values.ts";
import type { StatusSources } from "./sources.ts";

const WORKED = /^2\d\d$/;

const { server: api, objects, sync } = EXPORTER_METRICS;

/** Metrics that `serverDetails` needs. */
export const DETAIL_FAMILIES = [
  api.breakerChanged,
  api.inFlight,
  api.requests,
  api.clockOffset,
  api.requestDuration,
  api.retried,
  api.responseBytes,
  objects.decodeProblem,
  objects.waitingChannels,
  objects.orphans,
];
/** Metrics that `measurementsReport` needs. */
export const MEASUREMENT_FAMILIES = [
  sync.delivered,
  sync.rejected,
  sync.pending,
  sync.oldestPending,
  sync.deliveryFailed,
  sync.dropped,
];

/** Details of one server, beside its entry in the list. @param measurements Null if push is disabled. */
export function serverDetails(
  { clock }: Pick<StatusSources, "clock">,
  server: string,
  collectors: readonly CollectorStatus[],
  samples: MetricSamples,
  measurements: Measurements | null,
): ServerDetails {
  const of = { server };
  const now = clock.now();
  return {
    collectors: collectors.map((collector) => collectorReport(collector, now)),
    api: {
      breaker_open: samples.sum(api.breakerChanged, of) > 0,
      in_flight: samples.sum(api.inFlight, of),
      requests: samples.sum(api.requests, of),
      failures: failures(samples, of),
      clock_offset_seconds: samples.sum(api.clockOffset, of),
      endpoints: [...samples.by("endpoint", api.requests, of).keys()].map((endpoint) =>
        endpointReport(samples, endpoint, endpoint === "" ? of : { server, endpoint }),
      ),
    },
    problems: {
      decode: Object.fromEntries(samples.by("problem", objects.decodeProblem, of)),
      waiting_channels: samples.sum(objects.waitingChannels, of),
      orphans: samples.sum(objects.orphans, of),
    },
    measurements,
  };
}

export function measurementsReport(samples: MetricSamples, of: Readonly<Record<string, string>> = {}): Measurements {
  return {
    delivered: samples.sum(sync.delivered, of),
    rejected: samples.sum(sync.rejected, of),
    pending: samples.sum(sync.pending, of),
    oldest_pending_seconds: samples.most(sync.oldestPending, of),
    failed_deliveries: samples.sum(sync.deliveryFailed, of),
    dropped: samples.sum(sync.dropped, of),
  };
}

function collectorReport(collector: CollectorStatus, now: number): CollectorReport {
  const { name, state, lastSuccessAt, lastDurationMs, nextRunAt, complete, failedRuns, skippedRuns, error } = collector;
  return {
    name,
    state,
    last_success_at: instantOrNull(lastSuccessAt),
    age_seconds: lastSuccessAt === undefined ? null : Math.max(0, now - lastSuccessAt) / 1_000,
    last_duration_seconds: lastDurationMs === undefined ? null : lastDurationMs / 1_000,
    next_run_at: instantOrNull(nextRunAt),
    complete: complete ?? null,
    failed_runs: failedRuns,
    skipped_runs: skippedRuns,
    error: error ?? null,
  };
}

/** @param endpoint Empty if the metrics do not have this label. */
function endpointReport(
  samples: MetricSamples,
  endpoint: string,
  of: Readonly<Record<string, string>>,
): EndpointReport {
  const latency = samples.distribution(api.requestDuration, of);
  return {
    endpoint: endpoint || "all",
    requests: samples.sum(api.requests, of),
    failures: failures(samples, of),
    retries: samples.sum(api.retried, of),
    mean_seconds: latency?.mean ?? null,
    p95_seconds: latency !== undefined && Number.isFinite(latency.p95) ? latency.p95 : null,
    received_bytes: samples.sum(api.responseBytes, of),
  };
}

function failures(samples: MetricSamples, of: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries([...samples.by("code", api.requests, of)].filter(([code]) => !WORKED.test(code)));
}
