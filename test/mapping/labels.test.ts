import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMIT_NAMES } from "../../src/api/records.ts";
import {
  channelLabels,
  channelLimitLabels,
  deviceInfoLabels,
  limitExceededLabels,
  nodeLabels,
  nodeSensorsLabels,
  oncePerNode,
  sensorInfoLabels,
  sensorLabels,
  sensorStatusLabels,
} from "../../src/mapping/labels.ts";
import { type MetricFamily, TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { EMPTY_TREE, type TreeNode } from "../../src/tree/model.ts";
import { reconcile } from "../../src/tree/reconcile.ts";
import { list, ROOT, record } from "../tree/build-record.ts";

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

/** Label values under the names that the table gives them. */
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
const channel = channelLabels("hq", node("2490"), { channelId: "-4", name: "Downtime", unit: "%" });

describe("label values come in the order of the table", () => {
  it.each([
    { family: TREE_FAMILIES.sensorStatusCode, values: sensorLabels("hq", node("2490")), expected: SENSOR },
    {
      family: TREE_FAMILIES.sensorStatus,
      values: sensorStatusLabels("hq", node("2490"), "partialdown"),
      expected: { ...SENSOR, status: "partialdown" },
    },
    { family: TREE_FAMILIES.channelValue, values: channel, expected: CHANNEL },
    {
      family: TREE_FAMILIES.channelLimit,
      values: channelLimitLabels(channel, "min_error"),
      expected: { ...CHANNEL, limit: "min_error" },
    },
    {
      family: TREE_FAMILIES.channelLimitExceeded,
      values: limitExceededLabels("hq", "2490", "-4", "max_warning"),
      expected: { server: "hq", sensor_id: "2490", channel_id: "-4", limit: "max_warning" },
    },
    {
      family: TREE_FAMILIES.nodeStatusCode,
      values: nodeLabels("hq", node("10")),
      expected: { server: "hq", id: "10", kind: "group", path: "Berlin/Network" },
    },
    {
      family: TREE_FAMILIES.nodeSensors,
      values: nodeSensorsLabels("hq", node("1"), "up"),
      expected: { server: "hq", id: "1", kind: "probe", path: "Berlin", status: "up" },
    },
    {
      family: TREE_FAMILIES.sensorInfo,
      values: sensorInfoLabels("hq", node("2490")),
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
      family: TREE_FAMILIES.deviceInfo,
      values: deviceInfoLabels("hq", node("40")),
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
  ])("of $family.name", ({ family, values, expected }) => {
    expect(named(family, values)).toEqual(expected);
  });

  it("are empty for what is not known", () => {
    expect(named(TREE_FAMILIES.sensorInfo, sensorInfoLabels("hq", node("2491")))).toMatchObject({
      priority: "",
      tags: "",
      favorite: "",
    });
    expect(named(TREE_FAMILIES.deviceInfo, deviceInfoLabels("hq", node("41")))).toMatchObject({ host: "", kind: "" });
  });
});

it("every limit of the API is a value of the label", () => {
  expect(LIMIT_NAMES.map((name) => channelLimitLabels(channel, name).at(-1))).toEqual([...LIMIT_NAMES]);
});

it("text is served as it is, but for lone surrogates", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom("\ud83d", "\ude00", '"', "\\", "\n", "/", "é", "")).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, text, (name, unit) => {
      const sensor = { ...node("2490"), name };
      const values = named(TREE_FAMILIES.channelValue, channelLabels("hq", sensor, { channelId: "1", name, unit }));
      expect(values).toMatchObject({
        sensor: name.toWellFormed(),
        channel: name.toWellFormed(),
        unit: unit.toWellFormed(),
      });
      for (const value of Object.values(values)) expect(value.isWellFormed()).toBe(true);
    }),
  );
});

it("labels are built once per node", () => {
  let built = 0;
  const labels = oncePerNode((of) => [of.name, String(++built)]);
  expect(labels(node("40"))).toBe(labels(node("40")));
  expect(labels(node("41"))).not.toBe(labels(node("40")));
  expect(built).toBe(2);
});
