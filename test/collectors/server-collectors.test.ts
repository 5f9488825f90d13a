import { describe, expect, onTestFinished, test, vi } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { MeasurementEngine, MeasurementProgress } from "../../src/measurements/measurement-engine.ts";
import { record } from "../model/build-record.ts";
import { turnsDuring } from "../support/event-loop-turns.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { HOUR, MINUTE, memoryPipeline, SECOND } from "./memory-pipeline.ts";
import { MemoryServer } from "./memory-server.ts";
import { channel, smallServer } from "./small-server.ts";

const everySeconds = (seconds: number) => ({ kind: "interval", everyMs: seconds * SECOND }) as const;

describe("first runs", () => {
  test("start immediately, in an order that makes the first page complete", async () => {
    const { server, monitor, clock, series } = memoryPipeline(smallServer());
    void monitor.start();
    await clock.advance(0);
    expect(server.asked.map((asked) => asked.split(" ")[0])).toEqual([
      ...["health", "version"],
      ...["sensor", "device", "group", "probe", "counts"],
      ...["summary", "channels", "group", "probe"],
      ...["lookups", "limits"],
    ]);
    expect(series(TREE_FAMILIES.channelValue)).toHaveLength(3);
    expect(series(TREE_FAMILIES.sensorStatusCode)).toHaveLength(2);
    await monitor.stop();
  });

  test("end when every collector has tried", async () => {
    const { server, monitor, clock } = memoryPipeline(smallServer());
    server.fail("API_CONNECTION_FAILED", "health", "sensor", "summary", "counts", "channels", "limits");
    const release = server.hold("channels");
    let over = false;
    await clock.advance(MINUTE);
    void monitor.start().then((isOver) => {
      over = isOver;
    });
    await clock.advance(0);
    expect(over).toBe(false);
    release();
    await clock.advance(0);
    expect(over).toBe(true);
    await monitor.stop();
  });

  test("end before limits, which the first page does not need", async () => {
    const { server, monitor, clock, series } = memoryPipeline(smallServer());
    const release = server.hold("limits");
    const isOver = monitor.start();
    await clock.advance(0);
    expect(await isOver).toBe(true);
    expect(monitor.status().collectors.find(({ name }) => name === "limits")?.state).toBe("running");
    expect(series(TREE_FAMILIES.channelValue)).toHaveLength(3);
    release();
    await clock.advance(0);
    expect(monitor.status().collectors.find(({ name }) => name === "limits")?.state).not.toBe("running");
    await monitor.stop();
  });

  test("wait for their turn, and do not start after a stop", async () => {
    const turn = Promise.withResolvers<void>();
    const { server, monitor, clock } = memoryPipeline(smallServer(), { turnToStart: () => turn.promise });
    const isOver = monitor.start();
    await clock.advance(0);
    expect(server.asked).toEqual([]);
    turn.resolve();
    await clock.advance(0);
    expect(await isOver).toBe(true);
    expect(server.timesAsked("channels")).toBe(1);
    await monitor.stop();
    const late = Promise.withResolvers<void>();
    const stopped = memoryPipeline(smallServer(), { turnToStart: () => late.promise });
    const isStarted = stopped.monitor.start();
    await stopped.monitor.stop();
    late.resolve();
    await stopped.clock.advance(MINUTE);
    expect(await isStarted).toBe(false);
    expect(stopped.server.asked).toEqual([]);
  });

  test("let the page finish before they read limits", async () => {
    const page = Promise.withResolvers<void>();
    const { server, monitor, clock } = memoryPipeline(smallServer(), { pageUpToDate: () => page.promise });
    const isOver = monitor.start();
    await clock.advance(0);
    expect(await isOver).toBe(true);
    expect(server.timesAsked("limits")).toBe(0);
    page.resolve();
    await clock.advance(0);
    expect(server.timesAsked("limits")).toBe(1);
    await monitor.stop();
  });

  test("read limits after the page, even during the next list of channels", async () => {
    const page = Promise.withResolvers<void>();
    const { server, monitor, clock } = memoryPipeline(smallServer(), { pageUpToDate: () => page.promise });
    void monitor.start();
    await clock.advance(0);
    server.hold("channels");
    await clock.advance(MINUTE);
    expect(server.timesAsked("channels")).toBe(2);
    page.resolve();
    await clock.advance(0);
    expect(server.timesAsked("limits")).toBe(1);
    await monitor.stop();
  });

  test("leave optional work to the time series until the page exists", async () => {
    const page = Promise.withResolvers<void>();
    const progress = new MeasurementProgress();
    const { monitor, clock } = memoryPipeline(smallServer(), {
      progress,
      pageUpToDate: () => page.promise,
    });
    const isOver = monitor.start();
    await clock.advance(0);
    expect(await isOver).toBe(true);
    expect(progress.lists).toBe(0);
    page.resolve();
    await clock.advance(0);
    expect(progress.lists).toBe(1);
    expect([...progress.sensors.keys()]).toEqual(["50", "51"]);
    await clock.advance(MINUTE);
    expect(progress.lists).toBe(2);
    await monitor.stop();
  });

  test("leave no work behind if the next list comes first or they stop", async () => {
    const progress = new MeasurementProgress();
    const { monitor, clock } = memoryPipeline(smallServer(), {
      progress,
      pageUpToDate: () => Promise.withResolvers<void>().promise,
    });
    void monitor.start();
    await clock.advance(0);
    expect(progress.lists).toBe(0);
    await clock.advance(MINUTE);
    expect(progress.lists).toBe(2);
    await monitor.stop();
    const other = new MeasurementProgress();
    const stopped = memoryPipeline(smallServer(), {
      progress: other,
      pageUpToDate: () => Promise.withResolvers<void>().promise,
    });
    void stopped.monitor.start();
    await stopped.clock.advance(0);
    await stopped.monitor.stop();
    expect(other.lists).toBe(0);
  });

  test("continue if the time series fail for a list, also with later lists", async () => {
    const progress = new MeasurementProgress();
    const onListPoll = vi.spyOn(MeasurementEngine.prototype, "onListPoll");
    onTestFinished(() => onListPoll.mockRestore());
    onListPoll.mockRejectedValueOnce(new Error("a fault of ours"));
    const { server, monitor, clock } = memoryPipeline(smallServer(), { progress });
    void monitor.start();
    await clock.advance(0);
    expect(onListPoll).toHaveBeenCalledTimes(1);
    expect(server.timesAsked("limits")).toBe(1);
    await clock.advance(MINUTE);
    expect(progress.lists).toBe(1);
    expect(monitor.status().up).toBe(true);
    await monitor.stop();
  });

  test("do not delay values for a slow status list", async () => {
    const { server, monitor, clock, series } = memoryPipeline(smallServer());
    const release = server.hold("summary");
    void monitor.start();
    await clock.advance(0);
    expect(series(TREE_FAMILIES.channelValue)).toHaveLength(3);
    release();
    await monitor.stop();
  });
});

test("after a new selection, channels run again as soon as the tree is complete", async () => {
  const schedules = { tree: everySeconds(300), channels: everySeconds(3_600) };
  const { server, monitor, clock, own } = memoryPipeline(smallServer(), { schedules });
  await monitor.start();
  const [tree, channels] = monitor.collectors.records;
  tree?.awaitNew();
  channels?.awaitNew(tree);
  server.fail("API_TIMEOUT", "sensor");
  await monitor.replace();
  await clock.advance(0);
  expect([server.timesAsked("channels"), await own("prtg_up")]).toEqual([2, 0]);
  server.recover();
  await clock.advance(5 * MINUTE);
  expect([server.timesAsked("channels"), await own("prtg_up")]).toEqual([3, 1]);
  await clock.advance(5 * MINUTE);
  expect(server.timesAsked("channels")).toBe(3);
  await monitor.stop();
});

describe("stopped monitor", () => {
  test("aborts runs, counts no failure, and sends no more requests", async () => {
    const { server, monitor, clock, own, log } = memoryPipeline(smallServer());
    void monitor.start();
    await clock.advance(0);
    server.hold("channels");
    await clock.advance(MINUTE);
    expect(monitor.status().collectors.find(({ name }) => name === "channels")?.state).toBe("running");
    const asked = server.asked.length;
    await monitor.stop();
    await clock.advance(HOUR);
    expect(server.asked).toHaveLength(asked);
    expect(await own("prtg_exporter_collector_success", { collector: "channels" })).toBe(1);
    expect(log.filter(({ level }) => level >= 40)).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  test("reports that its first runs did not end", async () => {
    const { server, monitor, clock } = memoryPipeline(smallServer());
    server.hold("health");
    const first = monitor.start();
    await clock.advance(0);
    await monitor.stop();
    expect(await first).toBe(false);
    await clock.advance(HOUR);
    expect(server.asked).toEqual(["health"]);
  });
});

describe("pollOnce", () => {
  test("runs every collector once, in order, without a schedule", async () => {
    const { server, monitor, clock, series } = memoryPipeline(smallServer());
    // An unknown parent must not trigger more.
    server.put(record("sensor", "52", "99"));
    expect(await monitor.pollOnce(never)).toBe(true);
    expect(server.asked.map((asked) => asked.split(" ")[0])).toEqual([
      ...["health", "version"],
      ...["sensor", "device", "group", "probe", "counts"],
      ...["summary", "group", "probe"],
      "channels",
      ...["lookups", "limits"],
    ]);
    expect(series(TREE_FAMILIES.channelValue)).toHaveLength(3);
    expect(clock.pending).toEqual([]);
  });

  test("reports a failed part and continues with the others", async () => {
    const { server, monitor, series } = memoryPipeline(smallServer());
    server.fail("API_SERVER_ERROR", "group");
    expect(await monitor.pollOnce(never)).toBe(false);
    expect(series(TREE_FAMILIES.channelValue)).toHaveLength(3);
  });

  test("stops on request", async () => {
    const { server, monitor } = memoryPipeline(smallServer());
    const stopping = new AbortController();
    server.hold("channels");
    const polled = monitor.pollOnce(stopping.signal);
    setImmediate(() => stopping.abort());
    expect(await polled).toBe(false);
    expect(server.timesAsked("limits")).toBe(0);
  });
});

describe("prtg_up", () => {
  test.each([
    { question: "health" as const, wait: 15 * SECOND },
    { question: "device" as const, wait: 30 * SECOND },
    { question: "counts" as const, wait: 5 * MINUTE },
    { question: "channels" as const, wait: MINUTE },
  ])("is 0 until all have worked, and while $question fails", async ({ question, wait }) => {
    const { server, monitor, clock, own } = memoryPipeline(smallServer());
    expect(await own("prtg_up", { server: "hq" })).toBe(0);
    const release = server.hold("channels");
    void monitor.start();
    await clock.advance(0);
    expect(await own("prtg_up")).toBe(0);
    release();
    await clock.advance(0);
    expect(await own("prtg_up")).toBe(1);
    server.fail("API_TIMEOUT", question);
    await clock.advance(wait);
    expect(await own("prtg_up")).toBe(0);
    expect(monitor.status().up).toBe(false);
    server.recover();
    await clock.advance(wait);
    expect(await own("prtg_up")).toBe(1);
    await monitor.stop();
  });

  test("ignores disabled collectors and limits", async () => {
    const { server, monitor, own } = memoryPipeline(smallServer(), {
      schedules: { health: everySeconds(15), channels: everySeconds(60), limits: everySeconds(60) },
    });
    server.fail("API_TIMEOUT", "limits");
    expect(await monitor.pollOnce(never)).toBe(false);
    expect(await own("prtg_up")).toBe(1);
    expect(server.timesAsked("sensor")).toBe(0);
  });
});

test("servers share a store without effect on each other", async () => {
  const here = memoryPipeline(smallServer());
  const there = memoryPipeline(smallServer(), { store: here.store, server: "branch" });
  there.server.channelRecords = there.server.channelRecords.map((each) => ({ ...each, value: 7 }));
  await Promise.all([here.monitor.pollOnce(never), there.monitor.pollOnce(never)]);
  const sensor = { sensor_id: "50", channel_id: "0" };
  expect(here.value(TREE_FAMILIES.channelValue, { server: "hq", ...sensor })).toBe(50);
  expect(here.value(TREE_FAMILIES.channelValue, { server: "branch", ...sensor })).toBe(7);
  there.server.remove("50");
  for (let poll = 0; poll < 2; poll++) await there.monitor.pollOnce(never);
  expect(here.value(TREE_FAMILIES.channelValue, { server: "branch", ...sensor })).toBeUndefined();
  expect(here.value(TREE_FAMILIES.channelValue, { server: "hq", ...sensor })).toBe(50);
});

test("the monitor reports the state of each collector", async () => {
  const { server, monitor, clock } = memoryPipeline(smallServer());
  server.fail("API_TIMEOUT", "limits");
  const startedAt = clock.now();
  void monitor.start();
  await clock.advance(10 * SECOND);
  const { collectors, ...status } = monitor.status();
  expect(status).toEqual({
    up: true,
  });
  expect(collectors.map(({ name }) => name)).toEqual(["health", "tree", "status", "channels", "limits"]);
  expect(collectors[1]).toEqual({
    name: "tree",
    state: "waiting",
    lastSuccessAt: startedAt,
    lastDurationMs: 0,
    nextRunAt: startedAt + 5 * MINUTE,
    skippedRuns: 0,
    failedRuns: 0,
    complete: true,
    error: undefined,
  });
  expect(collectors[4]).toMatchObject({
    lastSuccessAt: undefined,
    failedRuns: 1,
    complete: false,
    error: expect.stringContaining("limits failed"),
  });
  await monitor.stop();
});

test("the monitor reports the clock difference of the server", async () => {
  const { server, monitor, own } = memoryPipeline(smallServer());
  server.offsetMs = -2500;
  await monitor.pollOnce(never);
  expect(await own("prtg_exporter_server_clock_offset_seconds", { server: "hq" })).toBe(-2.5);
});

test("the monitor accepts an empty server", async () => {
  const { monitor, series, value } = memoryPipeline(new MemoryServer());
  expect(await monitor.pollOnce(never)).toBe(true);
  expect(value(TREE_FAMILIES.sensors, { status: "up" })).toBe(0);
  expect(value(TREE_FAMILIES.objects, { kind: "channel" })).toBeUndefined();
  expect(series(TREE_FAMILIES.channelValue)).toEqual([]);
});

test("the monitor shows a large first poll without blocking the event loop", async () => {
  const server = smallServer();
  for (let index = 0; index < 3000; index++) server.put(record("sensor", String(1000 + index), "40"));
  const measuredAt = Date.UTC(2026, 0, 15, 12);
  server.channelRecords = Array.from({ length: 15_000 }, (_, index) =>
    channel(`${1000 + (index % 3000)}.${Math.floor(index / 3000)}`, { measuredAt }),
  );
  // Independent of the machine: every look at the clock ends a slice.
  let elapsed = 0;
  const clock = Object.assign(new ManualClock(measuredAt), { monotonic: () => (elapsed += 8) });
  const { monitor, store } = memoryPipeline(server, { clock });
  const turns = await turnsDuring(() => monitor.pollOnce(never));
  expect(store.table(TREE_FAMILIES.channelValue).size).toBe(15_000);
  expect(turns).toBeGreaterThan(10);
});
