import type { CollectorStatus } from "../../collectors/scheduler.ts";
import type { ServerStatus } from "../../collectors/server-monitor.ts";
import type { CollectorReport, EndpointReport, ServerReport, StatusReport } from "../../http/pages/status/report.ts";
import type { TimeSlices } from "../../lib/yielding.ts";
import { EXPORTER_FAMILIES, TREE_FAMILIES } from "../../mapping/metric-table.ts";
import type { Outline } from "../../model/outline.ts";
import { ROOT_ID } from "../../model/tree.ts";
import type { ReceiverAddress } from "../otlp-push.ts";
import { OwnMetrics } from "../own-metrics.ts";
import type { StatusSources } from "./status-sources.ts";

const WORKED = /^2\d\d$/;

/** The facts of the status page; `outlines` by server. */
export async function statusReport(
  sources: StatusSources,
  outlines: ReadonlyMap<string, Outline>,
  slices: TimeSlices,
): Promise<StatusReport> {
  const { build, clock, metrics, monitors, config, receiver, isReady } = sources;
  const own = await OwnMetrics.read(metrics.registry, slices);
  const versions = versionsOf(sources);
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
      version: versions.get(server) ?? null,
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
      last_reload_successful: own.sum(EXPORTER_FAMILIES.configReloadSuccessful) === 1,
      loaded_at: instant(own.sum(EXPORTER_FAMILIES.configReloadTime) * 1_000),
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
  readonly version: string | null;
}

function serverReport(
  sources: StatusSources,
  { status, outline, url, version }: SeenServer,
  own: OwnMetrics,
): ServerReport {
  const { server, up, objects, channels, collectors } = status;
  const of = { server };
  const now = sources.clock.now();
  return {
    name: server,
    url,
    up,
    version,
    objects: { ...objects, channel: channels },
    sensors_by_status: Object.fromEntries(outline?.sensorsBelow(ROOT_ID) ?? []),
    collectors: collectors.map((collector) => collectorReport(collector, now)),
    api: {
      breaker_open: own.sum(EXPORTER_FAMILIES.apiBreakerOpen, of) > 0,
      in_flight: own.sum(EXPORTER_FAMILIES.apiInFlight, of),
      requests: own.sum(EXPORTER_FAMILIES.apiRequests, of),
      failures: failures(own, of),
      clock_offset_seconds: own.sum(EXPORTER_FAMILIES.clockOffset, of),
      endpoints: [...own.by("endpoint", EXPORTER_FAMILIES.apiRequests, of).keys()].map((endpoint) =>
        endpointReport(own, { server, endpoint }),
      ),
    },
    problems: {
      decode: Object.fromEntries(own.by("problem", EXPORTER_FAMILIES.decodeProblems, of)),
      waiting_channels: own.sum(EXPORTER_FAMILIES.waitingChannels, of),
      orphans: own.sum(EXPORTER_FAMILIES.orphans, of),
    },
    measurements:
      sources.receiver === undefined
        ? null
        : {
            delivered: own.sum(EXPORTER_FAMILIES.syncDelivered, of),
            rejected: own.sum(EXPORTER_FAMILIES.syncRejected, of),
            pending: own.sum(EXPORTER_FAMILIES.syncPending, of),
            oldest_pending_seconds: own.most(EXPORTER_FAMILIES.syncOldestPending, of),
            failed_deliveries: own.sum(EXPORTER_FAMILIES.syncFailedDeliveries, of),
            dropped: own.sum(EXPORTER_FAMILIES.syncDropped, of),
          },
  };
}

/** By server, as `prtg_server_info` shows them. */
function versionsOf({ store }: StatusSources): ReadonlyMap<string, string> {
  const table = store.table(TREE_FAMILIES.serverInfo);
  const versions = new Map<string, string>();
  for (let slot = 0; slot < table.slots; slot++) {
    const [name = "", version] = table.labels(slot);
    if (table.isPresent(slot) && version !== undefined && !versions.has(name)) versions.set(name, version);
  }
  return versions;
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

function endpointReport(own: OwnMetrics, of: { readonly server: string; readonly endpoint: string }): EndpointReport {
  const latency = own.distribution(EXPORTER_FAMILIES.apiRequestDuration, of);
  return {
    endpoint: of.endpoint,
    requests: own.sum(EXPORTER_FAMILIES.apiRequests, of),
    failures: failures(own, of),
    retries: own.sum(EXPORTER_FAMILIES.apiRetries, of),
    mean_seconds: latency?.mean ?? null,
    p95_seconds: latency !== undefined && Number.isFinite(latency.p95) ? latency.p95 : null,
    received_bytes: own.sum(EXPORTER_FAMILIES.apiResponseBytes, of),
  };
}

function failures(own: OwnMetrics, of: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(
    [...own.by("code", EXPORTER_FAMILIES.apiRequests, of)].filter(([code]) => !WORKED.test(code)),
  );
}

function metricsReport({ store }: StatusSources, own: OwnMetrics): StatusReport["metrics"] {
  const tables = [...store.tables].filter(({ size }) => size > 0);
  const seconds = own.by("format", EXPORTER_FAMILIES.renderDuration);
  return {
    series: tables.reduce((sum, { size }) => sum + size, 0),
    families: tables
      .map(({ family, size }) => ({ family: family.name, series: size }))
      .sort((a, b) => b.series - a.series),
    pages: own.samples(EXPORTER_FAMILIES.expositionBytes).map(({ labels, value }) => ({
      format: labels.format ?? "",
      encoding: labels.encoding ?? "",
      bytes: value,
      render_seconds: seconds.get(labels.format ?? "") ?? null,
    })),
    scrapes: Object.fromEntries([...own.by("format", EXPORTER_FAMILIES.scrapes)].filter(([, count]) => count > 0)),
  };
}

function otlpReport({ url, protocol }: ReceiverAddress, own: OwnMetrics): NonNullable<StatusReport["otlp"]> {
  const points = own.by("outcome", EXPORTER_FAMILIES.otlpStatePoints);
  return {
    endpoint: withoutSecrets(url),
    protocol,
    state_points: { delivered: points.get("delivered") ?? 0, rejected: points.get("rejected") ?? 0 },
    failed_requests: own.sum(EXPORTER_FAMILIES.otlpFailedRequests),
    refused_requests: own.sum(EXPORTER_FAMILIES.otlpRefusedRequests),
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
