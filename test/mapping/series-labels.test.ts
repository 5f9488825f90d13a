import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LabelSet, MetricFamily } from "../../src/mapping/families/family.ts";
import {
  CHANNEL_ID_LABELS,
  CHANNEL_INFO_LABELS,
  DEVICE_INFO_LABELS,
  NODE_LABELS,
  SENSOR_INFO_LABELS,
  SENSOR_LABELS,
} from "../../src/mapping/families/labels.ts";
import { LABELS_TO_CHOOSE, type LabelSettings, tagValue, WIDE_LABELS } from "../../src/mapping/label-settings.ts";
import { TREE_FAMILIES, type TreeFamilyName } from "../../src/mapping/metric-table.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE, type TreeNode } from "../../src/model/tree.ts";
import { list, ROOT, record } from "../model/build-record.ts";

const { nodes } = reconcile(EMPTY_TREE, {
  probe: list([record("probe", "1", ROOT, { name: "Berlin" })]),
  group: list([record("group", "10", "1", { name: "Network" })]),
  device: list([
    record("device", "40", "10", { name: "sw-1", host: "10.0.0.2", type: "Switch", tags: ["cisco", "core"] }),
    record("device", "41", "10", { name: "bare", host: undefined, type: "" }),
  ]),
  sensor: list([
    record("sensor", "2490", "40", {
      name: "Uplink",
      type: "snmptraffic",
      typeName: "SNMP Traffic",
      priority: 4,
      tags: ["a,b", "c"],
      favorite: true,
    }),
    record("sensor", "2491", "40", { name: "Ping", priority: undefined, favorite: undefined }),
  ]),
}).tree;

function node(id: string): TreeNode {
  const found = nodes.get(id);
  if (found === undefined) throw new Error(`no node ${id}`);
  return found;
}

function named(family: MetricFamily, values: readonly string[]): Record<string, string> {
  expect(values).toHaveLength(family.labels.length);
  return Object.fromEntries(family.labels.map((name, index) => [name, values[index] ?? ""]));
}

const SENSOR = {
  server: "hq",
  sensor_id: "2490",
  probe: "Berlin",
  group: "Network",
  device: "sw-1",
  sensor: "Uplink",
  path: "Berlin/Network/sw-1/Uplink",
};
const CHANNEL = { ...SENSOR, channel_id: "-4", channel: "Downtime", unit: "%" };
const wide = new SeriesLabels();
const DOWNTIME = { channelId: "-4", name: "Downtime", unit: "%" };
const channel = wide.channel("hq", downtime(node("2490")));

function downtime(sensor: TreeNode) {
  return { ...DOWNTIME, sensor: { node: sensor } };
}

function nodeValues(labels: LabelSet<{ readonly node: TreeNode }>, id: string, of = wide): readonly string[] {
  return of.values(labels)("hq", { node: node(id) });
}

describe("label values in the order of the table", () => {
  test.each([
    { family: TREE_FAMILIES.sensorStatusCode, values: nodeValues(SENSOR_LABELS, "2490"), expected: SENSOR },
    {
      family: TREE_FAMILIES.sensorStatus,
      values: [...nodeValues(SENSOR_LABELS, "2490"), "partialdown"],
      expected: { ...SENSOR, status: "partialdown" },
    },
    { family: TREE_FAMILIES.channelValue, values: channel, expected: CHANNEL },
    {
      family: TREE_FAMILIES.channelLimit,
      values: [...channel, "min_error"],
      expected: { ...CHANNEL, limit: "min_error" },
    },
    {
      family: TREE_FAMILIES.channelLimitExceeded,
      values: [...wide.values(CHANNEL_ID_LABELS)("hq", downtime(node("2490"))), "max_warning"],
      expected: { server: "hq", sensor_id: "2490", channel_id: "-4", limit: "max_warning" },
    },
    {
      family: TREE_FAMILIES.nodeStatusCode,
      values: nodeValues(NODE_LABELS, "10"),
      expected: { server: "hq", id: "10", kind: "group", path: "Berlin/Network" },
    },
    {
      family: TREE_FAMILIES.nodeSensors,
      values: [...nodeValues(NODE_LABELS, "1"), "up"],
      expected: { server: "hq", id: "1", kind: "probe", path: "Berlin", status: "up" },
    },
    {
      family: TREE_FAMILIES.sensorInfo,
      values: nodeValues(SENSOR_INFO_LABELS, "2490"),
      expected: {
        server: "hq",
        sensor_id: "2490",
        device_id: "40",
        kind: "snmptraffic",
        kind_name: "SNMP Traffic",
        priority: "4",
        tags: "a,b,c",
        favorite: "true",
      },
    },
    {
      family: TREE_FAMILIES.channelInfo,
      values: [...wide.values(CHANNEL_INFO_LABELS)("hq", downtime(node("2490"))), "prtg_channel_value"],
      expected: { ...CHANNEL, metric: "prtg_channel_value" },
    },
    {
      family: TREE_FAMILIES.deviceInfo,
      values: nodeValues(DEVICE_INFO_LABELS, "40"),
      expected: {
        server: "hq",
        device_id: "40",
        device: "sw-1",
        host: "10.0.0.2",
        kind: "Switch",
        tags: "cisco,core",
        path: "Berlin/Network/sw-1",
      },
    },
  ])("match $family.name", ({ family, values, expected }) => {
    expect(named(family, values)).toEqual(expected);
  });

  test("are empty if unknown", () => {
    expect(named(TREE_FAMILIES.sensorInfo, nodeValues(SENSOR_INFO_LABELS, "2491"))).toMatchObject({
      priority: "",
      tags: "",
      favorite: "",
    });
    expect(named(TREE_FAMILIES.deviceInfo, nodeValues(DEVICE_INFO_LABELS, "41"))).toMatchObject({ host: "", kind: "" });
  });
});

test("text stays unchanged except for lone surrogates", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom("\ud83d", "\ude00", '"', "\\", "\n", "/", "é", "")).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, text, (name, unit) => {
      const sensor = { ...node("2490"), name };
      const values = named(
        TREE_FAMILIES.channelValue,
        wide.channel("hq", { sensor: { node: sensor }, channelId: "1", name, unit }),
      );
      expect(values).toMatchObject({
        sensor: name.toWellFormed(),
        channel: name.toWellFormed(),
        unit: unit.toWellFormed(),
      });
      for (const value of Object.values(values)) expect(value.isWellFormed()).toBe(true);
    }),
  );
});

describe("configured labels", () => {
  const tagged: TreeNode = { ...node("2490"), tags: ["site:own"], inheritedTags: ["site:above", "tier_gold_level"] };
  const SITE = { label: "site", prefix: "site:", suffix: "" };
  const settings = (more: Partial<LabelSettings>): LabelSettings => ({ ...WIDE_LABELS, ...more });

  function all(labels: SeriesLabels): Record<TreeFamilyName, Record<string, string>> {
    const { families } = labels;
    const limits = labels.channel("hq", downtime(tagged));
    const sensor = labels.values(SENSOR_LABELS)("hq", { node: tagged });
    const values: Partial<Record<TreeFamilyName, readonly string[]>> = {
      sensorStatus: [...sensor, "up"],
      sensorStatusCode: sensor,
      sensorInfo: labels.values(SENSOR_INFO_LABELS)("hq", { node: tagged }),
      channelValue: limits,
      channelLimit: [...limits, "min_error"],
      channelState: [...limits, "Closed"],
      channelInfo: [...labels.values(CHANNEL_INFO_LABELS)("hq", downtime(tagged)), "prtg_channel_value"],
    };
    const entries = Object.entries(values).map(([key, found]) => [key, named(families[key as TreeFamilyName], found)]);
    return Object.fromEntries(entries);
  }

  test("are wide by default", () => {
    expect(wide.families).toEqual(TREE_FAMILIES);
    expect(wide.isWide).toBe(true);
  });

  test("can be only ids, with the other labels on info metrics", () => {
    const labels = new SeriesLabels(settings({ keep: new Set() }));
    const found = all(labels);
    expect(labels.isWide).toBe(false);
    expect(found.sensorStatusCode).toEqual({ server: "hq", sensor_id: "2490" });
    expect(found.sensorStatus).toEqual({ server: "hq", sensor_id: "2490", status: "up" });
    expect(found.channelValue).toEqual({ server: "hq", sensor_id: "2490", channel_id: "-4" });
    expect(found.channelLimit).toEqual({ server: "hq", sensor_id: "2490", channel_id: "-4", limit: "min_error" });
    expect(found.channelState).toEqual({ server: "hq", sensor_id: "2490", channel_id: "-4", state: "Closed" });
    const { probe, group, device, sensor, path } = SENSOR;
    expect(found.sensorInfo).toMatchObject({ kind: "snmptraffic", probe, group, device, sensor, path });
    expect(found.channelInfo).toEqual({ ...CHANNEL, metric: "prtg_channel_value" });
  });

  test("can be a few with other names", () => {
    const rename = new Map([["device", "host_name"]]);
    const labels = new SeriesLabels(settings({ keep: new Set(["device", "unit"]), rename }));
    const found = all(labels);
    expect(found.sensorStatusCode).toEqual({ server: "hq", sensor_id: "2490", host_name: "sw-1" });
    expect(found.channelValue).toEqual({
      server: "hq",
      sensor_id: "2490",
      channel_id: "-4",
      host_name: "sw-1",
      unit: "%",
    });
    expect(found.channelInfo).toMatchObject({ host_name: "sw-1", channel: "Downtime" });
    expect(labels.families.deviceInfo.labels).toContain("host_name");
    expect(labels.families.deviceInfo.labels).not.toContain("device");
  });

  test("can come from own tags, then inherited tags, or be empty", () => {
    const fromTags = [
      SITE,
      { label: "tier", prefix: "tier_", suffix: "_level" },
      { ...SITE, label: "no", prefix: "x" },
    ];
    const labels = new SeriesLabels(settings({ fromTags }));
    const found = all(labels);
    expect(labels.isWide).toBe(true);
    expect(found.sensorStatusCode).toEqual({ ...SENSOR, site: "own", tier: "gold", no: "" });
    expect(found.sensorStatus).toMatchObject({ site: "own", status: "up" });
    expect(found.channelLimit).toMatchObject({ tier: "gold", limit: "min_error" });
  });

  test("equal channel labels without the unit, then labels of the rule, for mapped families", () => {
    const labels = new SeriesLabels(settings({ keep: new Set(["unit", "sensor"]), fromTags: [SITE] }));
    const family = { name: "prtg_traffic", type: "gauge", help: "", labels: [] } as const;
    const served = labels.mappedFamily(family, ["direction"]);
    const values = [...labels.mappedChannel("hq", downtime(tagged)), "in"];
    expect(named(served, values)).toEqual({
      server: "hq",
      sensor_id: "2490",
      channel_id: "-4",
      sensor: "Uplink",
      site: "own",
      direction: "in",
    });
  });

  test("keep every series distinct in any choice", () => {
    fc.assert(
      fc.property(fc.subarray([...LABELS_TO_CHOOSE]), (keep) => {
        const labels = new SeriesLabels(settings({ keep: new Set(keep) }));
        const ids = ["1", "2"].map((channelId) => labels.channel("hq", { ...downtime(tagged), channelId }).join());
        expect(new Set(ids).size).toBe(2);
        expect(labels.isWide).toBe(keep.length === LABELS_TO_CHOOSE.length);
      }),
    );
  });

  test.each([
    { tags: ["site:berlin"], expected: "berlin" },
    { tags: ["other", "site:a b/c"], expected: "a b/c" },
    { tags: ["site:"], expected: "" },
    { tags: ["Site:berlin", "mysite:berlin"], expected: "" },
    { tags: [], expected: "" },
  ])("give $expected for $tags", ({ tags, expected }) => {
    expect(tagValue(SITE, tags)).toBe(expected);
  });
});
