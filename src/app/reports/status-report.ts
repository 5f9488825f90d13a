import type { CollectorStatus } from "../../collectors/collector-runner.ts";
import type { AnyStatusReport, StatusReport, TenantReport } from "../../http/pages/status/report.ts";
import type {
  CollectorReport,
  EndpointReport,
  Measurements,
  ServerDetails,
  ServerReport,
} from "../../http/pages/status/server-report.ts";
import type { StatusQuery } from "../../http/pages/status/source.ts";
import type { Steps, TimeSlices } from "../../lib/yielding.ts";
import { EXPORTER_METRICS } from "../../telemetry/metric-declarations.ts";
import type { ReceiverAddress } from "../otlp-receiver.ts";
import { MetricSamples } from "./metric-samples.ts";
import type { OutlineOf } from "./node-summary.ts";
import { problemsReport } from "./problems-report.ts";
import { instant, instantOrNull, withoutSecrets } from "./report-values.ts";
import { listServers, pageOf, type ServerRow, serverEntry, sumsOf } from "./server-list.ts";
import type { StatusSources } from "./sources.ts";

const { config: reload, server: api, objects, measurements, exposition, extras, otlp: push } = EXPORTER_METRICS;

/** Metrics for the list of servers. */
const LIST_FAMILIES = [api.breakerChanged];
/** Metrics about the exporter itself and for the list of servers. */
const FAMILIES = [
  reload.reloadSuccessful,
  reload.reloadTime,
  api.breakerChanged,
  exposition.bytes,
  exposition.renderDuration,
  exposition.scraped,
  extras.loop,
  extras.heldBack,
];
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
  measurements.delivered,
  measurements.rejected,
  measurements.pending,
  measurements.oldestPending,
  measurements.deliveryFailed,
  measurements.dropped,
];
/** Metrics about the push. */
const PUSH_FAMILIES = [...MEASUREMENT_FAMILIES, push.statePoints, push.attemptFailed, push.requestRefused];

/** `undefined` for an unknown server. Servers that are not on the page need only a few numbers each. */
export async function statusReport(
  sources: StatusSources,
  outlineOf: OutlineOf,
  question: StatusQuery,
  slices: TimeSlices,
): Promise<AnyStatusReport | undefined> {
  const { clock, metrics, receiver, isReady, isRestricted = false } = sources;
  const families = isRestricted ? LIST_FAMILIES : receiver === undefined ? FAMILIES : [...FAMILIES, ...PUSH_FAMILIES];
  const samples = await MetricSamples.read(metrics, { families }, slices);
  const rows = listServers(sources, samples);
  const found = pageOf(rows, question);
  if (found === undefined) return undefined;
  const problems = {
    servers: question.server === undefined ? rows : found.rows,
    isGrouped: question.view === "grouped",
  };
  return {
    generated_at: instant(clock.now()),
    // Other servers must not change the report of a user who does not see them.
    ready: isRestricted ? rows.every(({ state }) => state !== "starting") : isReady,
    ...(!isRestricted && exporterReport(sources, samples)),
    totals: { ...sumsOf(rows), measurements: receiver === undefined ? null : measurementsReport(samples) },
    ...(await problemsReport(sources, outlineOf, problems, slices)),
    page: found.page,
    servers: await serverReports(sources, question, found.rows, samples, slices),
  };
}

type ExporterWide = Pick<StatusReport, Exclude<keyof StatusReport, keyof TenantReport>>;

function exporterReport(sources: StatusSources, samples: MetricSamples): ExporterWide {
  const { build, clock, config, receiver } = sources;
  return {
    build: { version: build.version, revision: build.revision, node: process.versions.node },
    process: {
      started_at: instant(clock.now() - process.uptime() * 1_000),
      resident_memory_bytes: process.memoryUsage.rss(),
      event_loop_utilization: samples.sum(extras.loop),
      extra_held_back: samples.sum(extras.heldBack) === 1,
    },
    configuration: {
      last_reload_successful: samples.sum(reload.reloadSuccessful) === 1,
      loaded_at: instant(samples.sum(reload.reloadTime) * 1_000),
      shard: config.shard === undefined ? null : `${config.shard.index}/${config.shard.count}`,
    },
    leadership: leadershipReport(sources),
    metrics: metricsReport(sources, samples),
    otlp: receiver === undefined ? null : otlpReport(receiver, samples),
  };
}

function leadershipReport({ leadership, config }: StatusSources): StatusReport["leadership"] {
  if (leadership === undefined) return null;
  const { lease, identity, holder } = leadership;
  return { role: config.standbyFor === undefined ? "leader" : "standby", lease, identity, leader: holder ?? null };
}

/** Adds details if the page shows one server, or if there is only one. @param all Metrics of all servers. */
async function serverReports(
  sources: StatusSources,
  question: StatusQuery,
  rows: readonly ServerRow[],
  all: MetricSamples,
  slices: Steps,
): Promise<ServerReport[]> {
  const { config, monitors, metrics, receiver } = sources;
  const urls = new Map(config.servers.map(({ name, url }) => [name, url]));
  const entries = rows.map((server) => serverEntry(server, urls.get(server.name) ?? ""));
  const [entry] = entries;
  const isWhole = question.server !== undefined || monitors.size === 1;
  const monitor = entry && monitors.get(entry.name);
  if (!isWhole || entry === undefined || monitor === undefined) return entries;
  const { name } = entry;
  // Equal to the totals if there is one server.
  const measurements = receiver === undefined ? null : measurementsReport(all, { server: name });
  const samples = await MetricSamples.read(metrics, { families: DETAIL_FAMILIES, server: name }, slices);
  return [{ ...entry, ...serverDetails(sources, name, monitor.status().collectors, samples, measurements) }];
}

function metricsReport({ store }: StatusSources, samples: MetricSamples): StatusReport["metrics"] {
  const tables = [...store.tables].filter(({ size }) => size > 0);
  const seconds = samples.by("format", exposition.renderDuration);
  return {
    series: tables.reduce((sum, { size }) => sum + size, 0),
    families: tables
      .map(({ family, size }) => ({ family: family.name, series: size }))
      .sort((a, b) => b.series - a.series),
    pages: samples.samples(exposition.bytes).map(({ labels: { format = "", encoding = "" }, value }) => ({
      format: String(format),
      encoding: String(encoding),
      bytes: value,
      render_seconds: seconds.get(String(format)) ?? null,
    })),
    scrapes: Object.fromEntries([...samples.by("format", exposition.scraped)].filter(([, count]) => count > 0)),
  };
}

function otlpReport({ url, protocol }: ReceiverAddress, samples: MetricSamples): NonNullable<StatusReport["otlp"]> {
  const points = samples.by("outcome", push.statePoints);
  return {
    endpoint: withoutSecrets(url),
    protocol,
    state_points: { delivered: points.get("delivered") ?? 0, rejected: points.get("rejected") ?? 0 },
    failed_requests: samples.sum(push.attemptFailed),
    refused_requests: samples.sum(push.requestRefused),
  };
}

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
    delivered: samples.sum(measurements.delivered, of),
    rejected: samples.sum(measurements.rejected, of),
    pending: samples.sum(measurements.pending, of),
    oldest_pending_seconds: samples.most(measurements.oldestPending, of),
    failed_deliveries: samples.sum(measurements.deliveryFailed, of),
    dropped: samples.sum(measurements.dropped, of),
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

const WORKED = /^2\d\d$/;

function failures(samples: MetricSamples, of: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries([...samples.by("code", api.requests, of)].filter(([code]) => !WORKED.test(code)));
}
