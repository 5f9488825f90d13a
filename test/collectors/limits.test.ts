import { describe, expect, test } from "vitest";
import type { ExtraRead, Extras } from "../../src/lib/extra-work.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { ChannelLimits } from "../../src/prtg/records.ts";
import { record, reference } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";
import { HOUR, type MemoryPipeline, MINUTE, memoryPipeline } from "./memory-pipeline.ts";
import { channel, smallServer } from "./small-server.ts";

const ALL: ChannelLimits = { max_error: 90, max_warning: 80, min_warning: 20, min_error: 10 };

async function polled(value: number | undefined, limits: ChannelLimits | undefined): Promise<MemoryPipeline> {
  const subject = memoryPipeline(smallServer());
  subject.server.channelRecords = [channel("50.0", { value, measuredAt: subject.clock.now(), limits })];
  await subject.monitor.pollOnce(never);
  return subject;
}

function byLimit({ series }: MemoryPipeline, family: "channelLimit" | "channelLimitExceeded"): Record<string, number> {
  return Object.fromEntries(series(TREE_FAMILIES[family]).map(({ labels, value }) => [labels.limit, value]));
}

describe("limits", () => {
  test.each([
    { value: 50, exceeded: { max_error: 0, max_warning: 0, min_warning: 0, min_error: 0 } },
    { value: 85, exceeded: { max_error: 0, max_warning: 1, min_warning: 0, min_error: 0 } },
    { value: 95, exceeded: { max_error: 1, max_warning: 1, min_warning: 0, min_error: 0 } },
    { value: 90, exceeded: { max_error: 0, max_warning: 1, min_warning: 0, min_error: 0 } },
    { value: 5, exceeded: { max_error: 0, max_warning: 0, min_warning: 1, min_error: 1 } },
    { value: undefined, exceeded: {} },
  ])("have comparisons with the value $value", async ({ value, exceeded }) => {
    const subject = await polled(value, ALL);
    expect(byLimit(subject, "channelLimit")).toEqual(ALL);
    expect(byLimit(subject, "channelLimitExceeded")).toEqual(exceeded);
  });

  test("have the labels of the channel", async () => {
    const { series } = await polled(50, { min_error: 1 });
    expect(series(TREE_FAMILIES.channelLimit)).toEqual([
      {
        value: 1,
        labels: {
          server: "hq",
          sensor_id: "50",
          channel_id: "0",
          probe: "Berlin",
          group: "Network",
          device: "sw-1",
          sensor: "Uplink",
          channel: "channel 0",
          unit: "%",
          path: "Berlin/Network/sw-1/Uplink",
          limit: "min_error",
        },
      },
    ]);
  });

  test("have no series without a value, and lose it after removal", async () => {
    const subject = await polled(95, { max_error: 90, max_warning: 80 });
    subject.server.channelRecords = [
      channel("50.0", { value: 95, measuredAt: subject.clock.now(), limits: { max_error: 99 } }),
    ];
    await subject.monitor.pollOnce(never);
    expect(byLimit(subject, "channelLimit")).toEqual({ max_error: 99 });
    expect(byLimit(subject, "channelLimitExceeded")).toEqual({ max_error: 0 });
    subject.server.channelRecords = [channel("50.0", { value: 95, measuredAt: subject.clock.now(), limits: {} })];
    await subject.monitor.pollOnce(never);
    expect(byLimit(subject, "channelLimit")).toEqual({});
    expect(byLimit(subject, "channelLimitExceeded")).toEqual({});
  });

  test("do not change if a list omits them", async () => {
    const subject = await polled(85, ALL);
    subject.server.channelRecords = [channel("50.0", { value: 95, measuredAt: subject.clock.now() })];
    await subject.monitor.pollOnce(never);
    expect(byLimit(subject, "channelLimit")).toEqual(ALL);
    expect(byLimit(subject, "channelLimitExceeded")).toMatchObject({ max_error: 1 });
  });

  test("can come with the values, as in the deprecated list", async () => {
    const subject = memoryPipeline(smallServer(), { schedules: { tree: every(5), channels: every(1) } });
    subject.server.channelRecords = [channel("50.0", { value: 95, measuredAt: subject.clock.now(), limits: ALL })];
    await subject.monitor.pollOnce(never);
    expect(subject.server.timesAsked("limits")).toBe(0);
    expect(byLimit(subject, "channelLimit")).toEqual(ALL);
    expect(byLimit(subject, "channelLimitExceeded")).toMatchObject({ max_error: 1 });
  });

  test("follow their moved channel", async () => {
    const subject = await polled(95, ALL);
    subject.server.put(record("group", "11", "1", { name: "Edge" }));
    subject.server.change("40", { parent: reference("11") });
    subject.server.fail("API_TIMEOUT", "channels", "limits");
    await subject.monitor.pollOnce(never);
    const paths = new Set(subject.series(TREE_FAMILIES.channelLimit).map(({ labels }) => labels.path));
    expect([...paths]).toEqual(["Berlin/Edge/sw-1/Uplink"]);
  });

  test("end with their channel", async () => {
    const subject = await polled(95, ALL);
    subject.server.channelRecords = [];
    for (let poll = 0; poll < 2; poll++) await subject.monitor.pollOnce(never);
    expect(byLimit(subject, "channelLimit")).toEqual({});
    expect(byLimit(subject, "channelLimitExceeded")).toEqual({});
  });

  test("end with the comparison after three polls without confirmation", async () => {
    const subject = memoryPipeline(smallServer());
    const measure = () => {
      const limits = ALL;
      subject.server.channelRecords = [channel("50.0", { value: 95, measuredAt: subject.clock.now(), limits })];
    };
    measure();
    void subject.monitor.start();
    await subject.clock.advance(0);
    subject.server.channelRecords = subject.server.channelRecords.map((each) => ({ ...each, limits: undefined }));
    subject.server.fail("API_TIMEOUT", "limits");
    for (let minute = 0; minute < 44; minute++) {
      subject.server.channelRecords = subject.server.channelRecords.map((each) => ({
        ...each,
        measuredAt: subject.clock.now(),
      }));
      await subject.clock.advance(MINUTE);
    }
    expect(byLimit(subject, "channelLimit")).toEqual(ALL);
    expect(byLimit(subject, "channelLimitExceeded")).toMatchObject({ max_error: 1 });
    for (let minute = 0; minute < 3; minute++) {
      subject.server.channelRecords = subject.server.channelRecords.map((each) => ({
        ...each,
        measuredAt: subject.clock.now(),
      }));
      await subject.clock.advance(MINUTE);
    }
    expect(subject.value(TREE_FAMILIES.channelValue, { sensor_id: "50" })).toBe(95);
    expect(byLimit(subject, "channelLimit")).toEqual({});
    expect(byLimit(subject, "channelLimitExceeded")).toEqual({});
    await subject.monitor.stop();
  });
});

describe("comparison with a limit", () => {
  test("ends with the value", async () => {
    const subject = await polled(95, ALL);
    await subject.clock.advance(5 * MINUTE);
    expect(byLimit(subject, "channelLimitExceeded")).toEqual({});
    expect(byLimit(subject, "channelLimit")).toEqual(ALL);
    await subject.clock.advance(HOUR);
    expect(byLimit(subject, "channelLimit")).toEqual({});
  });

  test("ends when the sensor is paused", async () => {
    const subject = await polled(95, ALL);
    subject.server.change("50", { status: "pauseduntil" });
    subject.server.fail("API_TIMEOUT", "channels", "limits");
    await subject.monitor.pollOnce(never);
    expect(byLimit(subject, "channelLimitExceeded")).toEqual({});
    expect(byLimit(subject, "channelLimit")).toEqual(ALL);
  });

  test("ends without confirmation of the limit, before the value", async () => {
    const subject = await polled(95, ALL);
    const remeasure = () => {
      subject.server.channelRecords = [channel("50.0", { value: 95, measuredAt: subject.clock.now() })];
      return subject.monitor.pollOnce(never);
    };
    subject.server.fail("API_TIMEOUT", "limits");
    await subject.clock.advance(44 * MINUTE);
    await remeasure();
    expect(byLimit(subject, "channelLimitExceeded")).toMatchObject({ max_error: 1 });
    await subject.clock.advance(MINUTE);
    expect(byLimit(subject, "channelLimitExceeded")).toEqual({});
    await remeasure();
    expect(subject.store.table(TREE_FAMILIES.channelLimitExceeded).size).toBe(0);
    expect(subject.value(TREE_FAMILIES.channelValue)).toBe(95);
  });
});

function every(minutes: number) {
  return { kind: "interval", everyMs: minutes * MINUTE } as const;
}

describe("limits under pressure", () => {
  test("are part of the start, and later runs wait, but come before time series", async () => {
    const asked: ExtraRead[] = [];
    const extras: Extras = {
      acquire: async (read) => {
        asked.push(read);
        return () => undefined;
      },
      countDeferred: () => undefined,
    };
    const subject = memoryPipeline(smallServer(), { extras });
    await subject.monitor.pollOnce(never);
    expect(asked).toEqual([]);
    await subject.monitor.pollOnce(never);
    expect(asked).toEqual([
      { collector: "limits", ageMs: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY },
    ]);
  });
});
