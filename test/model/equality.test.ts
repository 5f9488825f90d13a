import { describe, expect, test } from "vitest";
import { sameAbove, sameAttachment, sameProperties, sameSummary } from "../../src/model/equality.ts";
import type { TreeNode } from "../../src/model/tree.ts";
import type { StatusSummary } from "../../src/prtg/records.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { record, reference } from "./build-record.ts";

const NODE: TreeNode = {
  ...record("device", "40", "1", { name: "sw-1", tags: ["a", "b"], favorite: true, intervalSeconds: 60 }),
  ...{ parentId: "1", orphan: false, unseen: [reference("10", "Network", "group"), reference("11", "Core", "group")] },
  ...{ path: "Berlin/sw-1", probe: "Berlin", group: "Network", device: "sw-1", deviceId: "40", inheritedTags: ["c"] },
};

/** Equal, but shares no array. */
function copy(): TreeNode {
  return { ...NODE, tags: [...NODE.tags], inheritedTags: ["c"], unseen: NODE.unseen.map((each) => ({ ...each })) };
}

test("objects with equal members are equal", () => {
  expect([sameAttachment, sameAbove, sameProperties].map((isSame) => isSame(NODE, copy()))).toEqual([true, true, true]);
});

describe("an object has another place with", () => {
  test.each<[string, Partial<TreeNode>]>([
    ["another parent", { parentId: "2" }],
    ["a parent that is gone", { orphan: true }],
    ["no hidden ancestors", { unseen: [] }],
    ["fewer hidden ancestors", { unseen: NODE.unseen.slice(0, 1) }],
    ["more hidden ancestors", { unseen: [...NODE.unseen, reference("12", "Edge", "group")] }],
    ["another hidden ancestor", { unseen: [reference("9", "Network", "group"), ...NODE.unseen.slice(1)] }],
    ["a renamed hidden ancestor", { unseen: [reference("10", "LAN", "group"), ...NODE.unseen.slice(1)] }],
    ["a hidden ancestor of another kind", { unseen: [reference("10", "Network", "probe"), ...NODE.unseen.slice(1)] }],
  ])("%s", (_, more) => {
    const other = { ...copy(), ...more };
    expect([sameAttachment(NODE, other), sameAttachment(other, NODE)]).toEqual([false, false]);
  });
});

describe("an object looks different from below with", () => {
  test.each<[string, Partial<TreeNode>]>([
    ["another path", { path: "Berlin/sw-2" }],
    ["another probe", { probe: "Bonn" }],
    ["another group", { group: "Core" }],
    ["another device name", { device: "sw-2" }],
    ["another device", { deviceId: "41" }],
    ["other tags", { tags: ["a", "x"] }],
    ["more tags", { tags: ["a", "b", "c"] }],
    ["other inherited tags", { inheritedTags: [] }],
  ])("%s", (_, more) => {
    const other = { ...copy(), ...more };
    expect([sameAbove(NODE, other), sameAbove(other, NODE)]).toEqual([false, false]);
  });

  test("no object at all", () => {
    const pairs = [sameAbove(NODE, undefined), sameAbove(undefined, NODE), sameAbove(undefined, undefined)];
    expect(pairs).toEqual([false, false, true]);
  });
});

test.each<[string, boolean, Partial<TreeNode>]>([
  ["another kind", false, { kind: "group" }],
  ["another name", false, { name: "sw-2" }],
  ["another type", false, { type: "x" }],
  ["another name of its type", false, { typeName: "x" }],
  ["another priority", false, { priority: 4 }],
  ["another favorite flag", false, { favorite: false }],
  ["another host", false, { host: "192.0.2.2" }],
  ["another interval", false, { intervalSeconds: 30 }],
  ["no interval, which not every list has", true, { intervalSeconds: undefined }],
  ["tags in another order", false, { tags: ["b", "a"] }],
  ["another place", true, { parentId: "2", path: "x" }],
])("the properties of a record with %s are the same: %s", (_, isSame, more) => {
  expect(sameProperties(NODE, { ...copy(), ...more })).toBe(isSame);
});

describe("summary of statuses", () => {
  const summary = (total: number | undefined, ...counts: [StatusToken, number][]): StatusSummary => ({
    counts: new Map(counts),
    total,
  });
  const known = summary(4, ["up", 3], ["down", 1]);

  test.each<[StatusSummary, boolean]>([
    [summary(4, ["down", 1], ["up", 3]), true],
    [summary(5, ["up", 3], ["down", 1]), false],
    [summary(undefined, ["up", 3], ["down", 1]), false],
    [summary(4, ["up", 4]), false],
    [summary(4, ["up", 3], ["warning", 1]), false],
    [summary(4, ["up", 2], ["down", 2]), false],
    [summary(4, ["up", 3], ["down", 1], ["warning", 0]), false],
  ])("%j is the same as the known one: %s", (other, isSame) => {
    expect([sameSummary(known, other), sameSummary(other, known)]).toEqual([isSame, isSame]);
  });
});
