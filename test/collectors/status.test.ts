import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { StatusSummary } from "../../src/prtg/records.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../../src/prtg/status.ts";
import { record } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";
import { HOUR, type MemoryPipeline, MINUTE, memoryPipeline, SCHEDULED, SECOND } from "./memory-pipeline.ts";
import { smallServer } from "./small-server.ts";

function summary(counts: Partial<Record<StatusToken, number>>, total?: number): StatusSummary {
  return { counts: new Map(Object.entries(counts) as [StatusToken, number][]), total };
}

function statusCounts({ series }: MemoryPipeline): Record<string, number> {
  return Object.fromEntries(series(TREE_FAMILIES.sensors).map(({ labels, value }) => [labels.status, value]));
}

const NONE = Object.fromEntries(STATUS_TOKENS.map((token) => [token, 0]));

describe("prtg_sensors", () => {
  test("shows the server's summary with statuses from the sensor list", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.summary = summary({ up: 7, down: 2 }, 10);
    subject.server.change("50", { status: "collecting" });
    await subject.monitor.pollOnce(never);
    expect(statusCounts(subject)).toEqual({ ...NONE, up: 7, down: 2, collecting: 1 });
    expect(await subject.own("prtg_exporter_decode_problems_total", { problem: "summary" })).toBe(0);
  });

  test("counts an inconsistent summary", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.summary = summary({ up: 7 }, 9);
    for (let poll = 0; poll < 2; poll++) await subject.monitor.pollOnce(never);
    expect(await subject.own("prtg_exporter_decode_problems_total", { server: "hq", problem: "summary" })).toBe(2);
    expect(statusCounts(subject)).toMatchObject({ up: 7 });
  });

  test("counts the sensor list if the server has no summary", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.change("51", { status: "partialdown" });
    await subject.monitor.pollOnce(never);
    expect(statusCounts(subject)).toEqual({ ...NONE, up: 1, partialdown: 1 });
  });

  test("counts the lists if the user has no right to the optional server counts", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.summary = summary({ up: 7 }, 7);
    subject.server.counts = new Map([["sensor", 7]]);
    subject.server.fail("API_FORBIDDEN", "summary", "counts");
    for (let poll = 0; poll < 2; poll++) expect(await subject.monitor.pollOnce(never)).toBe(true);
    expect(await subject.own("prtg_up")).toBe(1);
    expect(statusCounts(subject)).toEqual({ ...NONE, up: 2 });
    expect(subject.value(TREE_FAMILIES.objects, { kind: "sensor" })).toBe(2);
    expect(subject.log.filter(({ level }) => level >= 40).map(({ level, msg }) => [level, msg.split(":")[0]])).toEqual([
      [40, "counting objects per kind from the lists"],
      [40, "counting sensors per status from the lists"],
    ]);
    subject.server.recover();
    await subject.monitor.pollOnce(never);
    expect(statusCounts(subject)).toMatchObject({ up: 7 });
  });

  test("counts the known sensors if the list is incomplete", async () => {
    const subject = memoryPipeline(smallServer());
    await subject.monitor.pollOnce(never);
    subject.server.remove("50");
    subject.server.incomplete.add("sensor");
    await subject.monitor.pollOnce(never);
    expect(statusCounts(subject)).toMatchObject({ up: 2 });
  });

  test("keeps the last counts for a while after a failed summary", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.summary = summary({ up: 7 });
    await subject.monitor.pollOnce(never);
    subject.server.fail("API_SERVER_ERROR", "summary");
    await subject.clock.advance(4 * MINUTE);
    await subject.monitor.pollOnce(never);
    expect(statusCounts(subject)).toMatchObject({ up: 7 });
    await subject.clock.advance(MINUTE);
    expect(statusCounts(subject)).toEqual({});
  });

  test("omits statuses that neither summary nor list contains", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.summary = summary({ up: 7, down: 0 });
    subject.server.fail("API_SERVER_ERROR", "sensor");
    await subject.monitor.pollOnce(never);
    expect(statusCounts(subject)).toEqual({ up: 7, down: 0 });
  });
});

describe("status of a sensor", () => {
  const labels = { sensor_id: "50" };

  test("is one moving series and a code", async () => {
    const subject = memoryPipeline(smallServer());
    for (const status of ["up", "down", "down", "acknowledged"] as const) {
      subject.server.change("50", { status });
      await subject.monitor.pollOnce(never);
      const shown = subject.series(TREE_FAMILIES.sensorStatus).filter((each) => each.labels.sensor_id === "50");
      expect(shown.map((each) => [each.labels.status, each.value])).toEqual([[status, 1]]);
      expect(subject.value(TREE_FAMILIES.sensorStatusCode, labels)).toBe(statusCode(status));
    }
  });

  test("is 15 series of 0 and 1 on request", async () => {
    const subject = memoryPipeline(smallServer(), { sensorStatus: "all" });
    for (const status of ["up", "down"] as const) {
      subject.server.change("50", { status });
      await subject.monitor.pollOnce(never);
      const shown = subject.series(TREE_FAMILIES.sensorStatus).filter((each) => each.labels.sensor_id === "50");
      expect(Object.fromEntries(shown.map((each) => [each.labels.status, each.value]))).toEqual({
        ...NONE,
        [status]: 1,
      });
    }
    subject.server.remove("50");
    for (let poll = 0; poll < 2; poll++) await subject.monitor.pollOnce(never);
    expect(subject.series(TREE_FAMILIES.sensorStatus)).toHaveLength(15);
  });

  test("has a start time in seconds", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.change("50", { statusSince: 1_700_000_000_250 });
    await subject.monitor.pollOnce(never);
    expect(subject.value(TREE_FAMILIES.sensorStatusSince, labels)).toBe(1_700_000_000.25);
    expect(subject.series(TREE_FAMILIES.sensorStatusSince)).toHaveLength(1);
  });

  test("keeps its message and times without rendering the page again", async () => {
    const subject = memoryPipeline(smallServer());
    // The counted objects come last, so the second poll counts them.
    for (let poll = 0; poll < 2; poll++) await subject.monitor.pollOnce(never);
    const { version } = subject.store;
    for (const message of ["OK", "3 % (Packet Loss)"]) {
      subject.server.change("50", { message, lastDown: 1_700_000_000_250 });
      await subject.monitor.pollOnce(never);
      expect(subject.monitor.view.state.node("50")).toMatchObject({ message, lastDown: 1_700_000_000_250 });
    }
    expect(subject.store.version).toBe(version);
  });

  test("expires after five minutes without confirmation, but the age of its values stays", async () => {
    const subject = memoryPipeline(smallServer());
    void subject.monitor.start();
    await subject.clock.advance(0);
    subject.server.fail("API_CONNECTION_FAILED", "health", "sensor", "device", "group", "probe", "summary", "channels");
    await subject.clock.advance(5 * MINUTE - 1);
    expect(subject.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
    expect(subject.series(TREE_FAMILIES.nodeStatusCode)).toHaveLength(3);
    await subject.clock.advance(1);
    expect(subject.series(TREE_FAMILIES.sensorStatus)).toEqual([]);
    expect(subject.series(TREE_FAMILIES.sensorStatusCode)).toEqual([]);
    expect(subject.series(TREE_FAMILIES.nodeStatusCode)).toEqual([]);
    // Infos last three tree periods.
    expect(subject.series(TREE_FAMILIES.sensorInfo)).toHaveLength(2);
    await subject.clock.advance(HOUR);
    expect(subject.series(TREE_FAMILIES.sensorInfo)).toEqual([]);
    expect(subject.series(TREE_FAMILIES.sensorInterval)).toEqual([]);
    expect(subject.series(TREE_FAMILIES.objects)).toEqual([]);
    expect(subject.series(TREE_FAMILIES.serverInfo)).toEqual([]);
    expect(subject.series(TREE_FAMILIES.sensorLastMeasurement)).toHaveLength(2);
    subject.server.recover();
    await subject.clock.advance(MINUTE);
    expect(subject.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
    await subject.monitor.stop();
  });

  test("expires after three longer periods", async () => {
    const subject = memoryPipeline(smallServer(), {
      schedules: { tree: { kind: "interval", everyMs: 24 * HOUR }, status: { kind: "interval", everyMs: 10 * MINUTE } },
    });
    await subject.monitor.pollOnce(never);
    await subject.clock.advance(30 * MINUTE - 1);
    expect(subject.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
    await subject.clock.advance(1);
    expect(subject.series(TREE_FAMILIES.sensorStatus)).toEqual([]);
  });
});

describe("probes, groups and devices", () => {
  test("show their own status instead of that of their sensors", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.change("50", { status: "down" });
    subject.server.change("1", { status: "disconnected" });
    await subject.monitor.pollOnce(never);
    const shown = subject
      .series(TREE_FAMILIES.nodeStatusCode)
      .map(({ labels, value }) => [labels.kind, labels.path, value]);
    expect(shown.sort()).toEqual([
      ["device", "Berlin/Network/sw-1", 3],
      ["group", "Berlin/Network", 3],
      ["probe", "Berlin", 6],
    ]);
  });

  test.each([
    { nodeSensors: ["probe", "group"] as const, shown: ["1", "10"] },
    { nodeSensors: ["device"] as const, shown: ["40"] },
    { nodeSensors: [] as const, shown: [] },
  ])("count the sensors below the kinds $nodeSensors", async ({ nodeSensors, shown }) => {
    const subject = memoryPipeline(smallServer(), { nodeSensors });
    for (const id of ["1", "10", "40"]) subject.server.change(id, { summary: summary({ up: 4, down: 1 }) });
    await subject.monitor.pollOnce(never);
    const found = subject.series(TREE_FAMILIES.nodeSensors);
    expect([...new Set(found.map(({ labels }) => labels.id))].sort()).toEqual(shown);
    expect(found).toHaveLength(2 * shown.length);
    for (const id of shown) expect(subject.value(TREE_FAMILIES.nodeSensors, { id, status: "up" })).toBe(4);
  });

  test("drop the count of a status that the server omits", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.change("10", { summary: summary({ up: 4, down: 1 }) });
    await subject.monitor.pollOnce(never);
    subject.server.change("10", { summary: summary({ up: 5 }) });
    await subject.monitor.pollOnce(never);
    const shown = subject.series(TREE_FAMILIES.nodeSensors).map(({ labels, value }) => [labels.status, value]);
    expect(shown).toEqual([["up", 5]]);
  });
});

describe("lists from a recent tree run", () => {
  const readings = ({ server }: MemoryPipeline) =>
    (["sensor", "device", "group", "probe"] as const).map((kind) => server.timesAsked(kind));

  test("are not read again by the next run, except those of counted kinds", async () => {
    const subject = memoryPipeline(smallServer(), {
      schedules: { ...SCHEDULED, tree: { kind: "interval", everyMs: HOUR } },
    });
    subject.server.change("50", { status: "down" });
    void subject.monitor.start();
    await subject.clock.advance(0);
    expect(readings(subject)).toEqual([1, 1, 2, 2]);
    expect(subject.monitor.status().collectors.find(({ name }) => name === "status")).toMatchObject({ complete: true });
    expect(subject.value(TREE_FAMILIES.sensorStatusCode, { sensor_id: "50" })).toBe(statusCode("down"));
    expect(statusCounts(subject)).toMatchObject({ up: 1, down: 1 });
    await subject.clock.advance(30 * SECOND);
    expect(readings(subject)).toEqual([2, 2, 3, 3]);
    await subject.monitor.stop();
  });

  test("are read again if they were incomplete", async () => {
    const subject = memoryPipeline(smallServer());
    subject.server.incomplete.add("sensor");
    await subject.monitor.pollOnce(never);
    expect(readings(subject)).toEqual([2, 1, 2, 2]);
  });

  test("are read again some seconds later", async () => {
    const subject = memoryPipeline(smallServer());
    const release = subject.server.hold("summary");
    void subject.monitor.start();
    await subject.clock.advance(6 * SECOND);
    release();
    await subject.clock.advance(0);
    expect(readings(subject)).toEqual([2, 2, 2, 2]);
    await subject.monitor.stop();
  });
});

test("a failed list fails the run but keeps the other lists", async () => {
  const subject = memoryPipeline(smallServer());
  subject.server.put(record("sensor", "52", "40", { status: "warning" }));
  subject.server.fail("API_TIMEOUT", "device");
  await subject.monitor.pollOnce(never);
  expect(subject.value(TREE_FAMILIES.sensorStatusCode, { sensor_id: "52" })).toBe(4);
  expect(subject.value(TREE_FAMILIES.nodeStatusCode, { kind: "group" })).toBe(3);
  expect(subject.value(TREE_FAMILIES.nodeStatusCode, { kind: "device" })).toBeUndefined();
  expect(await subject.own("prtg_exporter_collector_success", { collector: "status" })).toBe(0);
  expect(await subject.own("prtg_exporter_collector_complete", { collector: "status" })).toBe(0);
});

test("an unreachable server does not get requests for every list", async () => {
  const subject = memoryPipeline(smallServer());
  subject.server.fail("API_CONNECTION_FAILED", "summary");
  void subject.monitor.start();
  await subject.clock.advance(0);
  const asked = subject.server.timesAsked("group");
  await subject.clock.advance(30 * SECOND);
  expect(subject.server.timesAsked("summary")).toBe(2);
  expect(subject.server.timesAsked("group")).toBe(asked);
  await subject.monitor.stop();
});

test("an incomplete list is no failure, but a metric reports it", async () => {
  const subject = memoryPipeline(smallServer());
  subject.server.incomplete.add("group");
  expect(await subject.monitor.pollOnce(never)).toBe(true);
  for (const collector of ["tree", "status"]) {
    expect(await subject.own("prtg_exporter_collector_success", { collector })).toBe(1);
    expect(await subject.own("prtg_exporter_collector_complete", { collector })).toBe(0);
  }
});

test("a server without a list of groups works without groups", async () => {
  const subject = memoryPipeline(smallServer());
  subject.server.fail("API_ENDPOINT_MISSING", "group");
  for (let poll = 0; poll < 3; poll++) expect(await subject.monitor.pollOnce(never)).toBe(true);
  expect(subject.series(TREE_FAMILIES.sensorStatus)).toHaveLength(2);
  expect(subject.log.filter(({ msg }) => msg.includes("without the list of groups"))).toHaveLength(1);
});
