import { describe, expect, test } from "vitest";
import { accountFor, ChannelMapper, type ChannelMapperOptions, plainMapper } from "../../src/mapping/channel-mapper.ts";
import { WIDE_LABELS } from "../../src/mapping/label-settings.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { compileRules } from "../../src/mapping/rules/compile.ts";
import type { RuleSettings } from "../../src/mapping/rules/rule.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import { convert, UNCHANGED } from "../../src/mapping/units/base-units.ts";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE, type TreeNode } from "../../src/model/tree.ts";
import { list, ROOT, record } from "../model/build-record.ts";

const { nodes } = reconcile(EMPTY_TREE, {
  probe: list([record("probe", "1", ROOT, { name: "Berlin", tags: ["site:berlin"] })]),
  device: list([record("device", "40", "1", { name: "sw-1" })]),
  sensor: list([record("sensor", "50", "40", { name: "Ping", type: "ping", typeName: "Ping v2" })]),
}).tree;

const RULES: RuleSettings[] = [
  { kind: "drop", match: { channel: "Downtime" } },
  {
    kind: "metric",
    match: { kind: "ping", channel: "/Ping Time(?<which>.*)/" },
    name: "prtg_ping_seconds",
    help: "Round trip time.",
    unit: "seconds",
    labels: { which: "$<which>" },
  },
  { kind: "metric", match: { unit: "orders" }, name: "prtg_orders", help: "Orders.", factor: 2, offset: 1 },
];

function sensor(): TreeNode {
  const node = nodes.get("50");
  if (node === undefined) throw new Error("no sensor");
  return node;
}

function mapper(more: Partial<ChannelMapperOptions> = {}): ChannelMapper {
  const { ruleSet: rules, problems } = compileRules([{ label: "test.yaml", isPreset: false, rules: RULES }], {
    byteUnits: "binary",
  });
  expect(problems).toEqual([]);
  return new ChannelMapper({ labels: new SeriesLabels(), rules, ...more });
}

function channel(name: string, unit: string) {
  return { channelId: "1", name, unit };
}

/** Series of a channel with value 30. */
function series(of: ChannelMapper, name: string, unit: string) {
  const given = { ...channel(name, unit), sensor: { node: sensor() } };
  const serving = of.serve("hq", given);
  return of.seriesOf(serving, of.labels.channel("hq", given)).map(({ family, labels, conversion = UNCHANGED }) => {
    expect(labels).toHaveLength(family.labels.length);
    return {
      name: family.name,
      labels: Object.fromEntries(family.labels.map((label, index) => [label, labels[index]])),
      value: convert(conversion, 30),
    };
  });
}

const IDS = { server: "hq", sensor_id: "50", channel_id: "1" };
const PLACE = { probe: "Berlin", group: "", device: "sw-1", sensor: "Ping", path: "Berlin/sw-1/Ping" };

describe("channel that a rule matches", () => {
  test("has both series, the mapped one in its base unit with the labels of the rule", () => {
    expect(series(mapper(), "Ping Time Avg", "msec")).toEqual([
      {
        name: "prtg_channel_value",
        labels: { ...IDS, ...PLACE, channel: "Ping Time Avg", unit: "msec" },
        value: 30,
      },
      {
        name: "prtg_ping_seconds",
        labels: { ...IDS, ...PLACE, channel: "Ping Time Avg", which: " Avg" },
        value: 0.03,
      },
    ]);
  });

  test("has only the mapped series without keep_original", () => {
    const names = series(mapper({ keepOriginal: false }), "Ping Time", "msec").map(({ name }) => name);
    expect(names).toEqual(["prtg_ping_seconds"]);
  });

  test("has a value by factor and offset of the rule for any unit", () => {
    expect(series(mapper(), "Sold", "orders")[1]).toMatchObject({ name: "prtg_orders", value: 61 });
  });
});

describe("channel under rules", () => {
  test.each([
    ["Ping Time", "msec", "mapped", 1, ["prtg_channel_value", "prtg_ping_seconds"]],
    ["Ping Time", "KByte", "unconverted", 1, ["prtg_channel_value"]],
    ["Ping Time", "widgets", "unknown_unit", 1, ["prtg_channel_value"]],
    ["Loss", "%", "unmatched", undefined, ["prtg_channel_value"]],
    ["Loss", "", "unmatched", undefined, ["prtg_channel_value"]],
    ["Loss", "widgets", "unknown_unit", undefined, ["prtg_channel_value"]],
    ["Downtime", "%", "dropped", 0, []],
    ["Downtime", "widgets", "dropped", 0, []],
  ] as const)("%s in %j: %s", (name, unit, outcome, rule, names) => {
    // Keeping the original only concerns mapped channels.
    for (const keepOriginal of [true, false]) {
      const of = mapper({ keepOriginal });
      const serving = of.serve("hq", { ...channel(name, unit), sensor: { node: sensor() } });
      expect([serving.outcome, serving.rule?.ordinal]).toEqual([outcome, rule]);
      const kept = keepOriginal || outcome !== "mapped" ? names : names.slice(1);
      expect(series(of, name, unit).map((each) => each.name)).toEqual(kept);
    }
  });

  test.each([
    ["Ping Time", "msec", "rules[1] of test.yaml"],
    ["Ping Time", "KByte", 'rules[1] of test.yaml matches, but the unit "KByte" does not convert to seconds'],
    ["Ping Time", "widgets", 'rules[1] of test.yaml matches, but the unit "widgets" is unknown'],
    ["Loss", "widgets", 'no rule matches, and the unit "widgets" is unknown'],
    ["Loss", "%", "no rule matches"],
    ["Downtime", "%", "rules[0] of test.yaml drops it"],
  ])("%s in %j has the explanation %s", (name, unit, reason) => {
    const account = accountFor(mapper(), "hq", sensor(), { ...channel(name, unit), value: undefined });
    expect(account.reason).toBe(reason);
    expect(account.series.map(({ value }) => value)).toEqual(account.series.map(() => undefined));
  });

  test("has an explanation with converted values", () => {
    const account = accountFor(mapper(), "hq", sensor(), { ...channel("Ping Time", "msec"), value: 30 });
    expect(account.series.map(({ family, value }) => [family.name, value])).toEqual([
      ["prtg_channel_value", 30],
      ["prtg_ping_seconds", 0.03],
    ]);
  });
});

describe("without rules", () => {
  test("gives channels the families of the metric table", () => {
    expect(series(plainMapper(), "Downtime", "widgets").map(({ name }) => name)).toEqual(["prtg_channel_value"]);
    expect(plainMapper().hasRules).toBe(false);
    const account = accountFor(plainMapper(), "hq", sensor(), { ...channel("Loss", "%"), value: 1 });
    expect([account.outcome, account.reason]).toEqual(["unmatched", "no rules are configured"]);
  });

  test("the store holds the families of the metric table", () => {
    expect(plainMapper().storeFamilies()).toEqual(Object.values(TREE_FAMILIES));
  });
});

describe("with other labels", () => {
  const labels = new SeriesLabels({
    ...WIDE_LABELS,
    keep: new Set(["device", "unit"]),
    rename: new Map([["device", "host_name"]]),
    fromTags: [{ label: "site", prefix: "site:", suffix: "" }],
  });

  test("apply to mapped series, without unit, before labels of the rule", () => {
    expect(series(mapper({ labels }), "Ping Time", "msec")).toEqual([
      { name: "prtg_channel_value", labels: { ...IDS, host_name: "sw-1", unit: "msec", site: "berlin" }, value: 30 },
      { name: "prtg_ping_seconds", labels: { ...IDS, host_name: "sw-1", site: "berlin", which: "" }, value: 0.03 },
    ]);
  });

  test("apply to mapped families and limits in the store", () => {
    const own = mapper({ labels }).storeFamilies().slice(Object.keys(TREE_FAMILIES).length);
    expect(own.map((family) => [family.name, family.labels.join()])).toEqual([
      ["prtg_ping_seconds", "server,sensor_id,channel_id,host_name,site,which"],
      ["prtg_ping_limit_seconds", "server,sensor_id,channel_id,host_name,site,which,limit"],
      ["prtg_orders", "server,sensor_id,channel_id,host_name,site"],
      ["prtg_orders_limit", "server,sensor_id,channel_id,host_name,site,limit"],
    ]);
  });
});
