import { describe, expect, test } from "vitest";
import {
  CHANNEL_FACTS,
  Channel,
  changeStaleness,
  channelNumbers,
  factsOfValue,
  measure,
  takeLimits,
  takeLookup,
  takeValue,
  withdrawValue,
} from "../../src/model/channel.ts";
import { Lookups } from "../../src/model/lookups.ts";
import { NodeState, nodeTimes } from "../../src/model/node-state.ts";
import type { ChannelRecord } from "../../src/prtg/records.ts";
import { ROOT, record } from "./build-record.ts";

const STALE = 1_000;
/** The server's clock when the monotonic clock is at 0. */
const EPOCH = Date.UTC(2026, 0, 15, 12);
const { measurement, limits, comparison, state } = CHANNEL_FACTS;

function newChannel(): Channel {
  const sensor = new NodeState(nodeTimes(), {
    ...record("sensor", "50", ROOT),
    ...{ inheritedTags: [], parentId: "0", unseen: [], orphan: false },
    ...{ path: "Ping", probe: "", group: "", device: "", deviceId: "" },
  });
  return new Channel(channelNumbers(), sensor, { channelId: "0", name: "Time", unit: "ms" });
}

const at = (monotonic: number, isServerInDoubt = false) => ({ monotonic, server: EPOCH + monotonic, isServerInDoubt });

function sent(more: Partial<ChannelRecord>): ChannelRecord {
  return {
    ...{ sensorId: "50", channelId: "0", name: "Time", unit: "ms", value: 1, measuredAt: EPOCH },
    ...{ limits: undefined, lookup: undefined, ...more },
  };
}

describe("value", () => {
  test.each([
    { what: "without a time", more: { measuredAt: undefined } },
    { what: "without a value", more: { value: undefined } },
  ])("$what withdraws the value before", ({ more }) => {
    const channel = newChannel();
    takeValue(channel, sent({}), STALE, at(0));
    expect(takeValue(channel, sent(more), STALE, at(1))).toBe(measurement);
    expect(channel.valueAt(1)).toBeUndefined();
  });

  test("expires when its measurement is as old as a stale one", () => {
    const channel = newChannel();
    expect(takeValue(channel, sent({ measuredAt: EPOCH + 100 }), STALE, at(300))).toBe(measurement);
    expect([channel.measuredMonotonic, channel.valueExpiresAt]).toEqual([100, 1_100]);
    expect([channel.valueAt(1_099), channel.valueAt(1_100)]).toEqual([1, undefined]);
  });

  test("of a measurement that is stale already is not kept", () => {
    const channel = newChannel();
    takeValue(channel, sent({}), STALE, at(STALE));
    expect([channel.value, channel.measuredAt]).toEqual([undefined, EPOCH]);
  });

  test("of a time in the future counts from its first appearance", () => {
    const channel = newChannel();
    const ahead = { value: 1, measuredAt: EPOCH + 60_000 };
    measure(channel, ahead, STALE, at(0));
    measure(channel, ahead, STALE, at(600));
    expect(channel.valueExpiresAt).toBe(STALE);
    measure(channel, { ...ahead, measuredAt: ahead.measuredAt + 1 }, STALE, at(700));
    expect(channel.valueExpiresAt).toBe(700 + STALE);
  });

  test("that is new counts from now while the server's clock is in doubt, and a known one does not", () => {
    const channel = newChannel();
    const old = { value: 1, measuredAt: EPOCH - 900 };
    measure(channel, old, STALE, at(0, true));
    expect(channel.valueExpiresAt).toBe(100);
    measure(channel, old, STALE, at(50, true));
    expect(channel.valueExpiresAt).toBe(100);
    measure(channel, { value: 2, measuredAt: EPOCH - 800 }, STALE, at(50, true));
    expect([channel.value, channel.valueExpiresAt]).toEqual([2, 50 + STALE]);
  });
});

describe("list that is older than the time series", () => {
  function fromSeries(seriesAt: number): Channel {
    const channel = newChannel();
    channel.seriesAt = seriesAt;
    measure(channel, { value: 7, measuredAt: seriesAt }, STALE, at(500));
    return channel;
  }

  test.each([
    { what: "is ignored", measuredAt: EPOCH + 499, now: 600, value: 7, facts: 0 },
    {
      what: "is taken if its measurement is the same",
      measuredAt: EPOCH + 500,
      now: 600,
      value: 1,
      facts: measurement,
    },
    { what: "is taken if its measurement is newer", measuredAt: EPOCH + 501, now: 600, value: 1, facts: measurement },
    { what: "is ignored until the series is stale", measuredAt: EPOCH + 499, now: 1_499, value: 7, facts: 0 },
  ])("$what", ({ measuredAt, now, value, facts }) => {
    const channel = fromSeries(EPOCH + 500);
    expect(takeValue(channel, sent({ measuredAt }), STALE, at(now))).toBe(facts);
    expect(channel.value).toBe(value);
  });

  test("is taken when the series is stale", () => {
    const channel = fromSeries(EPOCH + 500);
    expect(takeValue(channel, sent({ measuredAt: EPOCH + 499 }), STALE, at(1_500))).toBe(measurement);
  });

  test.each([
    { aheadMs: 60_000, facts: 0 },
    { aheadMs: 60_001, facts: measurement },
  ])("is judged with a tolerance of a minute for the server's clock: $aheadMs", ({ aheadMs, facts }) => {
    const channel = fromSeries(EPOCH + 500 + aheadMs);
    expect(takeValue(channel, sent({ measuredAt: EPOCH + 500 }), STALE, at(500))).toBe(facts);
  });
});

describe("limits", () => {
  test("are reported when they are set, change or end", () => {
    const channel = newChannel();
    const take = (given: ChannelRecord["limits"]) => takeLimits(channel, sent({ limits: given }), 10);
    const changed = limits | comparison;
    expect([take(undefined), take({}), take({ max_error: 1 }), take(undefined), take({}), take({})]).toEqual([
      ...[0, 0, changed, 0, changed, 0],
    ]);
    take({ min_warning: 0 });
    expect(channel.limits).toEqual({ values: { min_warning: 0 }, expiresAt: 10 });
  });

  test("end with the first value after they expired", () => {
    const channel = newChannel();
    takeLimits(channel, sent({ limits: { max_error: 1 } }), 10);
    expect(factsOfValue(channel, at(9))).toBe(measurement | comparison);
    expect(withdrawValue(channel, at(10))).toBe(measurement | comparison | limits);
    expect(factsOfValue(channel, at(10))).toBe(measurement);
  });
});

describe("lookup", () => {
  const door = { id: "door", name: "Door", entries: [{ kind: "range", from: 0, to: 1, text: "x" } as const] };
  const take = (channel: Channel, lookup: string | undefined, known: Lookups | undefined = new Lookups([door])) =>
    takeLookup(channel, sent({ lookup }), known, 10);

  test("is reported when it is set or ends", () => {
    const channel = newChannel();
    expect([take(channel, undefined), take(channel, "window"), take(channel, "door")]).toEqual([0, 0, state]);
    expect(channel.lookup).toEqual({ definition: door, expiresAt: 10 });
    expect([take(channel, undefined), take(channel, ""), take(channel, "")]).toEqual([0, state, 0]);
  });

  test("stays if the server has no lookups at the moment", () => {
    const channel = newChannel();
    take(channel, "door");
    expect(takeLookup(channel, sent({ lookup: "window" }), undefined, 20)).toBe(0);
    expect(channel.lookup?.expiresAt).toBe(10);
  });

  test("ends with the first value after it expired", () => {
    const channel = newChannel();
    take(channel, "door");
    expect(factsOfValue(channel, at(9))).toBe(measurement | state);
    expect(channel.lookup).toBeDefined();
    expect(factsOfValue(channel, at(10))).toBe(measurement | state);
    expect([channel.lookup, factsOfValue(channel, at(11))]).toEqual([undefined, measurement]);
  });
});

test("a longer staleness keeps a value, and does not bring back one that was withdrawn", () => {
  const channel = newChannel();
  measure(channel, { value: 1, measuredAt: EPOCH }, STALE, at(0));
  changeStaleness(channel, 2 * STALE, STALE - 1);
  expect(channel.valueAt(2 * STALE - 1)).toBe(1);
  changeStaleness(channel, STALE, STALE);
  changeStaleness(channel, 3 * STALE, STALE);
  expect(channel.valueAt(STALE)).toBeUndefined();
});
