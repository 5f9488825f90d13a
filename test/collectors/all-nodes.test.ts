import { expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import { record } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";
import { HOUR, type MemoryPipeline, MINUTE, memoryPipeline, SCHEDULED } from "./memory-pipeline.ts";
import type { MemoryServer } from "./memory-server.ts";
import { smallServer } from "./small-server.ts";

const LISTS = ["summary", "sensor", "device", "group", "probe"];
const TREE_LISTS = ["sensor", "device", "group", "probe", "counts"];
const SINCE = Date.UTC(2026, 0, 1);

/** Reads only statuses, so far once, from lists per kind. */
async function oneOfMany(prepare: (server: MemoryServer) => void = () => undefined, isOneOfMany = true) {
  const server = smallServer();
  server.hasAllNodes = true;
  server.change("50", { statusSince: SINCE });
  prepare(server);
  const { status } = SCHEDULED;
  const subject = memoryPipeline(server, { isOneOfMany, schedules: { status } });
  expect(await asked(subject)).toEqual(LISTS);
  return subject;
}

/** Like `oneOfMany`, but reads only the tree. */
async function treeOfOneOfMany(prepare: (server: MemoryServer) => void = () => undefined) {
  const server = smallServer();
  server.hasAllNodes = true;
  server.change("50", { intervalSeconds: 60, dependsOn: "51" });
  prepare(server);
  const { tree } = SCHEDULED;
  const subject = memoryPipeline(server, { isOneOfMany: true, schedules: { tree }, dependencyInfo: true });
  expect(await asked(subject)).toEqual(TREE_LISTS);
  return subject;
}

/** Requests of one run, without options. */
async function asked({ server, monitor }: MemoryPipeline): Promise<string[]> {
  const from = server.asked.length;
  await monitor.pollOnce(never);
  return server.asked.slice(from).map((each) => each.split(" ")[0] ?? "");
}

test("one request reads the statuses of a small server among many, instead of five", async () => {
  const subject = await oneOfMany();
  subject.server.change("51", { status: "down" });
  expect(await asked(subject)).toEqual(["all"]);
  expect(subject.value(TREE_FAMILIES.sensorStatus, { sensor_id: "51", status: "down" })).toBe(1);
  expect(subject.value(TREE_FAMILIES.sensors, { status: "down" })).toBe(1);
  expect(await subject.own("prtg_up")).toBe(1);
});

test("the list of all objects may contain the root, and facts that only some objects have", async () => {
  const subject = await oneOfMany((server) => {
    server.change("51", { message: "OK", lastUp: SINCE, lastDown: SINCE });
    server.onlyInAll.push(record("group", "0", undefined));
  });
  expect(await asked(subject)).toEqual(["all"]);
});

test.each([15, 30, 120])(
  "the collector reads each list and the counts every 30 minutes, polling every %i s",
  async (s) => {
    const subject = await oneOfMany();
    for (let seconds = s; seconds < 1_800; seconds += s) {
      await subject.clock.advance(s * 1_000);
      expect(await asked(subject)).toEqual(["all"]);
    }
    await subject.clock.advance(s * 1_000);
    expect(await asked(subject)).toEqual(LISTS);
    expect(await asked(subject)).toEqual(["all"]);
  },
);

test("one request reads the tree of a small server among many, instead of four", async () => {
  const subject = await treeOfOneOfMany();
  await subject.clock.advance(29 * MINUTE);
  expect(await asked(subject)).toEqual(["all", "counts"]);
  await subject.clock.advance(MINUTE);
  expect(await asked(subject)).toEqual(TREE_LISTS);
  expect(await asked(subject)).toEqual(["all", "counts"]);
  subject.server.put(record("sensor", "52", "40"));
  expect(await asked(subject)).toEqual(["all", ...TREE_LISTS]);
  expect(subject.monitor.node("52")).toBeDefined();
});

test("the list of all objects confirms data that would expire", async () => {
  const subject = await treeOfOneOfMany();
  for (let minutes = 0; minutes < 60; minutes += 5) {
    await subject.clock.advance(5 * MINUTE);
    await asked(subject);
  }
  expect(subject.value(TREE_FAMILIES.sensorInterval, { sensor_id: "50" })).toBe(60);
  expect(subject.value(TREE_FAMILIES.dependencyInfo, { id: "50", depends_on_id: "51" })).toBe(1);
});

test.each<Partial<NodeRecord>>([{ intervalSeconds: undefined }, { dependsOn: undefined }])(
  "the collector does not use a list of all objects with %j",
  async (untold) => {
    const subject = await treeOfOneOfMany((server) => {
      server.untoldInAll = untold;
    });
    for (let poll = 0; poll < 3; poll++) expect(await asked(subject)).toEqual(["all", ...TREE_LISTS]);
    expect(await asked(subject)).toEqual(TREE_LISTS);
  },
);

test("the collector asks for the server's counts if they differ from the lists", async () => {
  const subject = await oneOfMany((server) => {
    server.summary = { counts: new Map([["up", 7]]), total: 7 };
  });
  expect(await asked(subject)).toEqual(["all", "summary"]);
  expect(subject.value(TREE_FAMILIES.sensors, { status: "up" })).toBe(7);
});

test("a new object makes the same run read the list of each kind", async () => {
  const subject = await oneOfMany();
  subject.server.put(record("sensor", "52", "40"));
  expect(await asked(subject)).toEqual(["all", ...LISTS]);
  expect(subject.monitor.node("52")).toBeDefined();
  expect(await asked(subject)).toEqual(["all"]);
  subject.server.remove("52");
  // An object ends after two lists without it.
  expect(await asked(subject)).toEqual(["all", ...LISTS]);
  expect(await asked(subject)).toEqual(LISTS);
  expect(subject.monitor.node("52")).toBeUndefined();
  expect(await asked(subject)).toEqual(["all"]);
});

test.each<[string, (server: MemoryServer) => void]>([
  ["lacks an object", (server) => server.hiddenInAll.add("51")],
  ["is not complete", (server) => server.incomplete.add("all")],
  ["omits the start of a status", (server) => (server.untoldInAll = { statusSince: undefined })],
  ["omits the message", (server) => (server.untoldInAll = { message: undefined })],
  ["omits the last time up", (server) => (server.untoldInAll = { lastUp: undefined })],
  ["omits the last time down", (server) => (server.untoldInAll = { lastDown: undefined })],
  ["has another name for an object", (server) => (server.untoldInAll = { name: "another" })],
  ["has no counts of sensors", (server) => (server.untoldInAll = { summary: undefined })],
])("the collector skips a list of all objects that %s for an hour", async (_, prepare) => {
  const subject = await oneOfMany((server) => {
    server.change("1", { summary: { counts: new Map([["up", 2]]), total: 2 } });
    server.change("51", { message: "OK", lastUp: SINCE, lastDown: SINCE });
    prepare(server);
  });
  for (let poll = 0; poll < 3; poll++) expect(await asked(subject)).toEqual(["all", ...LISTS]);
  expect(await asked(subject)).toEqual(LISTS);
  expect(subject.log.filter(({ msg }) => msg.startsWith("not using the list of all objects"))).toHaveLength(1);
  expect(subject.value(TREE_FAMILIES.sensorStatus, { sensor_id: "51" })).toBe(1);
  await subject.clock.advance(HOUR);
  subject.server.recover();
  subject.server.hiddenInAll.clear();
  subject.server.untoldInAll = {};
  // The lists of each kind are half an hour old, too.
  expect(await asked(subject)).toEqual(LISTS);
  expect(await asked(subject)).toEqual(["all"]);
});

test("a failing list of all objects costs one request an hour and does not fail the run", async () => {
  const subject = await oneOfMany();
  subject.server.fail("API_ENDPOINT_MISSING", "all");
  expect(await asked(subject)).toEqual(["all", ...LISTS]);
  expect(await asked(subject)).toEqual(LISTS);
  expect(await subject.own("prtg_up")).toBe(1);
});

test("an unreachable server gets one request, and then each list after its recovery", async () => {
  const subject = await oneOfMany();
  subject.server.fail("API_CONNECTION_FAILED", "all");
  expect(await asked(subject)).toEqual(["all"]);
  expect(await subject.own("prtg_up")).toBe(0);
  subject.server.recover();
  expect(await asked(subject)).toEqual(LISTS);
  expect(await subject.own("prtg_up")).toBe(1);
  expect(await asked(subject)).toEqual(["all"]);
});

test.each<[string, (server: MemoryServer) => void, boolean]>([
  ["if there are few servers", () => undefined, false],
  ["if the server has many objects", (server) => putSensors(server, 2_000), true],
  ["if a list is incomplete", (server) => server.incomplete.add("group"), true],
])("the collector reads each list %s", async (_, prepare, isOneOfMany) => {
  const subject = await oneOfMany(prepare, isOneOfMany);
  expect(await asked(subject)).toEqual(LISTS);
});

function putSensors(server: MemoryServer, count: number): void {
  for (let index = 0; index < count; index++) server.put(record("sensor", String(1_000 + index), "40"));
}
