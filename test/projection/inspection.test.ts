import { describe, expect, test } from "vitest";
import type { ChannelServing } from "../../src/mapping/channel-serving.ts";
import type { Channel } from "../../src/model/channel.ts";
import { ServerState } from "../../src/model/server-state.ts";
import { type ChannelChoice, inspectSensor } from "../../src/projection/inspection.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import { type ChannelRecord, LIMIT_NAMES } from "../../src/prtg/records.ts";
import { channel } from "../collectors/small-server.ts";
import { contextAt } from "../model/build-context.ts";
import { list, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";

const MINUTE = 60_000;
const ALL = { from: 0, count: 100 };
const KEPT: ChannelServing = { outcome: "unmatched", rule: undefined, original: true, mapped: undefined };
const DROPPED: ChannelServing = { ...KEPT, outcome: "dropped", original: false };

/** Probe 1 and sensor 50. Values last five minutes, other facts ten. */
async function inspected(
  channels: readonly ChannelRecord[] = [],
  servingOf: (channel: Channel) => ChannelServing | undefined = () => KEPT,
) {
  const clock = new ManualClock();
  const state = new ServerState({ staleAfterMs: 5 * MINUTE });
  const tree = (more: Partial<NodeRecord> = {}) => {
    const nodes = { probe: list([record("probe", "1", "0")]), sensor: list([record("sensor", "50", "1", more)]) };
    return state.applyTree({ nodes }, contextAt(clock));
  };
  const poll = (records: readonly ChannelRecord[]) => state.applyChannels(list(records), contextAt(clock));
  await tree();
  await poll(channels);
  const inspect = (choice: ChannelChoice = ALL, sensorId = "50") =>
    inspectSensor("hq", state, { servingOf }, { sensorId, choice, now: clock.monotonic() });
  return {
    ...{ clock, tree, poll, inspect },
    only: () => inspect()?.channels[0],
    series: (at: number, value: number) =>
      state.applySeries(new Map([["50", { at, values: [["0", value]] }]]), contextAt(clock)),
  };
}

const START = new ManualClock().now();

function measured(id = "50.0", more: Partial<ChannelRecord> = {}): ChannelRecord {
  return channel(id, { value: 7, measuredAt: START, ...more });
}

test("inspection shows the facts of a sensor", async () => {
  const { clock, tree, inspect } = await inspected([measured()]);
  const facts = { status: "down", message: "Timeout", lastUp: START - 2, lastDown: START - 1 } as const;
  await tree({ ...facts, statusSince: START - 3 });
  const places = { server: "hq", sensor: { id: "50", name: "sensor 50" } };
  const expected = { ...facts, ...places, lastMeasuredAt: START, staleAfterMs: 5 * MINUTE, channelCount: 1 };
  expect(inspect()).toMatchObject({ ...expected, statusSince: START - 3 });
  await clock.advance(10 * MINUTE);
  expect(inspect()).toMatchObject({ ...expected, statusSince: undefined });
});

test.each(["1", "51"])("inspection finds no sensor with the id %s", async (id) => {
  const { inspect } = await inspected();
  expect(inspect(ALL, id)).toBeUndefined();
});

test.each<[choice: ChannelChoice, from: number, ids: readonly string[]]>([
  [{ from: 0, count: 2 }, 0, ["0", "1"]],
  [{ from: 1, count: 1 }, 1, ["1"]],
  [{ from: 1, count: 9 }, 1, ["1", "2"]],
  [{ from: 9, count: 9 }, 2, ["2"]],
  [{ channelId: "1" }, 0, ["1"]],
  [{ channelId: "9" }, 0, []],
])("the choice %j of three channels begins at %i and has %j", async (choice, from, ids) => {
  const { inspect } = await inspected(["50.0", "50.1", "50.2"].map((id) => measured(id)));
  const { channelCount, channelsFrom, channels } = inspect(choice) ?? {};
  expect([channelCount, channelsFrom, channels?.map(({ channelId }) => channelId)]).toEqual([3, from, ids]);
});

test.each<ChannelChoice>([ALL, { channelId: "0" }, "main"])("no channels fit the choice %j", async (choice) => {
  const { inspect } = await inspected();
  expect(inspect(choice)).toMatchObject({ channelCount: 0, channelsFrom: 0, channels: [], staleAfterMs: undefined });
});

describe("inspection of a channel", () => {
  test("has a value and its time while the exporter serves it", async () => {
    const { only, clock } = await inspected([measured("50.0", { name: "Load", unit: "%" })]);
    const facts = { channelId: "0", name: "Load", unit: "%", measuredAt: START };
    expect(only()).toEqual({ ...facts, state: "served", value: 7, fromSeries: false, limits: {} });
    await clock.advance(5 * MINUTE);
    expect(only()).toMatchObject({ ...facts, state: "stale", value: undefined });
  });

  test("has different states for a missing number and a missing time", async () => {
    const { only, poll } = await inspected([channel("50.0", { value: undefined })]);
    const nothing = { value: undefined, measuredAt: undefined, fromSeries: false };
    expect(only()).toMatchObject({ ...nothing, state: "never_measured" });
    await poll([measured()]);
    await poll([measured("50.0", { value: undefined })]);
    expect(only()).toMatchObject({ state: "no_value", value: undefined, measuredAt: START });
  });

  test("has no value while the sensor is paused", async () => {
    const { only, tree } = await inspected([measured()]);
    await tree({ status: "pausedbyuser" });
    expect(only()).toMatchObject({ state: "paused", value: undefined });
  });

  test("names the time series as the source until a list has a newer value", async () => {
    const { clock, only, poll, series } = await inspected([measured()]);
    await clock.advance(MINUTE);
    await series(clock.now(), 8);
    expect(only()).toMatchObject({ value: 8, measuredAt: START + MINUTE, fromSeries: true });
    await clock.advance(MINUTE);
    await poll([measured("50.0", { value: 9, measuredAt: clock.now() })]);
    expect(only()).toMatchObject({ value: 9, measuredAt: START + 2 * MINUTE, fromSeries: false });
  });

  test("lists the limits that are set, in their usual order", async () => {
    const limits = { min_error: 1, max_error: 9 };
    const { only } = await inspected([measured("50.0", { limits })]);
    const found = Object.entries(only()?.limits ?? {});
    expect(found).toEqual([
      ["max_error", 9],
      ["min_error", 1],
    ]);
    const all = Object.fromEntries(LIMIT_NAMES.toReversed().map((name, at) => [name, at]));
    const { only: other } = await inspected([measured("50.0", { limits: all })]);
    expect(Object.keys(other()?.limits ?? {})).toEqual(LIMIT_NAMES);
  });

  test("shows nothing of a channel that rules drop, except its names", async () => {
    const channels = ["50.0", "50.1"].map((id) => measured(id, { limits: { max_error: 9 } }));
    const { inspect } = await inspected(channels, ({ channelId }) => (channelId === "0" ? DROPPED : undefined));
    expect(inspect()?.channels).toMatchObject([
      { channelId: "0", state: "dropped", value: undefined, limits: {} },
      { channelId: "1", state: "served", value: 7, limits: { max_error: 9 } },
    ]);
  });
});
