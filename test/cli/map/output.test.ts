import { expect, test } from "vitest";
import { conclude, type MappedChannel, mapJson, mapTable } from "../../../src/cli/map/output.ts";
import type { MetricFamily } from "../../../src/mapping/families/family.ts";
import { WIDE_LABELS } from "../../../src/mapping/label-settings.ts";
import { TREE_FAMILIES } from "../../../src/mapping/metric-table.ts";
import type { TreeNode } from "../../../src/model/tree.ts";

const DIRECTED: MetricFamily = {
  name: "test_bytes_per_second",
  type: "gauge",
  help: "Data.",
  labels: ["server", "sensor_id", "channel_id", "host_name", "direction"],
};

function mapped(path: string, name: string, unit: string): MappedChannel {
  const sensor: TreeNode = {
    ...{ id: "2490", kind: "sensor", name: path, parent: undefined, type: "ping", typeName: "Ping" },
    ...{ priority: 3, tags: [], favorite: false, host: undefined, intervalSeconds: 60 },
    ...{ path, probe: path, group: "", device: path, deviceId: "1" },
    ...{ inheritedTags: [], parentId: "1", unseen: [], orphan: false },
  };
  const channel = { sensorId: "2490", channelId: "1", name, unit, value: 1 / 3, measuredAt: 0, limits: undefined };
  const original = {
    ...TREE_FAMILIES.channelValue,
    labels: ["server", "sensor_id", "channel_id", "host_name", "channel"],
  };
  const series = [
    { family: original, labels: ["hq", "2490", "1", path, name], value: 0.1 + 0.2 },
    { family: DIRECTED, labels: ["hq", "2490", "1", path, "in"], value: 123_456_789 },
  ];
  return { server: "hq", sensor, channel, account: { outcome: "mapped", rule: "r", reason: "rules[0] of x", series } };
}

/** So that the series of the table repeat no path. */
const NO_HOST = new Map([["device", "host_name"]]);

function withSensor(more: Partial<TreeNode>): MappedChannel {
  const { sensor, ...rest } = mapped("Port 1", "Load", "%");
  return { ...rest, sensor: { ...sensor, ...more } };
}

test("a line has the channel once and omits repeated labels", () => {
  const labels = { ...WIDE_LABELS, rename: NO_HOST };
  expect(mapTable([mapped("Berlin/core/Port 1", "Traffic In", "Mbit/s")], false, labels).split("\n")).toEqual([
    "CHANNEL  SENSOR              KIND  NAME        VALUE     UNIT    SERIES                                           RULE",
    "2490.1   Berlin/core/Port 1  ping  Traffic In  0.333333  Mbit/s  prtg_channel_value 0.3                           rules[0] of x",
    `${" ".repeat(65)}test_bytes_per_second{direction="in"} 123456789`,
    "",
  ]);
});

test("long names do not make a line wider than a screen", () => {
  const long = `${"x".repeat(5_000)}\n${"y".repeat(100)}/the end`;
  const text = mapTable([mapped(long, long, long)], true, WIDE_LABELS);
  for (const line of text.split("\n")) expect(line.length).toBeLessThan(220);
  expect(text).toContain("yyyy/the end ");
});

test("a channel without series has the row none, and each server its name in front", () => {
  const account = { outcome: "not_a_number", rule: undefined, reason: "no number", series: [] } as const;
  const none = { ...mapped("Berlin/Port 1", "State", ""), account } as unknown as MappedChannel;
  const without = { ...none, channel: { ...none.channel, value: undefined } } as MappedChannel;
  const rows = mapTable([none, without], true, WIDE_LABELS).split("\n");
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ["SERVER", "CHANNEL", "SENSOR", "KIND", "NAME", "VALUE", "UNIT", "SERIES", "RULE"],
    ["hq", "2490.1", "Berlin/Port 1", "ping", "State", "0.333333", "none", "no number"],
    ["hq", "2490.1", "Berlin/Port 1", "ping", "State", "none", "no number"],
    [""],
  ]);
});

test("paths at the limit of their column are whole, and longer ones lose their beginning", () => {
  const cells = (length: number) =>
    mapTable([mapped("p".repeat(length), "", "")], false, WIDE_LABELS).split(/ {2,}|\n/);
  expect(cells(40)).toContain("p".repeat(40));
  expect(cells(41)).toContain(`…${"p".repeat(39)}`);
});

test.each([
  { column: "kind", width: 20, given: (text: string) => withSensor({ type: text }) },
  { column: "name", width: 30, given: (text: string) => mapped("Port 1", text, "%") },
  { column: "unit", width: 12, given: (text: string) => mapped("Port 1", "Load", text) },
])("a $column of $width characters is whole, and a longer one loses its end", ({ width, given }) => {
  const longest = (length: number) => {
    const words = mapTable([given("q".repeat(length))], false, { ...WIDE_LABELS, rename: NO_HOST }).match(/q+\S*/g);
    return words?.[0];
  };
  expect(longest(width)).toBe("q".repeat(width));
  expect(longest(width + 1)).toHaveLength(width);
  expect(longest(width + 1)).not.toBe("q".repeat(width));
});

test("JSON has everything about a channel, without cuts", () => {
  const long = "x".repeat(100);
  expect(mapJson([mapped("Berlin/Port 1", long, "Mbit/s")])).toEqual([
    {
      ...{ server: "hq", sensor_id: "2490", channel_id: "1", path: "Berlin/Port 1", kind: "ping" },
      ...{ channel: long, unit: "Mbit/s", value: 1 / 3, outcome: "mapped", rule: "r", reason: "rules[0] of x" },
      series: [
        {
          name: "prtg_channel_value",
          labels: { server: "hq", sensor_id: "2490", channel_id: "1", host_name: "Berlin/Port 1", channel: long },
          value: 0.1 + 0.2,
        },
        {
          name: "test_bytes_per_second",
          labels: { server: "hq", sensor_id: "2490", channel_id: "1", host_name: "Berlin/Port 1", direction: "in" },
          value: 123_456_789,
        },
      ],
    },
  ]);
});

test.each([
  { outcomes: [], text: "0 channels: none" },
  { outcomes: ["mapped"], text: "1 channels: 1 mapped" },
  { outcomes: ["mapped", "not_a_number", "mapped"], text: "3 channels: 2 mapped, 1 not a number" },
])("the conclusion counts outcomes: $text", ({ outcomes, text }) => {
  const channel = mapped("Berlin/Port 1", "Traffic", "");
  const channels = outcomes.map((outcome) => ({ ...channel, account: { ...channel.account, outcome } }));
  expect(conclude(channels as unknown as readonly MappedChannel[])).toBe(text);
});
