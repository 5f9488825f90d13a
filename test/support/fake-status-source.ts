import type { ServerStatus, ServerSummary } from "../../src/app/monitored-server.ts";
import type { StatusSources } from "../../src/app/reports/sources.ts";
import { createStatusPages } from "../../src/app/reports/status-pages.ts";
import type { LinkTemplate } from "../../src/config/links-schema.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import type { StatusCourse } from "../../src/http/pages/status/courses.ts";
import type { StatusSource } from "../../src/http/pages/status/source.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ChannelMapper } from "../../src/mapping/channel-mapper.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import type { NodeChange } from "../../src/model/change-log.ts";
import type { NodeState } from "../../src/model/node-state.ts";
import { OutageTracker } from "../../src/model/outage-tracker.ts";
import { EMPTY_TREE, type Tree, type TreeNode } from "../../src/model/tree.ts";
import type { SensorInspection } from "../../src/projection/inspection.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "./exporter-metrics.ts";

const SENSORS = 20;
const MINUTE = 60_000;
const RUNS = ["health", "tree", "status", "channels", "limits", "timeseries"] as const;

interface ServerWork {
  /** Tree objects visited individually. */
  nodes: number;
  /** Servers whose details or history were requested. */
  readonly detailed: Set<string>;
  readonly drawn: Set<string>;
}

export interface FakeServers {
  readonly source: StatusSource;
  /** Of a user who sees only these servers. */
  of(servers: readonly string[]): StatusSource;
  readonly work: ServerWork;
}

interface FakeServerOptions {
  /** Reason for failed polls. */
  readonly said?: string;
  /** Reason and messages of each server, instead of `said`. */
  readonly saidBy?: (server: string) => string;
  /** All fail, with changing statuses. */
  readonly isWorst?: boolean;
  /** `web.links` of the configuration. */
  readonly links?: readonly LinkTemplate[];
  /** Sensors per status, independent of the tree. */
  readonly counts?: ReadonlyMap<StatusToken, number>;
}

/**
 * `customer 1` and so on, twenty sensors each, no polls. Every 100th is unreachable, every 50th fails, every 30th is impaired,
 * some have down sensors. Counts work.
 */
export function fakeServers(count: number, options: FakeServerOptions = {}): FakeServers {
  const work: ServerWork = { nodes: 0, detailed: new Set(), drawn: new Set() };
  const metrics = emptyMetrics();
  metrics.config.reloadSuccessful(1);
  metrics.config.reloadTime(Date.now() / 1_000);
  const names = Array.from({ length: count }, (_, index) => `customer ${index + 1}`);
  const { saidBy } = options;
  const optionsOf = (name: string) => (saidBy === undefined ? options : { ...options, said: saidBy(name) });
  const monitors = new Map(names.map((name, index) => [name, fakeServer(name, index + 1, work, optionsOf(name))]));
  for (const [index, name] of names.entries()) {
    const recorder = serverRecorder(metrics, name);
    recorder.requestStarted("/experimental/channels");
    recorder.requestFinished({ endpoint: "/experimental/channels", code: "200", durationMs: 12, bytes: 9_000 });
    recorder.breakerChanged((index + 1) % 100 === 0);
  }
  const sources: StatusSources = {
    monitors,
    metrics,
    clock: systemClock,
    build: { version: "0.0.0-test", revision: "" },
    config: {
      servers: names.map((name) => ({
        name,
        url: "https://prtg.example.com:1616",
        webUrl: "https://prtg.example.com",
      })),
      shard: undefined,
      web: { links: options.links ?? [] },
    } as unknown as StatusSources["config"],
    store: { tables: [] } as unknown as StatusSources["store"],
    mapper: new ChannelMapper({ labels: new SeriesLabels(), rules: undefined }),
    courses: { of: (name) => courseOf(name, work, options) },
    charts: { read: async () => undefined },
    receiver: undefined,
    isReady: true,
  };
  const { all, of } = createStatusPages(() => sources, new Redactor());
  return { source: all, of, work };
}

type FakeServer = StatusSources["monitors"] extends ReadonlyMap<string, infer Monitor> ? Monitor : never;

function fakeServer(
  server: string,
  number: number,
  work: ServerWork,
  { said = "no answer within 30 s [API_TIMEOUT]", isWorst = false, counts }: FakeServerOptions,
): FakeServer {
  const isDead = number % 100 === 0;
  const isFailing = isWorst || isDead || number % 50 === 0;
  const failed = isFailing ? "channels" : number % 30 === 0 ? "limits" : undefined;
  const down = isDead || number % 7 !== 0 ? 0 : number % 5;
  const polledAt = Date.now() - (isFailing ? 12 * MINUTE : (number % 30) * 1_000);
  const tree = treeOf(work);
  const statuses: readonly StatusToken[] = Array.from({ length: SENSORS }, (_, index) =>
    index < down ? "down" : index === 5 && number % 3 === 0 ? "warning" : index === 6 ? "pausedbyuser" : "up",
  );
  const sensorsByStatus = counts ?? tallyOf(statuses);
  const known = {
    ...{ server, up: !isFailing, version: "25.4.114.1032", channels: 3 * SENSORS },
    objects: tree.counts,
  };
  const up = (objects: number) => new Map<StatusToken, number>([["up", objects]]);
  const summary: ServerSummary = {
    ...{ ...known, sensorsByStatus },
    monitoredSince: polledAt - MINUTE,
    parentsByStatus: { probe: up(1), group: new Map(), device: up(1) },
    runs: RUNS.map((name) => ({
      name,
      lastSuccessAt: polledAt,
      error: name === failed ? said : undefined,
      isOff: false,
    })),
  };
  const collectors = RUNS.map((name) => ({
    ...{
      name,
      state: "waiting" as const,
      lastSuccessAt: polledAt,
      lastDurationMs: 340,
      nextRunAt: Date.now() + MINUTE,
    },
    ...{ skippedRuns: 0, failedRuns: name === failed ? 3 : 0, complete: name !== failed },
    error: name === failed ? said : undefined,
  }));
  return {
    changes: changesOf(server),
    summary: () => summary,
    status: (): ServerStatus => {
      work.detailed.add(server);
      return { ...known, collectors };
    },
    view: {
      state: {
        tree,
        statusOf: ({ id }: TreeNode) => statuses[Number(id) - 100] ?? "up",
        node: stateOf,
        outages: NO_OUTAGES,
      },
      inspect: (id) => {
        const node = tree.nodes.get(id);
        return node === undefined ? undefined : inspectionOf(server, node, statuses[Number(id) - 100], said);
      },
      present: () => ({ own: [], channels: new Map() }),
    },
  };
}

const NO_OUTAGES = new OutageTracker();

/** Four sensors went down together five minutes ago. */
function changesOf(server: string): FakeServer["changes"] {
  const at = Date.now() - 5 * MINUTE;
  const changes = [100, 101, 102, 103].map((id): NodeChange => {
    const name = `Ping ${id} of ${server}`;
    return { at, what: "down", id: String(id), kind: "sensor", name, path: name, parentId: "2" };
  });
  const recent = (after = 0) => changes.filter((change) => change.at >= after);
  return { since: at - MINUTE, recent, outages: [] };
}

function tallyOf(statuses: readonly StatusToken[]): ReadonlyMap<StatusToken, number> {
  const counts = new Map<StatusToken, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

/** Later ids have newer problems. */
function stateOf(id: string): NodeState {
  const statusSince = Date.now() - 86_400_000 + Number(id);
  const known = { facts: {}, statusSinceAt: () => statusSince, lastMeasuredAt: Date.now() - MINUTE };
  return known as unknown as NodeState;
}

function inspectionOf(
  server: string,
  sensor: TreeNode,
  status: StatusToken | undefined,
  message: string,
): SensorInspection {
  const measuredAt = Date.now() - MINUTE;
  const value = {
    ...{ channelId: "0", name: "Ping Time", unit: "msec", state: "served" as const, value: 12.3 },
    ...{ measuredAt, fromSeries: false, limits: {} },
  };
  return {
    ...{ server, sensor, status, message, statusSince: Date.now() - 5 * MINUTE, lastMeasuredAt: measuredAt },
    ...{ downBefore: undefined, lastUp: undefined, lastDown: undefined, staleAfterMs: 5 * MINUTE },
    ...{ channelCount: 3, channelsFrom: 0, channels: [value] },
  };
}

/** A probe, a device and its sensors, with counted accesses. */
function treeOf(work: ServerWork): Tree {
  const nodes: TreeNode[] = [node("1", "probe", "0", "Local probe"), node("2", "device", "1", "switch")];
  for (let index = 0; index < SENSORS; index++) {
    nodes.push(node(String(100 + index), "sensor", "2", `Ping ${index} <b>`));
  }
  const counted = new (class extends Map<string, TreeNode> {
    override *values(): MapIterator<TreeNode> {
      for (const each of super.values()) {
        work.nodes++;
        yield each;
      }
    }
  })(nodes.map((each) => [each.id, each]));
  return { ...EMPTY_TREE, nodes: counted, counts: { probe: 1, group: 0, device: 1, sensor: SENSORS } };
}

function node(id: string, kind: TreeNode["kind"], parentId: string, name: string): TreeNode {
  return {
    ...{ id, kind, parentId, name, path: name, probe: "", group: "", device: "", deviceId: "" },
    ...{ parent: undefined, type: kind, typeName: kind, priority: 3, tags: [], inheritedTags: [] },
    ...{ favorite: false, host: undefined, intervalSeconds: 60, unseen: [], orphan: false },
  };
}

/** Four hours of changes. */
function courseOf(name: string, work: ServerWork, { isWorst }: FakeServerOptions): StatusCourse {
  work.drawn.add(name);
  const seed = Number(/\d+$/.exec(name)?.[0] ?? 0);
  const began = Date.now() - 239 * MINUTE;
  return Array.from({ length: 240 }, (_, minute) => {
    const down = isWorst
      ? (minute * 7_919) % 1_000
      : seed % 7 === 0
        ? Math.floor(3 + 3 * Math.sin((minute + seed) / 11))
        : 0;
    const counts = { down, unknown: 0, acknowledged: 0, warning: 1, paused: 1, other: 0, up: SENSORS - 2 - down };
    return { at: began + minute * MINUTE, counts };
  });
}
