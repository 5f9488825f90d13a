import type { ChangeReport, ChangesReport } from "../../../../src/http/pages/status/changes-report.ts";
import type {
  NodeReport,
  NodeSummary,
  OutageReport,
  SearchReport,
  StatusReport,
} from "../../../../src/http/pages/status/report.ts";
import type { ServerReport } from "../../../../src/http/pages/status/server-report.ts";
import type { SearchQuery } from "../../../../src/http/pages/status/source.ts";

export const NOW = "2026-11-21T18:45:00.000Z";
const BEFORE = "2026-11-21T18:44:48.000Z";
const AFTER = "2026-11-21T18:50:00.000Z";

/** `name` produces every external text. */
export type Naming = (plain: string) => string;

export const asIs: Naming = (plain) => plain;

const MEASUREMENTS = {
  delivered: 100,
  rejected: 1,
  pending: 20,
  oldest_pending_seconds: 90,
  failed_deliveries: 4,
  dropped: 0,
};

const PARENTS = { probe: { up: 1 }, group: { up: 2 }, device: { up: 3 } };

/** Of a group. */
export function outage(name: Naming = asIs, more: Partial<OutageReport> = {}): OutageReport {
  const first = { id: "2490", name: name("Ping"), path: name("Berlin/core-sw-9/Ping") };
  return {
    ...{ server: name("hq"), id: "53", kind: "group", name: name("Berlin"), path: name("Local/Berlin") },
    ...{ problem: "down", status: null, affected: 6, sensors: 7, devices: 2, hidden: 0, recent: 2 },
    since: "2026-11-21T15:18:00.000Z",
    first,
    message: { text: name("Timeout (PE018)"), count: 4 },
    ...{ acknowledged: 1, acknowledgement: name("Acknowledged by Ann: on it"), cause: null },
    prtg_url: "https://prtg.example.com/group.htm?id=53",
    ...more,
  };
}

export function statusReport(name: Naming = asIs): StatusReport {
  return {
    generated_at: NOW,
    ready: true,
    build: { version: "1.2.3", revision: name("abcdef0"), node: "24.0.0" },
    process: {
      started_at: BEFORE,
      resident_memory_bytes: 123_456_789,
      event_loop_utilization: 0.234,
      extra_held_back: false,
    },
    configuration: { last_reload_successful: false, loaded_at: BEFORE, shard: "0/3" },
    leadership: {
      role: "leader",
      lease: name("monitoring/prtg-exporter"),
      identity: name("pod-a_1"),
      leader: name("pod-a_1"),
    },
    totals: {
      servers: 1,
      servers_by_state: { failing: 1 },
      objects: { probe: 1, group: 2, device: 3, sensor: 4_000, channel: 5 },
      sensors_by_status: { up: 3_990, down: 7, [name("new status")]: 3 },
      parents_by_status: PARENTS,
      measurements: MEASUREMENTS,
    },
    outages: { total: 1, sensors: 6, items: [outage(name)] },
    problems: { total: 9, recent: 3, items: [downSensor(name)] },
    page: { number: 1, pages: 1, from: 0, matching: 1 },
    servers: [
      {
        name: name("hq"),
        url: name("https://prtg.example.com:1616"),
        up: false,
        state: "failing",
        failed_collectors: ["channels"],
        reason: name("no answer [API_TIMEOUT]"),
        monitored_since: "2026-11-21T18:32:00.000Z",
        last_poll_at: BEFORE,
        version: name("25.4.114"),
        objects: { probe: 1, group: 2, device: 3, sensor: 4_000, channel: 5 },
        sensors_by_status: { up: 3_990, down: 7, [name("new status")]: 3 },
        parents_by_status: PARENTS,
        collectors: [
          {
            name: "tree",
            state: "waiting",
            last_success_at: BEFORE,
            age_seconds: 12,
            last_duration_seconds: 1.234,
            next_run_at: AFTER,
            complete: true,
            failed_runs: 0,
            skipped_runs: 2,
            error: null,
          },
          {
            name: "channels",
            state: "running",
            last_success_at: null,
            age_seconds: null,
            last_duration_seconds: 30,
            next_run_at: null,
            complete: false,
            failed_runs: 3,
            skipped_runs: 0,
            error: name("no answer within 30 s [API_TIMEOUT]"),
          },
        ],
        api: {
          breaker_open: false,
          in_flight: 1,
          requests: 1_234,
          failures: { "500": 3, [name("timeout")]: 1 },
          clock_offset_seconds: -120,
          endpoints: [
            {
              endpoint: name("/experimental/channels"),
              requests: 1_234,
              failures: {},
              retries: 1,
              mean_seconds: 0.0123,
              p95_seconds: null,
              received_bytes: 9_876_543,
            },
          ],
        },
        problems: { decode: { status: 2 }, waiting_channels: 1, orphans: 0 },
        measurements: MEASUREMENTS,
      },
    ],
    metrics: {
      series: 31_764,
      families: [{ family: "prtg_channel_value", series: 30_000 }],
      pages: [{ format: "text", encoding: "gzip", bytes: 588_000, render_seconds: 0.11 }],
      scrapes: { "text/plain": 17 },
    },
    otlp: {
      endpoint: name("http://collector:4318/v1/metrics"),
      protocol: "http/protobuf",
      state_points: { delivered: 10, rejected: 1 },
      failed_requests: 2,
      refused_requests: 0,
    },
  };
}

export function serverListReport(name: Naming = asIs, more: Partial<ServerReport> = {}): StatusReport {
  const report = statusReport(name);
  const servers = report.servers.map(({ collectors, api, problems, measurements, ...entry }) => ({
    ...entry,
    ...more,
  }));
  return {
    ...report,
    totals: { ...report.totals, servers: 120, servers_by_state: { unreachable: 1, failing: 2, working: 117 } },
    page: { number: 2, pages: 3, from: 50, matching: 120 },
    servers: Array.from({ length: 50 }, () => servers).flat(),
  };
}

export function summary(name: Naming = asIs, more: Partial<NodeSummary> = {}): NodeSummary {
  const own = name("sw-1");
  return {
    server: name("hq"),
    id: name("40"),
    kind: "device",
    name: own,
    path: `${name("Berlin")}/${own}`,
    device: null,
    priority: 3,
    status: name("up"),
    status_since: null,
    last_measurement_at: null,
    message: null,
    acknowledgement: null,
    channel: null,
    children: 2,
    sensors_by_status: { up: 1, [name("down")]: 1 },
    prtg_url: name("https://prtg.example.com/device.htm?id=40"),
    ...more,
  };
}

export function downSensor(name: Naming = asIs, more: Partial<NodeSummary> = {}): NodeSummary {
  const device = name("sw-1");
  const own = name("Ping");
  return summary(name, {
    kind: "sensor",
    name: own,
    path: `${name("Berlin")}/${device}/${own}`,
    device: { id: name("40"), name: device },
    priority: 4,
    last_measurement_at: BEFORE,
    channel: { channel_id: name("0"), name: name("Ping Time"), unit: name("msec"), value: 12.3456 },
    id: name("50"),
    status: name("down"),
    status_since: "2026-11-21T18:33:00.000Z",
    message: name("Timeout (code: PE018)"),
    sensors_by_status: {},
    ...more,
  });
}

export function nodeReport(name: Naming = asIs): NodeReport {
  return {
    generated_at: NOW,
    node: summary(name),
    host: name("10.0.0.1"),
    depends_on: { id: name("41"), path: name("hq/core-1") },
    tags: [name("switch")],
    links: [{ name: name("Wiki"), url: "https://wiki.example.com/?page=core-1" }],
    ancestors: [summary(name, { kind: "root", id: "0", status: null }), summary(name, { kind: "probe" })],
    children: { total: 300, from: 200, items: [downSensor(name)] },
    sensor: null,
  };
}

export function sensorReport(name: Naming = asIs): NodeReport {
  return {
    ...nodeReport(name),
    node: downSensor(name),
    children: { total: 0, from: 0, items: [] },
    sensor: {
      kind: name("ping"),
      kind_name: name("Ping v2"),
      interval_seconds: 60,
      stale_after_seconds: 300,
      status_since: BEFORE,
      last_up_at: BEFORE,
      last_down_at: null,
      last_measurement_at: BEFORE,
      series: [name('prtg_sensor_info{sensor_id="50"} 1')],
      siblings: {
        position: 2,
        total: 3,
        previous: { id: name("49"), name: name("Disk") },
        next: { id: name("51"), name: name("HTTP") },
      },
      channels_total: 2,
      channels_from: 0,
      channels: [
        {
          channel_id: name("0"),
          name: name("Ping Time"),
          unit: name("msec"),
          state: "served",
          value: 12.3456,
          measured_at: BEFORE,
          limits: { max_error: 10, [name("odd")]: 3 },
          rule: name("rules[0] of preset ping"),
          series: [name('prtg_channel_value{sensor_id="50"} 12.3456')],
        },
        {
          channel_id: "-4",
          name: "Downtime",
          unit: "",
          state: "paused",
          value: null,
          measured_at: null,
          limits: {},
          rule: null,
          series: [],
        },
      ],
    },
  };
}

export function searchReport(name: Naming = asIs): SearchReport {
  return {
    generated_at: NOW,
    total: 1_234,
    page: { number: 2, pages: 13, from: 100 },
    items: [summary(name), downSensor(name)],
    servers: [name("hq"), name("lab")],
  };
}

export function changesReport(name: Naming = asIs, items: readonly Partial<ChangeReport>[] = [{}]): ChangesReport {
  const change: ChangeReport = {
    ...{ at: BEFORE, server: name("hq"), change: "down", kind: "sensor", count: 310, before: null, outage: null },
    object: {
      id: "20",
      kind: "group",
      name: name("Singapore Office"),
      path: name("Probe/Singapore Office"),
      exists: true,
    },
  };
  return {
    ...{ generated_at: NOW, since: BEFORE, servers: 2, total: items.length },
    changed: items.map((more) => ({ change: more.change ?? change.change, count: more.count ?? change.count })),
    page: { number: 1, pages: 1, from: 0 },
    items: items.map((more) => ({ ...change, ...more })),
  };
}

/** Finds everything. */
export const ANY_SEARCH: SearchQuery = {
  ...{ text: "", server: undefined, statuses: [], priorities: [] },
  ...{ tag: "", probe: "", sort: undefined, page: 1 },
};

/** The words of HTML, without tags. */
export function wordsOf(html: { toString(): string }): string {
  return html
    .toString()
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
