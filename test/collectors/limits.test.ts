import { describe, expect, it } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { ChannelLimits } from "../../src/prtg/records.ts";
import { record, reference } from "../model/build-record.ts";
import { channel, HOUR, MINUTE, type Monitored, monitored, smallServer } from "./monitored.ts";

const { signal } = new AbortController();
const ALL: ChannelLimits = { max_error: 90, max_warning: 80, min_warning: 20, min_error: 10 };

async function polled(value: number | undefined, limits: ChannelLimits | undefined): Promise<Monitored> {
  const it = monitored(smallServer());
  it.server.channelRecords = [channel("50.0", { value, measuredAt: it.clock.now(), limits })];
  await it.monitor.pollOnce(signal);
  return it;
}

function byLimit({ series }: Monitored, family: "channelLimit" | "channelLimitExceeded"): Record<string, number> {
  return Object.fromEntries(series(TREE_FAMILIES[family]).map(({ labels, value }) => [labels.limit, value]));
}

describe("limits", () => {
  it.each([
    { value: 50, exceeded: { max_error: 0, max_warning: 0, min_warning: 0, min_error: 0 } },
    { value: 85, exceeded: { max_error: 0, max_warning: 1, min_warning: 0, min_error: 0 } },
    { value: 95, exceeded: { max_error: 1, max_warning: 1, min_warning: 0, min_error: 0 } },
    { value: 90, exceeded: { max_error: 0, max_warning: 1, min_warning: 0, min_error: 0 } },
    { value: 5, exceeded: { max_error: 0, max_warning: 0, min_warning: 1, min_error: 1 } },
    { value: undefined, exceeded: {} },
  ])("with the value $value", async ({ value, exceeded }) => {
    const it = await polled(value, ALL);
    expect(byLimit(it, "channelLimit")).toEqual(ALL);
    expect(byLimit(it, "channelLimitExceeded")).toEqual(exceeded);
  });

  it("have the labels of the channel", async () => {
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

  it("that are not set have no series; those taken away lose theirs", async () => {
    const it = await polled(95, { max_error: 90, max_warning: 80 });
    it.server.channelRecords = [channel("50.0", { value: 95, measuredAt: it.clock.now(), limits: { max_error: 99 } })];
    await it.monitor.pollOnce(signal);
    expect(byLimit(it, "channelLimit")).toEqual({ max_error: 99 });
    expect(byLimit(it, "channelLimitExceeded")).toEqual({ max_error: 0 });
    it.server.channelRecords = [channel("50.0", { value: 95, measuredAt: it.clock.now(), limits: {} })];
    await it.monitor.pollOnce(signal);
    expect(byLimit(it, "channelLimit")).toEqual({});
    expect(byLimit(it, "channelLimitExceeded")).toEqual({});
  });

  it("are not touched by lists that do not carry them", async () => {
    const it = await polled(85, ALL);
    it.server.channelRecords = [channel("50.0", { value: 95, measuredAt: it.clock.now() })];
    await it.monitor.pollOnce(signal);
    expect(byLimit(it, "channelLimit")).toEqual(ALL);
    expect(byLimit(it, "channelLimitExceeded")).toMatchObject({ max_error: 1 });
  });

  it("may come with the values, as in the deprecated list", async () => {
    const it = monitored(smallServer(), { schedules: { tree: every(5), channels: every(1) } });
    it.server.channelRecords = [channel("50.0", { value: 95, measuredAt: it.clock.now(), limits: ALL })];
    await it.monitor.pollOnce(signal);
    expect(it.server.timesAsked("limits")).toBe(0);
    expect(byLimit(it, "channelLimit")).toEqual(ALL);
    expect(byLimit(it, "channelLimitExceeded")).toMatchObject({ max_error: 1 });
  });

  it("follow their channel to another place", async () => {
    const it = await polled(95, ALL);
    it.server.put(record("group", "11", "1", { name: "Edge" }));
    it.server.change("40", { parent: reference("11") });
    it.server.fail("API_TIMEOUT", "channels", "limits");
    await it.monitor.pollOnce(signal);
    const paths = new Set(it.series(TREE_FAMILIES.channelLimit).map(({ labels }) => labels.path));
    expect([...paths]).toEqual(["Berlin/Edge/sw-1/Uplink"]);
  });

  it("go with their channel", async () => {
    const it = await polled(95, ALL);
    it.server.channelRecords = [];
    for (let poll = 0; poll < 2; poll++) await it.monitor.pollOnce(signal);
    expect(byLimit(it, "channelLimit")).toEqual({});
    expect(byLimit(it, "channelLimitExceeded")).toEqual({});
  });

  it("are withdrawn, with the comparison, when three polls did not confirm them", async () => {
    const it = monitored(smallServer());
    const measure = () => {
      const limits = ALL;
      it.server.channelRecords = [channel("50.0", { value: 95, measuredAt: it.clock.now(), limits })];
    };
    measure();
    it.monitor.start();
    await it.clock.advance(0);
    it.server.channelRecords = it.server.channelRecords.map((each) => ({ ...each, limits: undefined }));
    it.server.fail("API_TIMEOUT", "limits");
    for (let minute = 0; minute < 44; minute++) {
      it.server.channelRecords = it.server.channelRecords.map((each) => ({ ...each, measuredAt: it.clock.now() }));
      await it.clock.advance(MINUTE);
    }
    expect(byLimit(it, "channelLimit")).toEqual(ALL);
    expect(byLimit(it, "channelLimitExceeded")).toMatchObject({ max_error: 1 });
    for (let minute = 0; minute < 3; minute++) {
      it.server.channelRecords = it.server.channelRecords.map((each) => ({ ...each, measuredAt: it.clock.now() }));
      await it.clock.advance(MINUTE);
    }
    expect(it.value(TREE_FAMILIES.channelValue, { sensor_id: "50" })).toBe(95);
    expect(byLimit(it, "channelLimit")).toEqual({});
    expect(byLimit(it, "channelLimitExceeded")).toEqual({});
    await it.monitor.stop();
  });
});

describe("the comparison with a limit", () => {
  it("ends with the value", async () => {
    const it = await polled(95, ALL);
    await it.clock.advance(5 * MINUTE);
    expect(byLimit(it, "channelLimitExceeded")).toEqual({});
    expect(byLimit(it, "channelLimit")).toEqual(ALL);
    await it.clock.advance(HOUR);
    expect(byLimit(it, "channelLimit")).toEqual({});
  });

  it("ends when the sensor is paused", async () => {
    const it = await polled(95, ALL);
    it.server.change("50", { status: "pauseduntil" });
    it.server.fail("API_TIMEOUT", "channels", "limits");
    await it.monitor.pollOnce(signal);
    expect(byLimit(it, "channelLimitExceeded")).toEqual({});
    expect(byLimit(it, "channelLimit")).toEqual(ALL);
  });

  it("ends with the confirmation of the limit, before the value does", async () => {
    const it = await polled(95, ALL);
    const remeasure = () => {
      it.server.channelRecords = [channel("50.0", { value: 95, measuredAt: it.clock.now() })];
      return it.monitor.pollOnce(signal);
    };
    it.server.fail("API_TIMEOUT", "limits");
    await it.clock.advance(44 * MINUTE);
    await remeasure();
    expect(byLimit(it, "channelLimitExceeded")).toMatchObject({ max_error: 1 });
    await it.clock.advance(MINUTE);
    expect(byLimit(it, "channelLimitExceeded")).toEqual({});
    await remeasure();
    expect(it.store.table(TREE_FAMILIES.channelLimitExceeded).size).toBe(0);
    expect(it.value(TREE_FAMILIES.channelValue)).toBe(95);
  });
});

function every(minutes: number) {
  return { kind: "interval", everyMs: minutes * MINUTE } as const;
}
