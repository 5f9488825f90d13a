import fc from "fast-check";
import { expect, test } from "vitest";
import { ChannelMapper } from "../../src/mapping/channel-mapper.ts";
import { compileRules } from "../../src/mapping/rules/compile.ts";
import type { RuleSettings } from "../../src/mapping/rules/rule.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import { ALL_CHANNEL_FACTS, CHANNEL_FACTS, Channel, channelNumbers } from "../../src/model/channel.ts";
import { NodeState, nodeTimes } from "../../src/model/node-state.ts";
import { ChannelProjection } from "../../src/projection/server-projection.ts";
import { Store } from "../../src/store/store.ts";
import { ROOT, record } from "../model/build-record.ts";

const NOW = 0;
const FOREVER = Number.POSITIVE_INFINITY;
const { identity, measurement, limits, comparison } = CHANNEL_FACTS;

const RULES: RuleSettings[] = [
  { kind: "drop", match: { channel: ["Noise", "Downtime"] } },
  {
    kind: "metric",
    match: { channel: "/(?<which>Ping|Pong) Time/" },
    name: "test_time_seconds",
    unit: "seconds",
    labels: { which: "$<which>" },
  },
  { kind: "metric", match: { base_unit: "ratio" }, name: "test_share_ratio", unit: "ratio" },
];

const SENSOR = new NodeState(nodeTimes(), {
  ...record("sensor", "50", ROOT),
  ...{ inheritedTags: [], parentId: "0", unseen: [], orphan: false },
  ...{ path: "Root/a/b", probe: "", group: "", device: "a", deviceId: "40" },
});

class CountingMapper extends ChannelMapper {
  asked = 0;

  override serve(...given: Parameters<ChannelMapper["serve"]>) {
    this.asked++;
    return super.serve(...given);
  }
}

function mapping(): CountingMapper {
  const { ruleSet: rules } = compileRules([{ label: "test", isPreset: false, rules: RULES }], { byteUnits: "binary" });
  return new CountingMapper({ labels: new SeriesLabels(), rules });
}

function projected(mapper: ChannelMapper) {
  const store = new Store(mapper.storeFamilies());
  const projection = new ChannelProjection({
    server: "hq",
    shape: { mapper, channelInfo: true },
    tables: store,
    shardKey: () => 0,
  });
  const series = () =>
    mapper.storeFamilies().flatMap((family) => {
      const table = store.table(family);
      const slots = Array.from({ length: table.slots }, (_, slot) => slot).filter((slot) => table.isPresent(slot));
      return slots.map((slot) => [family.name, ...table.labels(slot), table.value(slot)].join(" ")).sort();
    });
  return { projection, series };
}

function newChannel(): Channel {
  const channel = new Channel(channelNumbers(), SENSOR, { channelId: "0", name: "Load", unit: "%" });
  channel.presenceExpiresAt = FOREVER;
  channel.valueExpiresAt = FOREVER;
  return channel;
}

test("a changed channel has the series of a new one", () => {
  const mapper = mapping();
  const step = fc.record({
    name: fc.constantFrom("Ping Time", "Pong Time", "Noise", "Downtime", "Load"),
    unit: fc.constantFrom("msec", "s", "%", "widgets"),
    value: fc.constantFrom(undefined, 1, 2),
    max: fc.constantFrom(undefined, 1),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const { projection, series } = projected(mapper);
      const channel = newChannel();
      projection.update(channel, ALL_CHANNEL_FACTS, NOW);
      for (const { name, unit, value, max } of steps) {
        const isRenamed = name !== channel.name || unit !== channel.unit;
        Object.assign(channel, { name, unit, value });
        channel.limits = max === undefined ? undefined : { values: { max_error: max }, expiresAt: FOREVER };
        projection.update(channel, measurement | limits | comparison | (isRenamed ? identity : 0), NOW);
        const other = projected(mapper);
        other.projection.update(channel, ALL_CHANNEL_FACTS, NOW);
        expect(series()).toEqual(other.series());
        const outcomes = ["mapped", "dropped", "unconverted", "unknown_unit", "unmatched"] as const;
        const { outcome } = mapper.serve("hq", channel);
        expect(outcomes.filter((each) => projection.countOf(each) === 1)).toEqual([outcome]);
        expect(outcomes.reduce((sum, each) => sum + projection.countOf(each), 0)).toBe(1);
      }
    }),
  );
});

test("rules match a channel again only after a change of its identity", () => {
  const mapper = mapping();
  const { projection } = projected(mapper);
  const channel = newChannel();
  const asked = [ALL_CHANNEL_FACTS, measurement, limits, identity, measurement].map((facts) => {
    projection.update(channel, facts, NOW);
    return mapper.asked;
  });
  expect(asked).toEqual([1, 1, 1, 2, 2]);
});
