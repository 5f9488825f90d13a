import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { record } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";
import { HOUR, type MemoryPipeline, MINUTE, memoryPipeline, SECOND } from "./memory-pipeline.ts";
import { channel, smallServer } from "./small-server.ts";

const VALUE = TREE_FAMILIES.channelValue;
const FIRST = { sensor_id: "50", channel_id: "0" };

async function polled(setUp: Parameters<typeof memoryPipeline>[1] = {}): Promise<MemoryPipeline> {
  const subject = memoryPipeline(smallServer(), setUp);
  await subject.monitor.pollOnce(never);
  return subject;
}

describe("channel", () => {
  test("has the labels of its sensor and its own", async () => {
    const { series } = await polled();
    expect(series(VALUE)).toContainEqual({
      value: 50,
      labels: {
        server: "hq",
        sensor_id: "50",
        channel_id: "1",
        probe: "Berlin",
        group: "Network",
        device: "sw-1",
        sensor: "Uplink",
        channel: "channel 1",
        unit: "%",
        path: "Berlin/Network/sw-1/Uplink",
      },
    });
    expect(series(TREE_FAMILIES.sensorLastMeasurement)).toHaveLength(2);
  });

  test.each([
    { what: "its value is null", more: { value: undefined } },
    { what: "it was never measured", more: { measuredAt: undefined } },
  ])("has no value series when $what, instead of 0", async ({ more }) => {
    const { server, clock, monitor, series, value } = await polled();
    server.channelRecords = [channel("50.0", { measuredAt: clock.now(), ...more }), ...server.channelRecords.slice(1)];
    await monitor.pollOnce(never);
    expect(value(VALUE, FIRST)).toBeUndefined();
    expect(series(VALUE)).toHaveLength(2);
  });

  test("shows 0, negative and huge values", async () => {
    const { server, clock, monitor, value } = await polled();
    for (const given of [0, -1635, Number.MAX_VALUE]) {
      server.channelRecords = [channel("50.0", { measuredAt: clock.now(), value: given })];
      await monitor.pollOnce(never);
      expect(value(VALUE, FIRST)).toBe(given);
    }
  });

  test("ends after two complete polls without it", async () => {
    const { server, monitor, value } = await polled();
    const [first, ...others] = server.channelRecords;
    const step = async (records: typeof server.channelRecords, complete: boolean) => {
      server.channelRecords = records;
      if (complete) server.incomplete.delete("channels");
      else server.incomplete.add("channels");
      await monitor.pollOnce(never);
      return value(VALUE, FIRST);
    };
    expect(await step(others, true)).toBe(50);
    expect(await step(others, false)).toBe(50);
    expect(await step(first === undefined ? [] : [first, ...others], true)).toBe(50);
    expect(await step(others, true)).toBe(50);
    expect(await step(others, false)).toBe(50);
    expect(await step(others, true)).toBeUndefined();
  });

  test("adopts a new name and unit without a second series", async () => {
    const { server, clock, monitor, series } = await polled();
    server.channelRecords = [channel("50.0", { measuredAt: clock.now(), name: "In", unit: "Mbit/s" })];
    await monitor.pollOnce(never);
    const found = series(VALUE).filter(({ labels }) => labels.sensor_id === "50" && labels.channel_id === "0");
    expect(found.map(({ labels }) => [labels.channel, labels.unit])).toEqual([["In", "Mbit/s"]]);
  });

  test("can have a negative number", async () => {
    const { server, clock, monitor, value } = await polled();
    server.channelRecords.push(channel("50.-4", { measuredAt: clock.now(), value: 1 }));
    await monitor.pollOnce(never);
    expect(value(VALUE, { sensor_id: "50", channel_id: "-4" })).toBe(1);
  });

  test("keeps its last value during failed polls for a limited time", async () => {
    const { server, clock, monitor, series } = await polled();
    server.fail("API_TIMEOUT", "channels");
    await clock.advance(4 * MINUTE);
    await monitor.pollOnce(never);
    expect(series(VALUE)).toHaveLength(3);
    await clock.advance(HOUR);
    expect(series(VALUE)).toEqual([]);
  });
});

describe("measurement", () => {
  test.each([
    { name: "at least five minutes", intervalSeconds: 60, stale: 5 * MINUTE },
    { name: "three intervals", intervalSeconds: 600, stale: 30 * MINUTE },
    { name: "five minutes if the interval is unknown", intervalSeconds: undefined, stale: 5 * MINUTE },
    { name: "the configured time", intervalSeconds: 600, staleAfterMs: 90 * SECOND, stale: 90 * SECOND },
  ])("is available for $name", async ({ intervalSeconds, staleAfterMs, stale }) => {
    const { server, clock, monitor, value } = memoryPipeline(smallServer(), { staleAfterMs });
    server.change("50", { intervalSeconds });
    const age = 30 * SECOND;
    await clock.advance(age);
    await monitor.pollOnce(never);
    await clock.advance(stale - age - 1);
    expect(value(VALUE, FIRST)).toBe(50);
    await clock.advance(1);
    expect(value(VALUE, FIRST)).toBeUndefined();
    // The same measurement again does not revive it.
    await monitor.pollOnce(never);
    expect(value(VALUE, FIRST)).toBeUndefined();
    expect(value(TREE_FAMILIES.sensorLastMeasurement, { sensor_id: "50" })).toBe((clock.now() - stale) / 1000);
  });

  test("has the age of the server's clock", async () => {
    const { server, clock, monitor, value } = memoryPipeline(smallServer());
    const ahead = 2 * HOUR;
    server.offsetMs = ahead;
    server.channelRecords = [channel("50.0", { measuredAt: clock.now() + ahead - MINUTE })];
    await monitor.pollOnce(never);
    await clock.advance(4 * MINUTE - 1);
    expect(value(VALUE, FIRST)).toBe(50);
    await clock.advance(1);
    expect(value(VALUE, FIRST)).toBeUndefined();
  });

  test("expires if it is from the future", async () => {
    const { server, clock, monitor, value } = memoryPipeline(smallServer());
    server.channelRecords = [channel("50.0", { measuredAt: clock.now() + 24 * HOUR })];
    for (let minute = 0; minute < 5; minute++) {
      await monitor.pollOnce(never);
      expect(value(VALUE, FIRST)).toBe(50);
      await clock.advance(MINUTE);
    }
    await monitor.pollOnce(never);
    expect(value(VALUE, FIRST)).toBeUndefined();
    server.channelRecords = [channel("50.0", { measuredAt: clock.now() + 25 * HOUR })];
    await monitor.pollOnce(never);
    expect(value(VALUE, FIRST)).toBe(50);
  });

  test("survives a jump of the wall clock", async () => {
    const { clock, value } = await polled();
    clock.setWallClock(clock.now() + 24 * HOUR);
    expect(value(VALUE, FIRST)).toBe(50);
  });

  test("sets the newest time of the sensor's channels", async () => {
    const { server, clock, monitor, value } = await polled();
    const now = clock.now();
    server.channelRecords = [
      channel("50.0", { measuredAt: now - 5000 }),
      channel("51.0", { measuredAt: now - 9000 }),
      channel("50.1", { measuredAt: now - 1000 }),
      channel("50.2", { measuredAt: now - 3000, value: undefined }),
    ];
    await monitor.pollOnce(never);
    expect(value(TREE_FAMILIES.sensorLastMeasurement, { sensor_id: "50" })).toBe((now - 1000) / 1000);
    server.change("50", { status: "pausedbyuser" });
    await clock.advance(24 * HOUR);
    await monitor.pollOnce(never);
    expect(value(TREE_FAMILIES.sensorLastMeasurement, { sensor_id: "50" })).toBe((now - 1000) / 1000);
  });
});

describe("paused sensor", () => {
  test("loses its values at the status poll and regains them at the next channel poll", async () => {
    const { server, clock, monitor, value, series } = memoryPipeline(smallServer());
    const measure = () => {
      server.channelRecords = server.channelRecords.map((each) => ({ ...each, measuredAt: clock.now() }));
    };
    void monitor.start();
    await clock.advance(5 * SECOND);
    server.change("50", { status: "pausedbyschedule" });
    await clock.advance(25 * SECOND);
    expect(series(VALUE).map(({ labels }) => labels.sensor_id)).toEqual(["51"]);
    expect(value(TREE_FAMILIES.sensorStatusCode, { sensor_id: "50" })).toBe(9);
    // The channel poll still returns the last value.
    await clock.advance(MINUTE);
    expect(value(VALUE, FIRST)).toBeUndefined();
    server.change("50", { status: "up" });
    measure();
    await clock.advance(45 * SECOND);
    expect(value(TREE_FAMILIES.sensorStatusCode, { sensor_id: "50" })).toBe(3);
    await clock.advance(45 * SECOND);
    expect(value(VALUE, FIRST)).toBe(50);
    await monitor.stop();
  });

  test.each(["pausedbyuser", "pausedbydependency", "pausedbyschedule", "pausedbylicense", "pauseduntil"] as const)(
    "includes %s",
    async (status) => {
      const { server, monitor, value } = memoryPipeline(smallServer());
      server.change("50", { status });
      await monitor.pollOnce(never);
      expect(value(VALUE, FIRST)).toBeUndefined();
    },
  );

  test.each(["down", "unknown", "disconnected", "acknowledged", "none"] as const)("excludes %s", async (status) => {
    const { server, monitor, value } = memoryPipeline(smallServer());
    server.change("50", { status });
    await monitor.pollOnce(never);
    expect(value(VALUE, FIRST)).toBe(50);
  });
});

describe("channels of an unknown sensor", () => {
  test("wait, appear with the sensor without another poll, and a metric counts them", async () => {
    const { server, clock, monitor, value, own } = memoryPipeline(smallServer());
    void monitor.start();
    await clock.advance(0);
    const channelPolls = () => server.timesAsked("channels");
    server.channelRecords.push(channel("60.0", { value: 7, measuredAt: clock.now() }), channel("60.1"));
    server.fail("API_TIMEOUT", "sensor");
    await clock.advance(MINUTE);
    expect(channelPolls()).toBe(2);
    expect(await own("prtg_exporter_waiting_channels", { server: "hq" })).toBe(2);
    server.recover();
    server.put(record("sensor", "60", "40", { name: "New" }));
    await clock.advance(30 * SECOND);
    expect(channelPolls()).toBe(2);
    expect(value(VALUE, { sensor_id: "60" })).toBe(7);
    expect(value(TREE_FAMILIES.sensorLastMeasurement, { sensor_id: "60" })).toBeDefined();
    expect(await own("prtg_exporter_waiting_channels", { server: "hq" })).toBe(0);
    await monitor.stop();
  });

  test("wait only until the next poll", async () => {
    const { server, monitor, own } = await polled();
    server.channelRecords.push(channel("60.0"));
    await monitor.pollOnce(never);
    expect(await own("prtg_exporter_waiting_channels")).toBe(1);
    server.channelRecords.pop();
    await monitor.pollOnce(never);
    expect(await own("prtg_exporter_waiting_channels")).toBe(0);
  });

  test("stay hidden if the sensor is paused", async () => {
    const { server, clock, monitor, value } = memoryPipeline(smallServer());
    server.channelRecords.push(channel("60.0", { measuredAt: clock.now() }));
    await monitor.pollOnce(never);
    server.put(record("sensor", "60", "40", { status: "pausedbyuser" }));
    server.fail("API_TIMEOUT", "channels");
    await monitor.pollOnce(never);
    expect(value(TREE_FAMILIES.sensorStatusCode, { sensor_id: "60" })).toBe(7);
    expect(value(VALUE, { sensor_id: "60" })).toBeUndefined();
  });

  test("stay hidden after the sensor is deleted", async () => {
    const { server, monitor, series, own } = await polled();
    const channels = server.channelRecords;
    server.remove("50");
    server.channelRecords = channels;
    for (let poll = 0; poll < 2; poll++) await monitor.pollOnce(never);
    expect(series(VALUE).map(({ labels }) => labels.sensor_id)).toEqual(["51"]);
    expect(series(TREE_FAMILIES.sensorLastMeasurement).map(({ labels }) => labels.sensor_id)).toEqual(["51"]);
    expect(await own("prtg_exporter_waiting_channels")).toBe(2);
  });
});

describe("channels without number", () => {
  test("take linear time if one sensor has many in changing order", async () => {
    const { server, clock, monitor, series } = await polled();
    const numbers = Array.from({ length: 20_000 }, (_, number) => number);
    const show = async (order: readonly number[]) => {
      server.channelRecords = order.map((number) =>
        channel(`50.${number}`, { measuredAt: clock.now(), value: number }),
      );
      await monitor.pollOnce(never);
    };
    const before = process.cpuUsage();
    await show(numbers);
    await show(numbers.toReversed());
    await show(numbers.toSorted((a, b) => (a % 977) - (b % 977)));
    expect(series(VALUE)).toHaveLength(20_000);
    // All but one end after two polls without them.
    await show([7]);
    await show([7]);
    expect(series(VALUE).map(({ value }) => value)).toEqual([7]);
    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(20);
  });

  test("stay hidden if their labels are too large, and known ones stay", async () => {
    const { server, clock, monitor, series, own } = await polled({ maxTextSize: 250 });
    expect(series(VALUE)).toHaveLength(3);
    const many = Array.from({ length: 100 }, (_, number) => channel(`50.${number}`, { measuredAt: clock.now() }));
    server.channelRecords = [...server.channelRecords, ...many];
    await monitor.pollOnce(never);
    expect(series(VALUE)).toHaveLength(3);
    expect(await own("prtg_exporter_collector_success", { collector: "channels" })).toBe(0);
  });
});
