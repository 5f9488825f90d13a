import type { CollectorStatus } from "../../collectors/collector-runner.ts";
import type { CollectorReport, EndpointReport, ServerReport, StatusReport } from "../../http/pages/status/report.ts";
import type { TimeSlices } from "../../lib/yielding.ts";
import type { Outline } from "../../model/outline.ts";
import { ROOT_ID } from "../../model/tree.ts";
import { OWN_METRICS } from "../../telemetry/own-metrics.ts";
import type { ServerStatus } from "../monitored-server.ts";
import type { ReceiverAddress } from "../otlp-push.ts";
import { RecordedMetrics } from "../recorded-metrics.ts";
import type { StatusSources } from "./sources.ts";

const WORKED = /^2\d\d$/;

/** The facts of the status page; `outlines` by server. */
export async function statusReport(
  sources: StatusSources,
  outlines: ReadonlyMap<string, Outline>,
  slices: TimeSlices,
): Promise<StatusReport> {
  const { build, clock, metrics, monitors, config, receiver, isReady } = sources;
  const own = await RecordedMetrics.read(metrics, slices);
  const urls = new Map(config.servers.map(({ name, url }) => [name, url]));
  const servers: ServerReport[] = [];
  for (const monitor of monitors.values()) {
    await slices.longStep();
    const status = monitor.status();
    const { server } = status;
    const seen = {
      status,
      outline: outlines.get(server),
      url: withoutSecrets(urls.get(server) ?? ""),
    };
    servers.push(serverReport(sources, seen, own));
  }
  return {
    generated_at: instant(clock.now()),
    ready: isReady(),
    build: { version: build.version, revision: build.revision, node: process.versions.node },
    process: {
      started_at: instant(clock.now() - process.uptime() * 1_000),
      resident_memory_bytes: process.memoryUsage.rss(),
    },
    configuration: {
      last_reload_successful: own.sum(OWN_METRICS.config.reloadSuccessful) === 1,
      loaded_at: instant(own.sum(OWN_METRICS.config.reloadTime) * 1_000),
      shard: config.shard === undefined ? null : `${config.shard.index}/${config.shard.count}`,
    },
    servers,
    metrics: metricsReport(sources, own),
    otlp: receiver === undefined ? null : otlpReport(receiver, own),
  };
}

interface SeenServer {
  readonly status: ServerStatus;
  readonly outline: Outline | undefined;
  readonly url: string;
}

function serverReport(
  sources: StatusSources,
  { status, outline, url }: SeenServer,
  own: RecordedMetrics,
): ServerReport {
  const { server, up, version, objects, channels, collectors } = status;
  const of = { server };
  const now = sources.clock.now();
  return {
    name: server,
    url,
    up,
    version: version ?? null,
    objects: { ...objects, channel: channels },
    sensors_by_status: Object.fromEntries(outline?.sensorsBelow(ROOT_ID) ?? []),
    collectors: collectors.map((collector) => collectorReport(collector, now)),
    api: {
      breaker_open: own.sum(OWN_METRICS.server.breakerChanged, of) > 0,
      in_flight: own.sum(OWN_METRICS.server.inFlight, of),
      requests: own.sum(OWN_METRICS.server.requests, of),
      failures: failures(own, of),
      clock_offset_seconds: own.sum(OWN_METRICS.server.clockOffset, of),
      endpoints: [...own.by("endpoint", OWN_METRICS.server.requests, of).keys()].map((endpoint) =>
        endpointReport(own, { server, endpoint }),
      ),
    },
    problems: {
      decode: Object.fromEntries(own.by("problem", OWN_METRICS.objects.decodeProblem, of)),
      waiting_channels: own.sum(OWN_METRICS.objects.waitingChannels, of),
      orphans: own.sum(OWN_METRICS.objects.orphans, of),
    },
    measurements:
      sources.receiver === undefined
        ? null
        : {
            delivered: own.sum(OWN_METRICS.sync.delivered, of),
            rejected: own.sum(OWN_METRICS.sync.rejected, of),
            pending: own.sum(OWN_METRICS.sync.pending, of),
            oldest_pending_seconds: own.most(OWN_METRICS.sync.oldestPending, of),
            failed_deliveries: own.sum(OWN_METRICS.sync.deliveryFailed, of),
            dropped: own.sum(OWN_METRICS.sync.dropped, of),
          },
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

function endpointReport(
  own: RecordedMetrics,
  of: { readonly server: string; readonly endpoint: string },
): EndpointReport {
  const latency = own.distribution(OWN_METRICS.server.requestDuration, of);
  return {
    endpoint: of.endpoint,
    requests: own.sum(OWN_METRICS.server.requests, of),
    failures: failures(own, of),
    retries: own.sum(OWN_METRICS.server.retried, of),
    mean_seconds: latency?.mean ?? null,
    p95_seconds: latency !== undefined && Number.isFinite(latency.p95) ? latency.p95 : null,
    received_bytes: own.sum(OWN_METRICS.server.responseBytes, of),
  };
}

function failures(own: RecordedMetrics, of: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(
    [...own.by("code", OWN_METRICS.server.requests, of)].filter(([code]) => !WORKED.test(code)),
  );
}

function metricsReport({ store }: StatusSources, own: RecordedMetrics): StatusReport["metrics"] {
  const tables = [...store.tables].filter(({ size }) => size > 0);
  const seconds = own.by("format", OWN_METRICS.exposition.renderDuration);
  return {
    series: tables.reduce((sum, { size }) => sum + size, 0),
    families: tables
      .map(({ family, size }) => ({ family: family.name, series: size }))
      .sort((a, b) => b.series - a.series),
    pages: own.samples(OWN_METRICS.exposition.bytes).map(({ labels, value }) => ({
      format: labels.format ?? "",
      encoding: labels.encoding ?? "",
      bytes: value,
      render_seconds: seconds.get(labels.format ?? "") ?? null,
    })),
    scrapes: Object.fromEntries([...own.by("format", OWN_METRICS.exposition.scraped)].filter(([, count]) => count > 0)),
  };
}

function otlpReport({ url, protocol }: ReceiverAddress, own: RecordedMetrics): NonNullable<StatusReport["otlp"]> {
  const points = own.by("outcome", OWN_METRICS.otlp.statePoints);
  return {
    endpoint: withoutSecrets(url),
    protocol,
    state_points: { delivered: points.get("delivered") ?? 0, rejected: points.get("rejected") ?? 0 },
    failed_requests: own.sum(OWN_METRICS.otlp.attemptFailed),
    refused_requests: own.sum(OWN_METRICS.otlp.requestRefused),
  };
}

/** A URL may carry credentials before the host, and keys behind the path. */
function withoutSecrets(text: string): string {
  const url = URL.parse(text);
  return url === null ? "" : `${url.origin}${url.pathname === "/" ? "" : url.pathname}`;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

export function instantOrNull(ms: number | undefined): string | null {
  return ms === undefined || !Number.isFinite(ms) ? null : instant(ms);
}
