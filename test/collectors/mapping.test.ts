import { describe, expect, test } from "vitest";
import { ChannelMapper, type ChannelMapperOptions } from "../../src/mapping/channel-mapper.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { WIDE_LABELS } from "../../src/mapping/label-settings.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { compileRules } from "../../src/mapping/rules/compile.ts";
import type { RuleSettings } from "../../src/mapping/rules/rule.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import type { ChannelLimits } from "../../src/prtg/records.ts";
import { Store } from "../../src/store/store.ts";
import { never } from "../support/never-aborted.ts";
import { HOUR, type MemoryPipeline, MINUTE, memoryPipeline, SECOND } from "./memory-pipeline.ts";
import { channel, smallServer } from "./small-server.ts";

const RULES: RuleSettings[] = [
  { kind: "drop", match: { channel: "Noise" } },
  {
    kind: "metric",
    match: { channel: "/(?<kind>Ping|Pong) Time/" },
    name: "test_ping_seconds",
    help: "Round trip time.",
    unit: "seconds",
    labels: { kind: "$<kind>" },
  },
  { kind: "metric", match: { base_unit: "ratio" }, name: "test_ratio", help: "A share.", unit: "ratio" },
];

const { channelLimitExceeded } = TREE_FAMILIES;
const ALL = { from: 0, count: 100 };
const LIMITS: ChannelLimits = { max_error: 500, max_warning: 20 };

interface Mapped extends MemoryPipeline {
  readonly seconds: MetricFamily;
  readonly ratio: MetricFamily;
  readonly secondsLimit: MetricFamily;
  readonly ratioLimit: MetricFamily;
  /** Sets channel 50.0, the only one. */
  poll(more?: Parameters<typeof channel>[1]): Promise<void>;
  shown(): Record<string, number[]>;
}

/** One channel, 50.0: `Ping Time`, 30 msec. */
async function mapped(
  more: Partial<ChannelMapperOptions> = {},
  options: Parameters<typeof memoryPipeline>[1] = {},
): Promise<Mapped> {
  const { ruleSet: rules, problems } = compileRules([{ label: "test.yaml", isPreset: false, rules: RULES }], {
    byteUnits: "binary",
  });
  expect(problems).toEqual([]);
  const mapper = new ChannelMapper({ labels: new SeriesLabels(), rules, ...more });
  const store = new Store(mapper.storeFamilies());
  const server = smallServer();
  server.channelRecords = [];
  const running = memoryPipeline(server, { mapper, store, ...options });
  const family = (name: string) => {
    const found = mapper.storeFamilies().find((each) => each.name === name);
    if (found === undefined) throw new Error(`no family ${name}`);
    return found;
  };
  const result: Mapped = {
    ...running,
    seconds: family("test_ping_seconds"),
    ratio: family("test_ratio"),
    secondsLimit: family("test_ping_limit_seconds"),
    ratioLimit: family("test_limit_ratio"),
    poll: async (properties) => {
      const measuredAt = running.clock.now();
      server.channelRecords = [
        channel("50.0", { name: "Ping Time", unit: "msec", value: 30, measuredAt, ...properties }),
      ];
      expect(await running.monitor.pollOnce(never)).toBe(true);
    },
    shown: () => {
      const channelFamilies = mapper.storeFamilies().filter(({ labels }) => labels.includes("channel_id"));
      const values = channelFamilies.map(
        (each) => [each.name, running.series(each).map(({ value }) => value)] as const,
      );
      return Object.fromEntries(values.filter(([, found]) => found.length > 0));
    },
  };
  await result.poll();
  return result;
}

describe("mapped channel", () => {
  test("has two series: the displayed value and the base unit", async () => {
    const { shown, series, seconds } = await mapped();
    expect(shown()).toEqual({ prtg_channel_value: [30], test_ping_seconds: [0.03] });
    expect(series(seconds)[0]?.labels).toEqual({
      server: "hq",
      sensor_id: "50",
      channel_id: "0",
      probe: "Berlin",
      group: "Network",
      device: "sw-1",
      sensor: "Uplink",
      channel: "Ping Time",
      path: "Berlin/Network/sw-1/Uplink",
      kind: "Ping",
    });
  });

  test("has only the base unit without keep_original, also for limits", async () => {
    const { shown, poll } = await mapped({ keepOriginal: false });
    expect(shown()).toEqual({ test_ping_seconds: [0.03] });
    await poll({ limits: LIMITS });
    expect(shown()).toEqual({
      test_ping_seconds: [0.03],
      test_ping_limit_seconds: [0.5, 0.02],
      prtg_channel_limit_exceeded: [0, 1],
    });
  });

  test("follows its value and loses both series after withdrawal", async () => {
    const { shown, poll, clock } = await mapped();
    await poll({ value: 45 });
    expect(shown()).toEqual({ prtg_channel_value: [45], test_ping_seconds: [0.045] });
    await poll({ value: undefined });
    expect(shown()).toEqual({});
    await poll({ value: 0 });
    expect(shown()).toEqual({ prtg_channel_value: [0], test_ping_seconds: [0] });
    await clock.advance(5 * MINUTE - SECOND);
    expect(shown()).toEqual({ prtg_channel_value: [0], test_ping_seconds: [0] });
    await clock.advance(SECOND);
    expect(shown()).toEqual({});
  });

  test("ends with a pause of its sensor and returns with it", async () => {
    const { shown, poll, server } = await mapped();
    server.change("50", { status: "pausedbyuser" });
    await poll();
    expect(shown()).toEqual({});
    server.change("50", { status: "up" });
    await poll();
    expect(shown()).toEqual({ prtg_channel_value: [30], test_ping_seconds: [0.03] });
  });

  test("has its limits in both units", async () => {
    const { shown, poll, value } = await mapped();
    await poll({ limits: LIMITS });
    expect(shown()).toEqual({
      prtg_channel_value: [30],
      prtg_channel_limit: [500, 20],
      prtg_channel_limit_exceeded: [0, 1],
      test_ping_seconds: [0.03],
      test_ping_limit_seconds: [0.5, 0.02],
    });
    expect(value(channelLimitExceeded, { limit: "max_warning" })).toBe(1);
    await poll({ limits: { max_error: 500 } });
    expect(shown()).toMatchObject({ prtg_channel_limit: [500], test_ping_limit_seconds: [0.5] });
  });
});

describe("changed channel", () => {
  test("moves to the family of another rule with its new name and limits", async () => {
    const { shown, poll, series, ratioLimit, secondsLimit } = await mapped();
    await poll({ limits: LIMITS });
    await poll({ name: "Loss", unit: "%", value: 3, limits: { max_error: 50 } });
    expect(shown()).toEqual({
      prtg_channel_value: [3],
      prtg_channel_limit: [50],
      prtg_channel_limit_exceeded: [0],
      test_ratio: [0.03],
      test_limit_ratio: [0.5],
    });
    expect(series(secondsLimit)).toEqual([]);
    expect(series(ratioLimit).map(({ labels }) => labels.channel)).toEqual(["Loss"]);
  });

  test("gets the labels of its new name", async () => {
    const { poll, series, seconds } = await mapped();
    await poll({ name: "Pong Time" });
    expect(series(seconds).map(({ labels }) => [labels.channel, labels.kind])).toEqual([["Pong Time", "Pong"]]);
  });

  test("converts value and limits from its new unit", async () => {
    const { shown, poll } = await mapped();
    await poll({ unit: "s", value: 2, limits: { max_error: 3 } });
    expect(shown()).toMatchObject({ test_ping_seconds: [2], test_ping_limit_seconds: [3] });
    await poll({ unit: "min", value: 2, limits: { max_error: 3 } });
    expect(shown()).toMatchObject({ test_ping_seconds: [120], test_ping_limit_seconds: [180] });
    await poll({ unit: "KByte", value: 2, limits: { max_error: 3 } });
    expect(shown()).toEqual({ prtg_channel_value: [2], prtg_channel_limit: [3], prtg_channel_limit_exceeded: [0] });
  });

  test("shows the last value under its new name if the list is older than the series", async () => {
    const { shown, poll, clock } = await mapped();
    const measuredAt = clock.now();
    await clock.advance(MINUTE);
    await poll({ name: "Loss", unit: "%", value: 30, measuredAt });
    expect(shown()).toEqual({ prtg_channel_value: [30], test_ratio: [0.3] });
  });

  test("follows its moved sensor", async () => {
    const { poll, series, seconds, server } = await mapped();
    server.change("40", { name: "sw-2" });
    await poll();
    expect(series(seconds).map(({ labels }) => labels.path)).toEqual(["Berlin/Network/sw-2/Uplink"]);
  });
});

describe("sensor that moves without a channel poll", () => {
  /** Reads only the tree, `later` milliseconds after the channels. */
  async function moved(later: number, limits?: ChannelLimits): Promise<Mapped> {
    const running = await mapped();
    const { server, clock, monitor, poll } = running;
    await poll({ limits });
    server.fail("API_TIMEOUT", "channels", "limits");
    await clock.advance(later);
    server.change("40", { name: "sw-2" });
    await monitor.pollOnce(never);
    return running;
  }

  test("takes its values and limits along", async () => {
    const { shown, series, seconds, secondsLimit } = await moved(MINUTE, LIMITS);
    expect(shown()).toMatchObject({ prtg_channel_value: [30], test_ping_seconds: [0.03] });
    for (const family of [seconds, secondsLimit]) {
      expect(series(family)[0]?.labels.path).toBe("Berlin/Network/sw-2/Uplink");
    }
    expect(series(secondsLimit)).toHaveLength(2);
  });

  test("does not revive expired values", async () => {
    // Nothing else expires data here.
    const { store } = await moved(2 * HOUR, LIMITS);
    const present = (name: string) => {
      const table = [...store.tables].find(({ family }) => family.name === name);
      return Array.from({ length: table?.slots ?? 0 }, (_, slot) => table?.isPresent(slot)).filter(Boolean).length;
    };
    const families = ["prtg_channel_value", "test_ping_seconds", "prtg_channel_limit", "test_ping_limit_seconds"];
    expect(families.map(present)).toEqual([0, 0, 0, 0]);
  });
});

describe("dropped channel", () => {
  test("has no series at all", async () => {
    const { shown, poll, own } = await mapped({}, { channelInfo: true });
    await poll({ name: "Noise", limits: LIMITS });
    expect(shown()).toEqual({});
    await poll({ name: "Noise", limits: LIMITS });
    expect(shown()).toEqual({});
    expect(await own("prtg_exporter_unmapped_channels", { reason: "unknown_unit" })).toBe(0);
  });

  test("returns with another name", async () => {
    const { shown, poll } = await mapped({}, { channelInfo: true });
    await poll({ name: "Noise", limits: LIMITS });
    await poll({ limits: { max_error: 500 } });
    expect(shown()).toEqual({
      prtg_channel_info: [1],
      prtg_channel_value: [30],
      prtg_channel_limit: [500],
      prtg_channel_limit_exceeded: [0],
      test_ping_seconds: [0.03],
      test_ping_limit_seconds: [0.5],
    });
  });
});

describe("deleted channel", () => {
  test.each(["with its sensor", "alone"])("leaves no series if it goes %s", async (how) => {
    const { shown, poll, server, monitor, own } = await mapped({}, { channelInfo: true });
    expect(await own("prtg_exporter_unmapped_channels", { reason: "unknown_unit" })).toBe(0);
    await poll({ limits: LIMITS, name: "Other", unit: "widgets" });
    expect(await own("prtg_exporter_unmapped_channels", { reason: "unknown_unit" })).toBe(1);
    await poll({ limits: LIMITS });
    if (how === "alone") server.channelRecords = [];
    else server.remove("50");
    for (let polls = 0; polls < 2; polls++) await monitor.pollOnce(never);
    expect(shown()).toEqual({});
    expect([...monitor.view.channels()]).toEqual([]);
  });
});

describe("prtg_exporter_unmapped_channels", () => {
  test("counts new, changed and deleted channels by reason", async () => {
    const { server, clock, monitor, own } = await mapped();
    const counts = async () => [
      await own("prtg_exporter_unmapped_channels", { reason: "unknown_unit" }),
      await own("prtg_exporter_unmapped_channels", { reason: "unconverted" }),
    ];
    const measuredAt = clock.now();
    const show = async (...records: ReturnType<typeof channel>[]) => {
      server.channelRecords = records;
      await monitor.pollOnce(never);
      return counts();
    };
    const odd = channel("50.1", { name: "Sold", unit: "widgets", measuredAt });
    const wrong = channel("51.0", { name: "Pong Time", unit: "KByte", measuredAt });
    const plain = channel("51.1", { name: "Other", unit: "#", measuredAt });
    expect(await counts()).toEqual([0, 0]);
    expect(await show(odd, wrong, plain)).toEqual([1, 1]);
    expect(await show(odd, { ...odd, channelId: "2" }, wrong, plain)).toEqual([2, 1]);
    expect(await show(odd, { ...odd, channelId: "2", unit: "%" }, { ...wrong, unit: "msec" }, plain)).toEqual([1, 0]);
    expect(await show(plain)).toEqual([1, 0]);
    expect(await show(plain)).toEqual([0, 0]);
    server.change("50", { name: "renamed" });
    expect(await show(odd, wrong, plain)).toEqual([1, 1]);
    server.remove("51");
    await monitor.pollOnce(never);
    await monitor.pollOnce(never);
    expect(await counts()).toEqual([1, 0]);
  });

  test("does not exist without rules", async () => {
    const { monitor, own } = memoryPipeline(smallServer());
    await monitor.pollOnce(never);
    expect(await own("prtg_exporter_unmapped_channels")).toBeUndefined();
  });
});

describe("narrow labels", () => {
  const labels = new SeriesLabels({ ...WIDE_LABELS, keep: new Set() });
  const { channelValue, channelInfo, channelLimit } = labels.families;

  test("leave ids on series, and the info metric has the other labels and the metric name", async () => {
    const { series, seconds, poll } = await mapped({ labels });
    const ids = { server: "hq", sensor_id: "50", channel_id: "0" };
    expect(series(channelValue)).toEqual([{ labels: ids, value: 30 }]);
    expect(series(seconds)).toEqual([{ labels: { ...ids, kind: "Ping" }, value: 0.03 }]);
    const info = { ...ids, probe: "Berlin", group: "Network", device: "sw-1", sensor: "Uplink", channel: "Ping Time" };
    const rest = { unit: "msec", path: "Berlin/Network/sw-1/Uplink", metric: "test_ping_seconds" };
    expect(series(channelInfo)).toEqual([{ labels: { ...info, ...rest }, value: 1 }]);
    await poll({ name: "Other", unit: "#" });
    expect(series(channelInfo)[0]?.labels).toMatchObject({ channel: "Other", unit: "#", metric: "prtg_channel_value" });
    expect(series(channelInfo)).toHaveLength(1);
  });

  test("leave ids on limits", async () => {
    const { series, secondsLimit, poll } = await mapped({ labels });
    await poll({ limits: { max_error: 500 } });
    const ids = { server: "hq", sensor_id: "50", channel_id: "0", limit: "max_error" };
    expect(series(channelLimit)).toEqual([{ labels: ids, value: 500 }]);
    expect(series(secondsLimit)).toEqual([{ labels: { ...ids, kind: "Ping" }, value: 0.5 }]);
  });

  test("keep the info metric of a moved sensor up to date", async () => {
    const { series, poll, server } = await mapped({ labels });
    server.change("40", { name: "sw-2" });
    await poll();
    expect(series(channelInfo).map(({ labels: found }) => found.device)).toEqual(["sw-2"]);
  });
});

describe("record of a sensor", () => {
  test("has its channels with values, or the reason why one is missing", async () => {
    const { monitor, poll, server, clock } = await mapped();
    const states = () =>
      monitor.inspect("50", ALL)?.channels.map(({ channelId, state, value }) => [channelId, state, value]);
    expect(states()).toEqual([["0", "served", 30]]);
    await clock.advance(5 * MINUTE);
    expect(states()).toEqual([["0", "stale", undefined]]);
    await poll({ limits: LIMITS });
    expect(monitor.inspect("50", ALL)).toMatchObject({ server: "hq", status: "up", staleAfterMs: 5 * MINUTE });
    expect(monitor.inspect("50", ALL)?.channels[0]?.limits).toEqual(LIMITS);
    await poll({ value: undefined });
    expect(states()).toEqual([["0", "no_value", undefined]]);
    await poll({ measuredAt: clock.now() - 6 * MINUTE });
    expect(states()).toEqual([["0", "stale", undefined]]);
    await poll({ name: "Noise" });
    expect(states()).toEqual([["0", "dropped", undefined]]);
    await poll();
    server.change("50", { status: "pausedbyuser" });
    await poll();
    expect(states()).toEqual([["0", "paused", undefined]]);
    server.channelRecords = [channel("51.0", { measuredAt: undefined })];
    await monitor.pollOnce(never);
    expect(monitor.inspect("51", ALL)?.channels.map(({ state }) => state)).toEqual(["never_measured"]);
    expect([monitor.inspect("40", ALL), monitor.inspect("99", ALL)]).toEqual([undefined, undefined]);
    expect(monitor.node("40")?.kind).toBe("device");
  });
});
