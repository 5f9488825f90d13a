import type { StatusReport } from "../../http/pages/status/report.ts";
import type { ParentCounts, ServerEntry } from "../../http/pages/status/server-report.ts";
import type { StatusQuery } from "../../http/pages/status/source.ts";
import {
  PARENT_KINDS,
  type ParentKind,
  SERVER_STATES,
  type ServerState,
} from "../../http/pages/status/status-order.ts";
import { STATUSES, type StatusGroup, type StatusToken } from "../../prtg/status.ts";
import { EXPORTER_METRICS } from "../../telemetry/metric-declarations.ts";
import type { ServerSummary } from "../monitored-server.ts";
import type { MetricSamples } from "./metric-samples.ts";
import { instant, instantOrNull, withoutSecrets } from "./report-values.ts";
import type { StatusSources } from "./sources.ts";

/** Keeps the overview below 100 kB, even if all of them fail with long messages. */
export const SERVERS_A_PAGE = 25;

/** Collectors that read monitored objects. */
const POLLS: ReadonlySet<string> = new Set(["tree", "status", "channels"]);

/** Enough for sums and the order. */
export interface ServerRow extends RankedServer {
  readonly summary: ServerSummary;
}

/** All servers, the worst first. @param samples Samples with the open breakers. */
export function listServers({ monitors }: StatusSources, samples: MetricSamples): readonly ServerRow[] {
  const heldBack = samples.by("server", EXPORTER_METRICS.server.breakerChanged);
  const rows = Array.from(monitors, ([name, monitor]): ServerRow => {
    const summary = monitor.summary();
    const state = serverState({
      isUp: summary.up,
      isHeldBack: (heldBack.get(name) ?? 0) > 0,
      hasFailures: failedRuns(summary).length > 0,
    });
    return { name, state, sensorsByStatus: summary.sensorsByStatus, summary };
  });
  return rows.sort(compareServers);
}

/** Failed last runs. A missing endpoint is no failure of a server that is up. */
function failedRuns({ up, runs }: ServerSummary): ServerSummary["runs"] {
  return runs.filter(({ error, isOff }) => error !== undefined && !(up && isOff));
}

/** Sums over all servers, without measurements. */
export function sumsOf(servers: readonly ServerRow[]): Omit<StatusReport["totals"], "measurements"> {
  const byState = new Map<string, number>();
  const byStatus = new Map<string, number>();
  const parents = {
    probe: new Map<string, number>(),
    group: new Map<string, number>(),
    device: new Map<string, number>(),
  };
  const objects = { probe: 0, group: 0, device: 0, sensor: 0, channel: 0 };
  for (const { state, sensorsByStatus, summary } of servers) {
    byState.set(state, (byState.get(state) ?? 0) + 1);
    add(byStatus, sensorsByStatus);
    for (const kind of PARENT_KINDS) add(parents[kind], summary.parentsByStatus[kind]);
    objects.probe += summary.objects.probe;
    objects.group += summary.objects.group;
    objects.device += summary.objects.device;
    objects.sensor += summary.objects.sensor;
    objects.channel += summary.channels;
  }
  return {
    servers: servers.length,
    servers_by_state: Object.fromEntries(byState),
    objects,
    sensors_by_status: Object.fromEntries(byStatus),
    parents_by_status: asReport(parents),
  };
}

function add(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [status, count] of counts) sums.set(status, (sums.get(status) ?? 0) + count);
}

function asReport({ probe, group, device }: Readonly<Record<ParentKind, ReadonlyMap<string, number>>>): ParentCounts {
  return {
    probe: Object.fromEntries(probe),
    group: Object.fromEntries(group),
    device: Object.fromEntries(device),
  };
}

/** The servers of a page; `undefined` for an unknown server. */
export function pageOf(
  servers: readonly ServerRow[],
  { server, find, page }: StatusQuery,
): { readonly rows: readonly ServerRow[]; readonly page: StatusReport["page"] } | undefined {
  const found = server === undefined ? withWords(servers, find) : servers.filter(({ name }) => name === server);
  if (server !== undefined && found.length === 0) return undefined;
  const pages = Math.max(1, Math.ceil(found.length / SERVERS_A_PAGE));
  const number = Math.min(page, pages);
  const from = (number - 1) * SERVERS_A_PAGE;
  const rows = found.slice(from, from + SERVERS_A_PAGE);
  return { rows, page: { number, pages, from, matching: found.length } };
}

function withWords(servers: readonly ServerRow[], find: string): readonly ServerRow[] {
  const words = find
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length === 0
    ? servers
    : servers.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

/** @param url URL of the configuration. */
export function serverEntry({ name, state, summary }: ServerRow, url: string): ServerEntry {
  const { up, version, objects, channels, sensorsByStatus } = summary;
  const failed = failedRuns(summary);
  return {
    name,
    url: withoutSecrets(url),
    up,
    state,
    failed_collectors: failed.map(({ name: collector }) => collector),
    reason: failed[0]?.error ?? null,
    monitored_since: instant(summary.monitoredSince),
    last_poll_at: instantOrNull(lastPollAt(summary)),
    version: version ?? null,
    objects: { ...objects, channel: channels },
    sensors_by_status: Object.fromEntries(sensorsByStatus),
    parents_by_status: asReport(summary.parentsByStatus),
  };
}

/** End of the last run that read monitored objects, milliseconds since the epoch. */
export function lastPollAt({ runs }: Pick<ServerSummary, "runs">): number | undefined {
  const polls = runs.flatMap(({ name, lastSuccessAt }) =>
    POLLS.has(name) && lastSuccessAt !== undefined ? [lastSuccessAt] : [],
  );
  return polls.length === 0 ? undefined : Math.max(...polls);
}

export interface RankedServer {
  readonly name: string;
  readonly state: ServerState;
  readonly sensorsByStatus: ReadonlyMap<StatusToken, number>;
}

/** `customer 9` before `customer 10`, the same wherever the exporter runs. */
export function byName(a: string, b: string): number {
  // Lazy: see `formatter` in src/http/pages/status/figures.ts.
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(a, b);
}

let collator: Intl.Collator | undefined;

export function serverState(runs: {
  readonly isUp: boolean;
  /** Requests are suspended, because it does not answer. */
  readonly isHeldBack: boolean;
  readonly hasFailures: boolean;
}): ServerState {
  const { isUp, isHeldBack, hasFailures } = runs;
  if (isUp) return hasFailures ? "impaired" : "working";
  if (isHeldBack) return "unreachable";
  // No poll yet, at the start or after a reload.
  return hasFailures ? "failing" : "starting";
}

/** Nothing is known of their sensors now. */
const BLIND: ReadonlySet<ServerState> = new Set(["unreachable", "failing"]);

/** Worst first: servers without data, then by sensors that are or may be down, then by state, then by warnings, then by name. */
export function compareServers(a: RankedServer, b: RankedServer): number {
  const byState = SERVER_STATES.indexOf(a.state) - SERVER_STATES.indexOf(b.state);
  return (
    (BLIND.has(a.state) || BLIND.has(b.state) ? byState : 0) ||
    sensorsIn(b, "down", "unknown") - sensorsIn(a, "down", "unknown") ||
    sensorsIn(b, "down") - sensorsIn(a, "down") ||
    byState ||
    sensorsIn(b, "warning") - sensorsIn(a, "warning") ||
    byName(a.name, b.name)
  );
}

function sensorsIn({ sensorsByStatus }: RankedServer, ...groups: readonly StatusGroup[]): number {
  let sum = 0;
  for (const [status, count] of sensorsByStatus) if (groups.includes(STATUSES[status].group)) sum += count;
  return sum;
}
