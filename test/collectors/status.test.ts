import { describe, expect, it } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { StatusSummary } from "../../src/prtg/records.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../../src/prtg/status.ts";
import { record } from "../model/build-record.ts";
import { HOUR, MINUTE, type Monitored, monitored, SECOND, smallServer } from "./monitored.ts";

const { signal } = new AbortController();

function summary(counts: Partial<Record<StatusToken, number>>, total?: number): StatusSummary {
  return { counts: new Map(Object.entries(counts) as [StatusToken, number][]), total };
}

function statusCounts({ series }: Monitored): Record<string, number> {
  return Object.fromEntries(series(TREE_FAMILIES.sensors).map(({ labels, value }) => [labels.status, value]));
}

const NONE = Object.fromEntries(STATUS_TOKENS.map((token) => [token, 0]));

describe("prtg_sensors", () => {
  it("shows the server's summary, completed from the sensor list", async () => {
    const it = monitored(smallServer());
    it.server.summary = summary({ up: 7, down: 2 }, 10);
    it.server.change("50", { status: "collecting" });
    await it.monitor.pollOnce(signal);
    expect(statusCounts(it)).toEqual({ ...NONE, up: 7, down: 2, collecting: 1 });
    expect(await it.own("prtg_exporter_decode_problems_total", { problem: "summary" })).toBe(0);
  });

  it("counts a summary that does not add up", async () => {
    const it = monitored(smallServer());
    it.server.summary = summary({ up: 7 }, 9);
    for (let poll = 0; poll < 2; poll++) await it.monitor.pollOnce(signal);
    expect(await it.own("prtg_exporter_decode_problems_total", { server: "hq", problem: "summary" })).toBe(2);
    expect(statusCounts(it)).toMatchObject({ up: 7 });
  });

  it("counts the sensor list where the server has no summary", async () => {
    const it = monitored(smallServer());
    it.server.change("51", { status: "partialdown" });
    await it.monitor.pollOnce(signal);
    expect(statusCounts(it)).toEqual({ ...NONE, up: 1, partialdown: 1 });
  });

  it("counts the lists where this user may not read the server's own counts, which are an extra", async () => {
    const it = monitored(smallServer());
    it.server.summary = summary({ up: 7 }, 7);
    it.server.counts = new Map([["sensor", 7]]);
    it.server.fail("API_FORBIDDEN", "summary", "counts");
    for (let poll = 0; poll < 2; poll++) expect(await it.monitor.pollOnce(signal)).toBe(true);
    expect(await it.own("prtg_up")).toBe(1);
    expect(statusCounts(it)).toEqual({ ...NONE, up: 2 });
    expect(it.value(TREE_FAMILIES.objects, { kind: "sensor" })).toBe(2);
    expect(it.log.filter(({ level }) => level >= 40).map(({ level, msg }) => [level, msg.split(":")[0]])).toEqual([
      [40, "counting objects per kind from the lists"],
      [40, "counting sensors per status from the lists"],
    ]);
    it.server.heal();
    await it.monitor.pollOnce(signal);
    expect(statusCounts(it)).toMatchObject({ up: 7 });
  });

  it("counts the sensors it knows when the list is not all there", async () => {
    const it = monitored(smallServer());
    await it.monitor.pollOnce(signal);
    it.server.remove("50");
    it.server.incomplete.add("sensor");
    await it.monitor.pollOnce(signal);
    expect(statusCounts(it)).toMatchObject({ up: 2 });
  });

  it("keeps the last picture when the summary fails, for a while", async () => {
    const it = monitored(smallServer());
    it.server.summary = summary({ up: 7 });
    await it.monitor.pollOnce(signal);
    it.server.fail("API_SERVER_ERROR", "summary");
    await it.clock.advance(4 * MINUTE);
    await it.monitor.pollOnce(signal);
    expect(statusCounts(it)).toMatchObject({ up: 7 });
    await it.clock.advance(MINUTE);
    expect(statusCounts(it)).toEqual({});
  });

  it("lacks what neither summary nor list told", async () => {
    const it = monitored(smallServer());
    it.server.summary = summary({ up: 7, down: 0 });
    it.server.fail("API_SERVER_ERROR", "sensor");
    await it.monitor.pollOnce(signal);
    expect(statusCounts(it)).toEqual({ up: 7, down: 0 });
  });
});

describe("the status of a sensor", () => {
  const labels = { sensor_id: "50" };

  it("is one series that moves, and a code", async () => {
    const it = monitored(smallServer());
    for (const status of ["up", "down", "down", "acknowledged"] as const) {
      it.server.change("50", { status });
      await it.monitor.pollOnce(signal);
      const shown = it.series(TREE_FAMILIES.sensorStatus).filter((each) => each.labels.sensor_id === "50");
      expect(shown.map((each) => [each.labels.status, each.value])).toEqual([[status, 1]]);
      expect(it.value(TREE_FAMILIES.sensorStatusCode, labels)).toBe(statusCode(status));
    }
  });

  it("is 15 series of 0 and 1 on request", async () => {
    const it = monitored(smallServer(), { sensorStatus: "all" });
    for (const status of ["up", "down"] as const) {
      it.server.change("50", { status });
      await it.monitor.pollOnce(signal);
      const shown = it.series(TREE_FAMILIES.sensorStatus).filter((each) => each.labels.sensor_id === "50");
      expect(Object.fromEntries(shown.map((each) => [each.labels.status, each.value]))).toEqual({
        ...NONE,
        [status]: 1,
      });
    }
    it.server.remove("50");
    for (let poll = 0; poll < 2; poll++) await it.monitor.pollOnce(signal);
    expect(it.series(TREE_FAMILIES.sensorStatus)).toHaveLength(15);
  });

  it("says since when, in seconds", async () => {
    const it = monitored(smallServer());
    it.server.change("50", { statusSince: 1_700_000_000_250 });
    await it.monitor.pollOnce(signal);
    expect(it.value(TREE_FAMILIES.sensorStatusSince, labels)).toBe(1_700_000_000.25);
    expect(it.series(TREE_FAMILIES.sensorStatusSince)).toHaveLength(1);
  });

  it("is withdrawn when no poll confirmed it for five minutes, the age of its values is not", async () => {
    const it = monitored(smallServer());
    it.monitor.start();
    await it.clock.advance(0);
    it.server.fail("API_CONNECTION_FAILED", "health", "sensor", "device", "group", "probe", "summary", "channels");
    await it.clock.advance(5 * MINUTE - 1);
    expect(it.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
    expect(it.series(TREE_FAMILIES.nodeStatusCode)).toHaveLength(3);
    await it.clock.advance(1);
    expect(it.series(TREE_FAMILIES.sensorStatus)).toEqual([]);
    expect(it.series(TREE_FAMILIES.sensorStatusCode)).toEqual([]);
    expect(it.series(TREE_FAMILIES.nodeStatusCode)).toEqual([]);
    // Infos last three periods of the tree collector.
    expect(it.series(TREE_FAMILIES.sensorInfo)).toHaveLength(2);
    await it.clock.advance(HOUR);
    expect(it.series(TREE_FAMILIES.sensorInfo)).toEqual([]);
    expect(it.series(TREE_FAMILIES.sensorInterval)).toEqual([]);
    expect(it.series(TREE_FAMILIES.objects)).toEqual([]);
    expect(it.series(TREE_FAMILIES.serverInfo)).toEqual([]);
    expect(it.series(TREE_FAMILIES.sensorLastMeasurement)).toHaveLength(2);
    it.server.heal();
    await it.clock.advance(MINUTE);
    expect(it.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
    await it.monitor.stop();
  });

  it("lasts three periods where these are longer", async () => {
    const it = monitored(smallServer(), {
      schedules: { tree: { kind: "interval", everyMs: 24 * HOUR }, status: { kind: "interval", everyMs: 10 * MINUTE } },
    });
    await it.monitor.pollOnce(signal);
    await it.clock.advance(30 * MINUTE - 1);
    expect(it.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
    await it.clock.advance(1);
    expect(it.series(TREE_FAMILIES.sensorStatus)).toEqual([]);
  });
});

describe("probes, groups and devices", () => {
  it("show their own status, not that of their sensors", async () => {
    const it = monitored(smallServer());
    it.server.change("50", { status: "down" });
    it.server.change("1", { status: "disconnected" });
    await it.monitor.pollOnce(signal);
    const shown = it.series(TREE_FAMILIES.nodeStatusCode).map(({ labels, value }) => [labels.kind, labels.path, value]);
    expect(shown.sort()).toEqual([
      ["device", "Berlin/Network/sw-1", 3],
      ["group", "Berlin/Network", 3],
      ["probe", "Berlin", 6],
    ]);
  });

  it.each([
    { nodeSensors: ["probe", "group"] as const, shown: ["1", "10"] },
    { nodeSensors: ["device"] as const, shown: ["40"] },
    { nodeSensors: [] as const, shown: [] },
  ])("count the sensors below the kinds $nodeSensors", async ({ nodeSensors, shown }) => {
    const it = monitored(smallServer(), { nodeSensors });
    for (const id of ["1", "10", "40"]) it.server.change(id, { summary: summary({ up: 4, down: 1 }) });
    await it.monitor.pollOnce(signal);
    const found = it.series(TREE_FAMILIES.nodeSensors);
    expect([...new Set(found.map(({ labels }) => labels.id))].sort()).toEqual(shown);
    expect(found).toHaveLength(2 * shown.length);
    for (const id of shown) expect(it.value(TREE_FAMILIES.nodeSensors, { id, status: "up" })).toBe(4);
  });

  it("drop the count of a status that the server no longer tells", async () => {
    const it = monitored(smallServer());
    it.server.change("10", { summary: summary({ up: 4, down: 1 }) });
    await it.monitor.pollOnce(signal);
    it.server.change("10", { summary: summary({ up: 5 }) });
    await it.monitor.pollOnce(signal);
    const shown = it.series(TREE_FAMILIES.nodeSensors).map(({ labels, value }) => [labels.status, value]);
    expect(shown).toEqual([["up", 5]]);
  });
});

it("one list that fails does not cost the others, but the run", async () => {
  const it = monitored(smallServer());
  it.server.put(record("sensor", "52", "40", { status: "warning" }));
  it.server.fail("API_TIMEOUT", "device");
  await it.monitor.pollOnce(signal);
  expect(it.value(TREE_FAMILIES.sensorStatusCode, { sensor_id: "52" })).toBe(4);
  expect(it.value(TREE_FAMILIES.nodeStatusCode, { kind: "group" })).toBe(3);
  expect(it.value(TREE_FAMILIES.nodeStatusCode, { kind: "device" })).toBeUndefined();
  expect(await it.own("prtg_exporter_collector_success", { collector: "status" })).toBe(0);
  expect(await it.own("prtg_exporter_collector_complete", { collector: "status" })).toBe(0);
});

it("a server that is out of reach is not asked for every list", async () => {
  const it = monitored(smallServer());
  it.server.fail("API_CONNECTION_FAILED", "summary");
  it.monitor.start();
  await it.clock.advance(0);
  const asked = it.server.timesAsked("group");
  await it.clock.advance(30 * SECOND);
  expect(it.server.timesAsked("summary")).toBe(2);
  expect(it.server.timesAsked("group")).toBe(asked);
  await it.monitor.stop();
});

it("an incomplete list is no failure, but is reported", async () => {
  const it = monitored(smallServer());
  it.server.incomplete.add("group");
  expect(await it.monitor.pollOnce(signal)).toBe(true);
  for (const collector of ["tree", "status"]) {
    expect(await it.own("prtg_exporter_collector_success", { collector })).toBe(1);
    expect(await it.own("prtg_exporter_collector_complete", { collector })).toBe(0);
  }
});

it("a server without a list of groups is shown without groups", async () => {
  const it = monitored(smallServer());
  it.server.fail("API_ENDPOINT_MISSING", "group");
  for (let poll = 0; poll < 3; poll++) expect(await it.monitor.pollOnce(signal)).toBe(true);
  expect(it.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
  expect(it.log.filter(({ msg }) => msg.includes("without the list of groups"))).toHaveLength(1);
});
