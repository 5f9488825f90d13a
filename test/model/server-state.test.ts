import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHANNEL_FACTS, type Channel } from "../../src/model/channel.ts";
import { Lookups } from "../../src/model/lookups.ts";
import { NODE_FACTS } from "../../src/model/node-state.ts";
import { ServerState } from "../../src/model/server-state.ts";
import { NO_OBSERVER, type StateObserver } from "../../src/model/state-observer.ts";
import type { NodeKind, NodeRecord } from "../../src/prtg/node-record.ts";
import type { ChannelRecord } from "../../src/prtg/records.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { channel } from "../collectors/small-server.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { contextAt } from "./build-context.ts";
import { list, record } from "./build-record.ts";

const MINUTE = 60_000;

/** Sensor 50, stopped clock. */
function sensorServer(observer: StateObserver = NO_OBSERVER) {
  const clock = new ManualClock();
  const state = new ServerState({ staleAfterMs: 5 * MINUTE });
  state.observe(observer);
  let isServerInDoubt = false;
  const context = () => contextAt(clock, isServerInDoubt);
  const known = (): Channel => {
    const found = state.channel("50", "0");
    if (found === undefined) throw new Error("channel 50.0 is not known");
    return found;
  };
  return {
    ...{ clock, state, known, context },
    doubt: () => {
      isServerInDoubt = true;
    },
    tree: (more: Partial<NodeRecord> = {}) =>
      state.applyTree({ nodes: { sensor: list([record("sensor", "50", "0", more)]) } }, context()),
    /** Only 50.0. Default: measured now. */
    channels: (more: Partial<ChannelRecord> = {}) =>
      state.applyChannels(list([channel("50.0", { measuredAt: clock.now(), ...more })]), context()),
    value: () => known().valueAt(clock.monotonic()),
  };
}

describe("ServerState", () => {
  test("counts sensors by status like a walk through the tree", async () => {
    const statuses = fc.constantFrom<StatusToken>("up", "down", "warning", "pausedbyuser", "unknown");
    const kinds = fc.constantFrom<NodeKind>("device", "sensor");
    const records = fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), kinds, statuses), { maxLength: 8 });
    const polls = fc.array(fc.tuple(records, fc.boolean()), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(polls, async (all) => {
        const { state, context } = sensorServer();
        for (const [listed, complete] of all) {
          const of = (kind: NodeKind) => {
            const own = listed.filter((each) => each[1] === kind);
            return list(
              own.map(([id, , status]) => record(kind, String(id), "0", { status })),
              complete,
            );
          };
          await state.applyTree({ nodes: { device: of("device"), sensor: of("sensor") } }, context());
          const walked = new Map<StatusToken, number>();
          for (const { node, status = "unknown" } of state.nodes()) {
            if (node.kind === "sensor") walked.set(status, (walked.get(status) ?? 0) + 1);
          }
          expect(Object.fromEntries(state.sensorsByStatus)).toEqual(Object.fromEntries(walked));
        }
      }),
    );
  });

  test("knows when a list last showed every object of its kind", async () => {
    const { clock, state, context } = sensorServer();
    const apply = (...sensor: Parameters<typeof list<NodeRecord>>) =>
      state.applyTree({ nodes: { sensor: list(...sensor) } }, context());
    expect(state.provenAt("sensor")).toBeUndefined();
    await apply([record("sensor", "50", "0")]);
    const first = clock.monotonic();
    expect(state.provenAt("sensor")).toBe(first);
    expect(state.provenAt("device")).toBeUndefined();
    await clock.advance(MINUTE);
    await apply([record("sensor", "50", "0")], false);
    await state.applyTree({ nodes: { sensor: { ...list([record("sensor", "50", "0")]), hidden: 1 } } }, context());
    expect(state.provenAt("sensor")).toBe(first);
    await apply([record("sensor", "50", "0")]);
    expect(state.provenAt("sensor")).toBe(first + MINUTE);
  });

  test("lets a channel wait for its sensor, and removes both together", async () => {
    const { state, tree, channels, value, context } = sensorServer();
    await channels({ value: 1 });
    expect([state.channels.count, state.channels.waiting, [...state.unknownIds()]]).toEqual([0, 1, ["50"]]);
    await tree();
    expect([state.channels.count, state.channels.waiting, value()]).toEqual([1, 0, 1]);
    for (let poll = 0; poll < 2; poll++) await state.applyTree({ nodes: { sensor: list([]) } }, context());
    expect([state.channels.count, state.channel("50", "0"), state.node("50")]).toEqual([0, undefined, undefined]);
  });

  test("gives a waiting channel the value of its list, even if the record changes", async () => {
    const { clock, state, tree, value, context } = sensorServer();
    const record = { ...channel("50.0", { measuredAt: clock.now(), value: 1 }) };
    await state.applyChannels(list([record]), context());
    Object.assign(record, { value: 2 });
    await tree();
    expect(value()).toBe(1);
  });

  test("removes a channel that two complete lists in a row lack", async () => {
    const { state, tree, channels, context } = sensorServer();
    await tree();
    await channels();
    await state.applyChannels(list([]), context());
    expect(state.channels.count).toBe(1);
    await channels();
    await state.applyChannels(list([]), context());
    expect(state.channels.count).toBe(1);
    await state.applyChannels(list([]), context());
    expect(state.channels.count).toBe(0);
  });

  test("keeps a channel that may be hidden in the lists that lack it", async () => {
    const { state, tree, context } = sensorServer();
    await tree();
    await state.applyChannels(list([channel("50.0"), channel("50.1")]), context());
    const hiding = { ...list([channel("50.0")]), hidden: 1 };
    for (let poll = 0; poll < 3; poll++) await state.applyChannels(hiding, context());
    expect(state.channels.count).toBe(2);
    for (let poll = 0; poll < 2; poll++) await state.applyChannels({ ...hiding, hidden: 0 }, context());
    expect(state.channels.count).toBe(1);
  });

  test("keeps a value until its measurement is too old", async () => {
    const { clock, tree, channels, value } = sensorServer();
    await tree();
    await channels({ value: 1, measuredAt: clock.now() - 2 * MINUTE });
    await clock.advance(3 * MINUTE - 1);
    expect(value()).toBe(1);
    await clock.advance(1);
    expect(value()).toBeUndefined();
  });

  test("ignores an older list until the time series is too old", async () => {
    const { clock, state, tree, channels, value, context } = sensorServer();
    await tree();
    const before = clock.now();
    await channels({ value: 1 });
    await clock.advance(MINUTE);
    await state.channels.applySeries(new Map([["50", { at: clock.now(), values: [["0", 2]] }]]), context());
    await channels({ value: 1, measuredAt: before });
    expect(value()).toBe(2);
    await clock.advance(5 * MINUTE);
    await channels({ value: 3, measuredAt: before + 2 * MINUTE });
    expect(value()).toBe(3);
  });

  test("takes the time of a newer measurement from a time series, and reports it", async () => {
    const measured: number[] = [];
    const { clock, state, tree, channels, context } = sensorServer({
      ...NO_OBSERVER,
      onNodeChange: ({ lastMeasuredAt = 0 }, facts) =>
        void (facts === NODE_FACTS.measurement && measured.push(lastMeasuredAt)),
    });
    await tree();
    const before = clock.now();
    const series = (at: number) =>
      state.channels.applySeries(new Map([["50", { at, values: [["0", 2] as const] }]]), context());
    await channels();
    await series(before + MINUTE);
    await series(before + MINUTE);
    await series(before);
    expect(measured).toEqual([before, before + MINUTE]);
    expect(state.node("50")?.lastMeasuredAt).toBe(before + MINUTE);
  });

  test("applies a changed staleness to known values", async () => {
    const { clock, state, tree, channels, value, context } = sensorServer();
    await tree();
    await channels({ value: 1 });
    await state.channels.changeStaleness(2 * MINUTE, context());
    await clock.advance(2 * MINUTE - 1);
    expect(value()).toBe(1);
    await clock.advance(1);
    expect(value()).toBeUndefined();
  });

  test("has no values of a paused sensor from any source", async () => {
    const { clock, state, tree, channels, value, context } = sensorServer();
    await tree();
    await channels({ value: 1 });
    await tree({ status: "pausedbyuser" });
    expect(value()).toBeUndefined();
    await channels({ value: 2 });
    await state.channels.applySeries(new Map([["50", { at: clock.now(), values: [["0", 2]] }]]), context());
    expect(value()).toBeUndefined();
    await tree({ status: "up" });
    await channels({ value: 3 });
    expect(value()).toBe(3);
  });

  test("starts the age of a new value now while the server's clock is in doubt", async () => {
    const { clock, tree, channels, value, doubt } = sensorServer();
    await tree();
    await channels({ value: 1, measuredAt: clock.now() - MINUTE });
    doubt();
    await channels({ value: 2, measuredAt: clock.now() - 60 * MINUTE });
    expect(value()).toBe(2);
  });

  test("removes unconfirmed limits and lookups", async () => {
    const { clock, state, tree, channels, known, context } = sensorServer();
    const door = { id: "door", name: "Door", entries: [{ kind: "range", from: 0, to: 1, text: "x" } as const] };
    await tree();
    await channels();
    const told = channel("50.0", { limits: { max_error: 90 }, lookup: "door" });
    expect(await state.channels.applyLimits(list([told]), new Lookups([door]), context())).toBe(0);
    expect([known().limits?.values, known().lookup?.definition]).toEqual([{ max_error: 90 }, door]);
    await clock.advance(10 * MINUTE);
    await channels();
    expect([known().limits, known().lookup]).toEqual([undefined, undefined]);
  });

  test("counts a channel without a lookup as known", async () => {
    const { state, tree, channels, context } = sensorServer();
    await tree();
    await channels();
    for (const lookup of ["", undefined]) {
      const record50 = channel("50.0", { limits: {}, lookup });
      expect(await state.channels.applyLimits(list([record50]), new Lookups([]), context())).toBe(0);
    }
    expect(await state.channels.applyLimits(list([channel("50.0", { lookup: "door" })]), undefined, context())).toBe(0);
  });

  test("reports the removal of a channel", async () => {
    const removed: string[] = [];
    const { state, tree, context } = sensorServer({
      ...NO_OBSERVER,
      onChannelRemoval: ({ channelId }) => void removed.push(channelId),
    });
    await tree();
    await state.applyChannels(list([channel("50.0"), channel("50.1")]), context());
    for (let poll = 0; poll < 2; poll++) await state.applyChannels(list([channel("50.1")]), context());
    expect(removed).toEqual(["0"]);
    for (let poll = 0; poll < 2; poll++) await state.applyTree({ nodes: { sensor: list([]) } }, context());
    expect(removed).toEqual(["0", "1"]);
  });

  test("takes the newest measurement of a poll for the sensor, also if it is older than that of the last poll", async () => {
    const { clock, state, tree, context } = sensorServer();
    await tree();
    const poll = (...ages: readonly number[]) => {
      const records = ages.map((age, index) => channel(`50.${index}`, { measuredAt: clock.now() - age }));
      return state.applyChannels(list(records), context());
    };
    await poll(3_000, 1_000, 2_000);
    expect(state.node("50")?.lastMeasuredAt).toBe(clock.now() - 1_000);
    await poll(9_000, 7_000, 8_000);
    expect(state.node("50")?.lastMeasuredAt).toBe(clock.now() - 7_000);
  });

  test("lists unknown lookups", async () => {
    const { state, tree, channels, context } = sensorServer();
    await tree();
    await channels();
    expect(
      await state.channels.applyLimits(list([channel("50.0", { lookup: "door" })]), new Lookups([]), context()),
    ).toBe(1);
  });

  test("reports each change once, with only the changed parts", async () => {
    const told: string[] = [];
    const { tree, channels } = sensorServer({
      ...NO_OBSERVER,
      onNodeChange: ({ id }, facts) => void told.push(`${id}: ${facts}`),
      onChannelChange: ({ channelId }, facts) => void told.push(`channel ${channelId}: ${facts}`),
    });
    await tree();
    await channels();
    await channels({ limits: { max_error: 1 } });
    await channels({ name: "renamed" });
    expect(told).toEqual([
      "50: 6",
      ...["channel 0: 7", "50: 16"],
      ...["channel 0: 30", "50: 16"],
      ...["channel 0: 23", "50: 16"],
    ]);
  });

  test("reports a measurement of each sensor in a list", async () => {
    const measured: string[] = [];
    const { clock, state, context } = sensorServer({
      ...NO_OBSERVER,
      onNodeChange: ({ id }, facts) => void (facts === NODE_FACTS.measurement && measured.push(id)),
    });
    const sensors = ["50", "51", "52", "53"].map((id) => record("sensor", id, "0"));
    await state.applyTree({ nodes: { sensor: list(sensors) } }, context());
    const at = { measuredAt: clock.now() };
    const channels = [channel("50.0", at), channel("50.1"), channel("51.0"), channel("52.0"), channel("52.1", at)];
    await state.applyChannels(list(channels), context());
    expect(measured).toEqual(["50", "52"]);
    expect(state.node("50")?.lastMeasuredAt).toBe(clock.now());
    expect(state.node("51")?.lastMeasuredAt).toBeUndefined();
  });

  test("reports time series and limits of channels only if there is something to report", async () => {
    const told: [string, number][] = [];
    const { clock, state, tree, channels, context } = sensorServer({
      ...NO_OBSERVER,
      onChannelChange: ({ channelId }, facts) => void told.push([channelId, facts]),
    });
    await tree();
    await channels();
    const { measurement, limits, comparison } = CHANNEL_FACTS;
    const news = async (change: () => Promise<unknown>) => {
      told.length = 0;
      await change();
      return [...told];
    };
    const takeLimits = (max?: number) => {
      const record50 = channel("50.0", { limits: max === undefined ? {} : { max_error: max } });
      return news(() => state.channels.applyLimits(list([record50]), undefined, context()));
    };
    const values = [["0", 2] as const, ["1", 3] as const];
    const latest = new Map([
      ["50", { at: clock.now(), values }],
      ["51", { at: clock.now(), values }],
    ]);
    expect(await news(() => state.channels.applySeries(latest, context()))).toEqual([["0", measurement]]);
    expect(await takeLimits()).toEqual([]);
    expect(await takeLimits(90)).toEqual([["0", limits | comparison]]);
    expect(await takeLimits(80)).toEqual([["0", limits | comparison]]);
    expect(await takeLimits()).toEqual([["0", limits | comparison]]);
    expect(await takeLimits()).toEqual([]);
  });

  test("reports counts of objects, and their removal", async () => {
    const told: string[] = [];
    const { state, context } = sensorServer({
      ...NO_OBSERVER,
      onRecord: (_kind, record) => "name" in record && void told.push(`${record.name} ${record.count}`),
      onRecordRemoval: (_kind, record) => "name" in record && void told.push(`no ${record.name}`),
    });
    const count = async (...counts: [string, number][]) => {
      told.length = 0;
      await state.applyTree({ objectCounts: { value: new Map(counts) } }, context());
      return [...told];
    };
    expect(await count(["sensor", 3], ["map", 1])).toEqual(["sensor 3", "map 1"]);
    expect(await count(["sensor", 4])).toEqual(["sensor 4", "no map"]);
  });

  test("reports a renamed sensor and its channels", async () => {
    const told: string[] = [];
    const { state, tree, channels } = sensorServer({
      ...NO_OBSERVER,
      onNodeChange: ({ id, node }, facts) => void (facts & NODE_FACTS.identity && told.push(`${id} ${node.name}`)),
      onChannelChange: ({ channelId, sensor }, facts) =>
        void (facts === CHANNEL_FACTS.identity && told.push(`${channelId} of ${sensor.node.name}`)),
    });
    await tree();
    await channels();
    await tree();
    expect(told).toEqual([]);
    const before = state.node("50");
    await tree({ name: "Uplink" });
    expect(told).toEqual(["50 Uplink", "0 of Uplink"]);
    expect(state.node("50")).toBe(before);
  });

  test("does not keep a value that is too old already", async () => {
    const { clock, tree, channels, known } = sensorServer();
    await tree();
    const value = async (ageMs: number) => {
      await channels({ value: 1, measuredAt: clock.now() - ageMs });
      return known().value;
    };
    expect([await value(5 * MINUTE - 1), await value(5 * MINUTE)]).toEqual([1, undefined]);
  });

  test("keeps the status of the last list, and the times when the sensor was up and down", async () => {
    const { state, tree } = sensorServer();
    const known = () => {
      const { message, lastUp, lastDown } = state.node("50") ?? {};
      return [message, lastUp, lastDown];
    };
    await tree();
    expect(known()).toEqual([undefined, undefined, undefined]);
    await tree({ message: "Timeout", lastUp: 1_773_334_871_250, lastDown: 1_773_334_931_000 });
    expect(known()).toEqual(["Timeout", 1_773_334_871_250, 1_773_334_931_000]);
    await tree({ message: "Paused" });
    expect(known()).toEqual(["Paused", 1_773_334_871_250, 1_773_334_931_000]);
    await tree();
    expect(known()[0]).toBeUndefined();
  });

  test("gives the times of a deleted sensor to no other", async () => {
    const { state, tree, context } = sensorServer();
    await tree({ lastUp: 1, lastDown: 2 });
    for (let poll = 0; poll < 2; poll++) await state.applyTree({ nodes: { sensor: list([]) } }, context());
    await state.applyTree({ nodes: { sensor: list([record("sensor", "51", "0")]) } }, context());
    expect(state.node("51")).toMatchObject({ row: 0, lastUp: undefined, lastDown: undefined });
  });

  test("reports no additional change for a new message of a sensor", async () => {
    const told: number[] = [];
    const { tree } = sensorServer({ ...NO_OBSERVER, onNodeChange: (_node, facts) => void told.push(facts) });
    await tree({ message: "OK", lastUp: 1 });
    await tree({ message: "OK", lastUp: 1 });
    await tree({ message: "3 % (Packet Loss)", lastUp: 2, lastDown: 3 });
    expect(told).toEqual([6, 6, 6]);
  });

  test.each([
    { what: "complete", complete: true, expected: 1 },
    { what: "incomplete", complete: false, expected: 2 },
  ])("without a summary counts what an $what list shows", async ({ complete, expected }) => {
    const { state, context } = sensorServer();
    const poll = (ids: readonly string[], isComplete = true) => {
      const sensor = list(
        ids.map((id) => record("sensor", id, "0")),
        isComplete,
      );
      return state.applyTree({ nodes: { sensor }, statusSummary: { value: undefined } }, context());
    };
    await poll(["50", "51"]);
    await poll(["50"], complete);
    expect([...state.statusCounts].find(({ name }) => name === "up")?.count).toBe(expected);
  });

  test("keeps the statuses of the last lists, which the counts match", async () => {
    const { clock, state, context } = sensorServer();
    const nodes = {
      sensor: list([record("sensor", "50", "40", { status: "down" })]),
      device: list([record("device", "40", "0", { status: "up" })]),
    };
    await state.applyTree({ nodes }, context());
    const statuses = () => ["50", "40"].map((id) => state.statusOf({ id }));
    expect(statuses()).toEqual(["down", "up"]);
    await clock.advance(10 * MINUTE);
    expect(statuses()).toEqual(["down", "up"]);
    const known = () => ({ sensors: [...state.sensorsByStatus], devices: [...state.parentsByStatus.device] });
    expect(known()).toEqual({ sensors: [["down", 1]], devices: [["up", 1]] });
    const device = list([record("device", "40", "0", { status: "pausedbyuser" })]);
    await state.applyTree({ nodes: { device } }, context());
    expect(known()).toEqual({ sensors: [["down", 1]], devices: [["pausedbyuser", 1]] });
    for (let poll = 0; poll < 2; poll++)
      await state.applyTree({ nodes: { sensor: list([]), device: list([]) } }, context());
    expect(known()).toEqual({ sensors: [], devices: [] });
  });
});
