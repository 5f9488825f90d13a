import { describe, expect, test } from "vitest";
import type { ServerSummary } from "../../../src/app/monitored-server.ts";
import { MetricSamples } from "../../../src/app/reports/metric-samples.ts";
import {
  compareServers,
  listServers,
  type RankedServer,
  serverEntry,
  serverState,
} from "../../../src/app/reports/server-list.ts";
import type { StatusSources } from "../../../src/app/reports/sources.ts";
import type { StatusToken } from "../../../src/prtg/status.ts";
import { EXPORTER_METRICS } from "../../../src/telemetry/metric-declarations.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";

type Run = ServerSummary["runs"][number];

const WORKED: readonly Run[] = (["health", "tree", "status", "channels", "limits"] as const).map((name, index) => ({
  ...{ name, lastSuccessAt: 1_000 * (index + 1), error: undefined, isOff: false },
}));

async function entryOf(up: boolean, name: Run["name"], more: Partial<Run>) {
  const runs = WORKED.map((run) => (run.name === name ? { ...run, ...more } : run));
  const summary: ServerSummary = {
    ...{ server: "hq", up, version: undefined, channels: 0, sensorsByStatus: new Map(), runs },
    monitoredSince: 500,
    parentsByStatus: { probe: new Map([["disconnected", 1]]), group: new Map(), device: new Map() },
    objects: { probe: 0, group: 0, device: 0, sensor: 0 },
  };
  const monitors = new Map([["hq", { summary: () => summary }]]);
  const own = await MetricSamples.read(emptyMetrics(), { families: [EXPORTER_METRICS.server.breakerChanged] });
  const [listed] = listServers({ monitors } as unknown as StatusSources, own);
  if (listed === undefined) throw new Error("no server");
  return serverEntry(listed, "https://user:secret@prtg.example.com:1616/?key=secret");
}

describe("entry of a server", () => {
  test("has an address without secrets", async () => {
    expect((await entryOf(true, "health", {})).url).toBe("https://prtg.example.com:1616");
  });

  test("says since when the exporter monitors it", async () => {
    expect((await entryOf(true, "health", {})).monitored_since).toBe("1970-01-01T00:00:00.500Z");
  });

  test("counts probes, groups and devices by status", async () => {
    const { parents_by_status } = await entryOf(true, "health", {});
    expect(parents_by_status).toEqual({ probe: { disconnected: 1 }, group: {}, device: {} });
  });

  test("shows the last poll, ignoring health and limits", async () => {
    expect((await entryOf(true, "channels", {})).last_poll_at).toBe("1970-01-01T00:00:04.000Z");
    expect((await entryOf(true, "channels", { lastSuccessAt: undefined })).last_poll_at).toBe(
      "1970-01-01T00:00:03.000Z",
    );
  });

  test.each([
    ["reports a failed optional collector", true, "limits", { error: "no" }, ["impaired", ["limits"], "no"]],
    ["ignores a missing endpoint", true, "limits", { error: "no", isOff: true }, ["working", [], null]],
    [
      "reports a missing endpoint if the server is not up",
      false,
      "tree",
      { error: "no", isOff: true },
      ["failing", ["tree"], "no"],
    ],
    [
      "reports no failure of a new server before its first runs",
      false,
      "channels",
      { lastSuccessAt: undefined },
      ["starting", [], null],
    ],
  ] as const)("%s", async (_what, up, name, more, expected) => {
    const { state, failed_collectors, reason } = await entryOf(up, name, more);
    expect([state, failed_collectors, reason]).toEqual(expected);
  });
});

function server(
  name: string,
  state: RankedServer["state"],
  counts: Partial<Record<StatusToken, number>> = {},
): RankedServer {
  return { name, state, sensorsByStatus: new Map(Object.entries(counts) as [StatusToken, number][]) };
}

describe("order of servers, the worst first", () => {
  test.each([
    ["unreachable before failing", server("z", "unreachable"), server("a", "failing", { down: 9 })],
    ["failing before impaired", server("z", "failing"), server("a", "impaired", { down: 9 })],
    ["impaired before starting", server("z", "impaired"), server("a", "starting", { warning: 9 })],
    ["starting before working", server("z", "starting"), server("a", "working", { warning: 9 })],
    ["sensors down before impaired", server("z", "working", { down: 1 }), server("a", "impaired", { warning: 9 })],
    ["more sensors down", server("z", "working", { down: 2 }), server("a", "working", { down: 1, warning: 9 })],
    [
      "partly down and disconnected are down",
      server("z", "working", { down: 1, partialdown: 1, disconnected: 1 }),
      server("a", "working", { down: 2, acknowledged: 9 }),
    ],
    [
      "unknown sensors may be down",
      server("z", "working", { down: 1, unknown: 386 }),
      server("a", "working", { down: 9, warning: 9 }),
    ],
    ["down before unknown", server("z", "working", { down: 1 }), server("a", "working", { unknown: 1, warning: 9 })],
    ["then more warnings", server("z", "working", { down: 1, warning: 2 }), server("a", "working", { down: 1 })],
    ["unusual counts as a warning", server("z", "working", { unusual: 1 }), server("a", "working", { up: 9_000 })],
    ["then by name", server("Customer a", "working"), server("customer B", "working")],
    ["numbers in names sort as numbers", server("customer 9", "failing"), server("customer 10", "failing")],
  ])("%s", (_rule, worse, better) => {
    expect(Math.sign(compareServers(worse, better))).toBe(-1);
    expect(Math.sign(compareServers(better, worse))).toBe(1);
    expect(compareServers(worse, worse)).toBe(0);
  });
});

test.each([
  ["working", { isUp: true }],
  ["impaired", { isUp: true, hasFailures: true }],
  ["impaired", { isUp: true, hasFailures: true, isHeldBack: true }],
  ["unreachable", { isHeldBack: true, hasFailures: true }],
  ["failing", { hasFailures: true }],
  ["starting", {}],
] as const)("a server is %s if %j", (state, seen) => {
  expect(serverState({ isUp: false, isHeldBack: false, hasFailures: false, ...seen })).toBe(state);
});
