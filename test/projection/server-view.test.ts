import { describe, expect, test } from "vitest";
import { ChannelMapper, plainMapper } from "../../src/mapping/channel-mapper.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { compileRules } from "../../src/mapping/rules/compile.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import { ServerView } from "../../src/projection/server-view.ts";
import type { Shape } from "../../src/projection/shape.ts";
import { endedSlots } from "../../src/store/ended-series.ts";
import { Store } from "../../src/store/store.ts";
import { channel } from "../collectors/small-server.ts";
import { contextAt } from "../model/build-context.ts";
import { list, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";

const MINUTE = 60_000;
const { channelValue, channelLimit, sensorStatus, nodeSensors, sensors, objects } = TREE_FAMILIES;

const shape: Shape = {
  mapper: plainMapper(),
  channelInfo: false,
  sections: new Map(),
  options: new Set(),
  sensorStatus: "current",
};

function droppingChannel(name: string): Shape {
  const rules = [{ kind: "drop", match: { channel: name } }] as const;
  const { ruleSet } = compileRules([{ label: "test", isPreset: false, rules }], { byteUnits: "decimal" });
  return { ...shape, mapper: new ChannelMapper({ labels: new SeriesLabels(), rules: ruleSet }) };
}

const dropping = droppingChannel("Uptime");
const keeping = droppingChannel("Load");

/** Sensor, probe and channel 50.0. */
async function viewed(first: Shape) {
  const clock = new ManualClock();
  const store = new Store(first.mapper.storeFamilies());
  const view = new ServerView({ server: "hq", store, shape: first, staleAfterMs: 5 * MINUTE });
  const context = () => contextAt(clock);
  const summary = { counts: new Map([["up" as const, 1]]), total: 1 };
  await view.commit(async () => {
    const nodes = {
      probe: list([record("probe", "1", "0", { summary })]),
      sensor: list([record("sensor", "50", "1", { status: "warning" })]),
    };
    const objectCounts = { value: new Map([["sensor", 12]]) };
    await view.state.applyTree({ nodes, objectCounts, statusSummary: { value: summary } }, context());
    const record50 = channel("50.0", { name: "Uptime", value: 7, measuredAt: clock.now(), limits: { max_error: 90 } });
    await view.state.applyChannels(list([record50]), context());
  });
  return {
    ...{ clock, view, store, context },
    reload: (next: Shape, staleAfterMs = 5 * MINUTE) =>
      store.reshape(next.mapper.storeFamilies(), (tables) =>
        view.reshape({ ...next, staleAfterMs }, tables, context()),
      ),
    poll: (value: number) =>
      view.commit(() =>
        view.state.applyChannels(
          list([channel("50.0", { name: "Uptime", value, measuredAt: clock.now() })]),
          context(),
        ),
      ),
    /** Last label and value of each series. */
    series: (family: MetricFamily) => {
      store.expire(clock.monotonic());
      const table = store.table(family);
      const slots = Array.from({ length: table.slots }, (_, slot) => slot).filter((slot) => table.isPresent(slot));
      return slots.map((slot) => [table.labels(slot).at(-1), table.value(slot)]);
    },
  };
}

describe("reload", () => {
  test("shows known data without a poll", async () => {
    const { reload, series, poll } = await viewed(dropping);
    expect([series(channelValue), series(channelLimit), series(nodeSensors)]).toEqual([[], [], []]);
    await reload({ ...shape, sensorStatus: "all", sections: new Map([["sensor_status_summary", new Set(["probe"])]]) });
    expect(series(channelValue).map(([, value]) => value)).toEqual([7]);
    expect(series(channelLimit)).toEqual([["max_error", 90]]);
    expect(series(nodeSensors)).toEqual([["up", 1]]);
    expect(series(sensors)).toContainEqual(["up", 1]);
    expect(series(objects)).toEqual([["sensor", 12]]);
    expect(series(sensorStatus)).toHaveLength(15);
    expect(series(sensorStatus)).toContainEqual(["warning", 1]);
    await poll(8);
    expect(series(channelValue).map(([, value]) => value)).toEqual([8]);
  });

  test("does not count as confirmation", async () => {
    const { clock, reload, series } = await viewed(shape);
    await clock.advance(9 * MINUTE);
    await reload(shape);
    expect(series(sensorStatus)).toEqual([["warning", 1]]);
    await clock.advance(MINUTE);
    expect([series(sensorStatus), series(channelLimit)]).toEqual([[], []]);
  });

  test("applies a new lifetime without reviving expired values", async () => {
    const { clock, reload, series } = await viewed(shape);
    await reload(shape, 20 * MINUTE);
    await clock.advance(19 * MINUTE);
    expect(series(channelValue)).toHaveLength(1);
    await reload(shape, 5 * MINUTE);
    expect(series(channelValue)).toEqual([]);
    await reload(shape, 60 * MINUTE);
    expect(series(channelValue)).toEqual([]);
  });

  test("lists kept channels of a sensor when a rule drops one", async () => {
    const { view, reload } = await viewed(shape);
    expect(view.channelIds("50")).toBeUndefined();
    await reload(dropping);
    expect(view.channelIds("50")).toEqual({ kept: [], dropped: ["0"] });
    expect(view.channelIds("51")).toEqual({ kept: [], dropped: [] });
    await reload(keeping);
    expect(view.channelIds("50")).toEqual({ kept: ["0"], dropped: [] });
  });

  test("keeps a dropped channel known and reports it", async () => {
    const { clock, view, reload, series } = await viewed(shape);
    await reload(dropping);
    expect(series(channelValue)).toEqual([]);
    expect(view.countOf("dropped")).toBe(1);
    expect(view.inspect("50", { from: 0, count: 9 }, clock.monotonic())?.channels).toMatchObject([
      { state: "dropped" },
    ]);
    expect(view.seriesOf("50", "0")).toEqual([]);
  });

  test("changes nothing if it fails, and polls continue", async () => {
    const { view, store, series, poll } = await viewed(shape);
    const broken = store.reshape(shape.mapper.storeFamilies(), () => Promise.reject(new Error("no")));
    await expect(broken).rejects.toThrow("no");
    await poll(8);
    expect(series(channelValue).map(([, value]) => value)).toEqual([8]);
    expect(view.state.channels.count).toBe(1);
  });
});

test("current values omit channels without one, and old ones", async () => {
  const { clock, view, context } = await viewed(shape);
  const at = (minutes: number) => clock.now() - minutes * MINUTE;
  const records = [channel("50.0", { value: 7, measuredAt: at(0) }), channel("50.1", { value: 8, measuredAt: at(3) })];
  await view.commit(() => view.state.applyChannels(list([...records, channel("50.2")]), context()));
  const values = () => view.servedValues("50", clock.monotonic());
  expect(values()).toEqual([
    ["0", 7],
    ["1", 8],
  ]);
  await clock.advance(2 * MINUTE);
  expect(values()).toEqual([["0", 7]]);
  expect(view.servedValues("51", clock.monotonic())).toEqual([]);
});

describe("main channel", () => {
  const UNMEASURED = { value: undefined, measuredAt: undefined };

  const mainOf = async (
    channels: readonly (readonly [id: string, more: object])[],
    primary: readonly string[] = [],
  ) => {
    const { clock, view, context } = await viewed(shape);
    const records = channels.map(([id, more]) => channel(id, { value: 7, measuredAt: clock.now(), ...more }));
    await view.commit(() => view.state.applyChannels(list(records), context()));
    await view.state.applyDetails({ primary: primary.map((id) => channel(id, {})) }, context());
    const ids = () => view.inspect("50", "main", clock.monotonic())?.channels.map(({ channelId }) => channelId);
    return { ids, clock };
  };

  test("is the primary channel until that is no longer known", async () => {
    const { ids, clock } = await mainOf(
      [
        ["50.0", {}],
        ["50.1", UNMEASURED],
      ],
      ["50.1"],
    );
    expect(ids()).toEqual(["1"]);
    await clock.advance(10 * MINUTE);
    expect(ids()).toEqual(["0"]);
  });

  test("is otherwise the first one with a value, without those that PRTG adds", async () => {
    expect(
      (
        await mainOf([
          ["50.0", UNMEASURED],
          ["50.-4", {}],
          ["50.2", {}],
        ])
      ).ids(),
    ).toEqual(["2"]);
  });

  test("is the first one if none has a value, and can be missing", async () => {
    expect(
      (
        await mainOf([
          ["50.-4", {}],
          ["50.0", UNMEASURED],
          ["50.1", UNMEASURED],
        ])
      ).ids(),
    ).toEqual(["0"]);
    const { view, clock } = await viewed(shape);
    expect(view.inspect("1", "main", clock.monotonic())).toBeUndefined();
  });
});

describe("pushed series", () => {
  /** Sensor and last label, at the receiver. */
  async function ended(store: Store): Promise<string[]> {
    const table = store.table(channelValue);
    const slots = await endedSlots(table, { step: () => undefined }, (slot) => table.isPresent(slot));
    return slots.map((slot) => `${table.label(slot, 1)}.${table.label(slot, 2)} ${table.labels(slot).at(-1)}`);
  }

  test("ends with the value of its channel", async () => {
    const { view, store, clock } = await viewed(shape);
    view.markMeasured("50", "0");
    view.markMeasured("50", "1");
    expect(await ended(store)).toEqual([]);
    await clock.advance(6 * MINUTE);
    store.expire(clock.monotonic());
    expect(await ended(store)).toEqual(["50.0 probe 1/sensor 50"]);
  });

  test("ends if its channel has no value at the time of sending", async () => {
    const { view, store, clock, reload } = await viewed(shape);
    await clock.advance(6 * MINUTE);
    // The next tables never had the value.
    await reload(shape);
    expect(store.table(channelValue).slots).toBe(0);
    view.markMeasured("50", "0");
    expect(await ended(store)).toEqual(["50.0 probe 1/sensor 50"]);
  });

  test("does not end if rules drop its channel before the first push", async () => {
    const { view, store } = await viewed(dropping);
    view.markMeasured("50", "0");
    expect(await ended(store)).toEqual([]);
  });
});

describe("series of a sensor", () => {
  const names = (series: readonly { readonly family: MetricFamily }[] = []) => series.map(({ family }) => family.name);

  test("are its own and those of the wanted channels, while they have a value", async () => {
    const { clock, view, context } = await viewed(shape);
    const primary = [{ sensorId: "50", channelId: "0" }];
    await view.commit(() => view.state.applyDetails({ primary }, context()));
    const { own, channels } = view.present("50", ["0", "9"], clock.monotonic());
    expect(names(own)).toContain("prtg_sensor_status_code");
    expect(names(channels.get("0"))).toEqual([
      "prtg_channel_value",
      "prtg_channel_limit",
      "prtg_channel_limit_exceeded",
      "prtg_channel_primary",
    ]);
    expect(channels.get("9")).toEqual([]);
    await clock.advance(60 * MINUTE);
    const later = view.present("50", ["0"], clock.monotonic());
    expect(names(later.own)).toEqual(["prtg_sensor_last_measurement_timestamp_seconds"]);
    expect(later.channels.get("0")).toEqual([]);
  });

  test("are found during a poll, without waiting for its end", async () => {
    const { clock, view } = await viewed(shape);
    const end = Promise.withResolvers<void>();
    const poll = view.commit(() => end.promise);
    const { channels } = view.present("50", ["0"], clock.monotonic());
    expect(names(channels.get("0"))).toContain("prtg_channel_value");
    end.resolve();
    await poll;
  });

  test("are none of an unknown sensor", async () => {
    const { clock, view } = await viewed(shape);
    expect(view.present("51", ["0"], clock.monotonic())).toEqual({ own: [], channels: new Map([["0", []]]) });
  });
});
