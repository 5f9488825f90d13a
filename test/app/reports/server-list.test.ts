import { describe, expect, test } from "vitest";
import type { ServerSummary } from "../../../src/app/monitored-server.ts";
import { MetricSamples } from "../../../src/app/reports/metric-samples.ts";
import { listServers, serverEntry } from "../../../src/app/reports/server-list.ts";
import type { StatusSources } from "../../../src/app/reports/sources.ts";
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
