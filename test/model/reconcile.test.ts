import { describe, expect, test } from "vitest";
import { labelSize, MAX_PATH_LENGTH, MAX_TREE_DEPTH } from "../../src/model/bounds.ts";
import { type Reconciled, reconcile, reconcileInSteps } from "../../src/model/reconcile.ts";
import type { NodePoll } from "../../src/model/tree.ts";
import { EMPTY_TREE, NODE_KINDS, type Tree } from "../../src/model/tree.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import { list, ROOT, record, reference } from "./build-record.ts";

/** All four lists. `incomplete`: their names. */
function pollOf(records: readonly NodeRecord[], incomplete: readonly string[] = []): NodePoll {
  return Object.fromEntries(
    NODE_KINDS.map((kind) => [
      kind,
      list(
        records.filter((each) => each.kind === kind),
        !incomplete.includes(kind),
      ),
    ]),
  );
}

function treeOf(records: readonly NodeRecord[], previous: Tree = EMPTY_TREE): Tree {
  return reconcile(previous, pollOf(records)).tree;
}

function ids(nodes: readonly { readonly id: string }[]): string[] {
  return nodes.map(({ id }) => id);
}

const PROBE = record("probe", "1", ROOT, { name: "Berlin" });
const OUTER = record("group", "10", "1", { name: "Network" });
const INNER = record("group", "11", "10", { name: "Core" });
const DEVICE = record("device", "40", "11", { name: "sw-1" });
const SENSOR = record("sensor", "2490", "40", { name: "Uplink" });
const WORLD = [PROBE, OUTER, INNER, DEVICE, SENSOR];

describe("path of an object", () => {
  test.each([
    { id: "1", path: "Berlin", probe: "Berlin", group: "", device: "", deviceId: "" },
    { id: "10", path: "Berlin/Network", probe: "Berlin", group: "Network", device: "", deviceId: "" },
    { id: "11", path: "Berlin/Network/Core", probe: "Berlin", group: "Core", device: "", deviceId: "" },
    { id: "40", path: "Berlin/Network/Core/sw-1", probe: "Berlin", group: "Core", device: "sw-1", deviceId: "40" },
    {
      id: "2490",
      path: "Berlin/Network/Core/sw-1/Uplink",
      probe: "Berlin",
      group: "Core",
      device: "sw-1",
      deviceId: "40",
    },
  ])("is $path for $id", ({ id, ...place }) => {
    expect(treeOf(WORLD).nodes.get(id)).toMatchObject({ ...place, orphan: false });
  });

  test("does not depend on the order of the lists", () => {
    const forwards = treeOf(WORLD);
    const backwards = treeOf(WORLD.toReversed());
    for (const [id, node] of forwards.nodes) expect(backwards.nodes.get(id)).toEqual(node);
  });

  test("keeps names as they are", () => {
    const tree = treeOf([PROBE, record("device", "40", "1", { name: 'a/"b"\n\ud800' })]);
    expect(tree.nodes.get("40")?.path).toBe('Berlin/a/"b"\n\ud800');
  });

  test("has no group below a probe without one", () => {
    const tree = treeOf([PROBE, record("device", "40", "1"), record("sensor", "50", "40")]);
    expect(tree.nodes.get("50")).toMatchObject({ group: "", device: "device 40" });
  });

  test("skips the root group even if a list shows it", () => {
    const tree = treeOf([record("group", "0", undefined, { name: "Root" }), ...WORLD]);
    expect(tree.nodes.has("0")).toBe(false);
    expect(tree.counts).toEqual({ probe: 1, group: 2, device: 1, sensor: 1 });
    expect(tree.nodes.get("1")?.path).toBe("Berlin");
  });

  test("uses the last ancestor as parent if the record has none", () => {
    const ancestors = [ROOT, reference("1"), reference("10"), reference("50")];
    const tree = treeOf([PROBE, OUTER, record("device", "50", undefined, { name: "d", ancestors })]);
    expect(tree.nodes.get("50")).toMatchObject({ parentId: "10", path: "Berlin/Network/d", orphan: false });
  });

  test("starts at the root like an orphan if the tree is too deep", () => {
    const depth = 20_000;
    const groups = Array.from({ length: depth }, (_, index) =>
      record("group", String(index + 2), String(index + 1), { name: "g" }),
    );
    const poll = [PROBE, ...groups].toReversed();
    const tree = treeOf(poll);
    const atMost = String(MAX_TREE_DEPTH);
    expect(tree.nodes.get(atMost)?.path).toBe(`Berlin${"/g".repeat(MAX_TREE_DEPTH - 1)}`);
    expect(tree.nodes.get(String(MAX_TREE_DEPTH + 1))).toMatchObject({ path: "g", parentId: "0", orphan: true });
    expect(Math.max(...[...tree.nodes.values()].map(({ path }) => path.length))).toBeLessThan(300);
    expect(tree.orphans).toBe(Math.floor(depth / MAX_TREE_DEPTH));
  });

  test("has a limited length, which descendants share", () => {
    const names = Array.from({ length: 90 }, (_, index) =>
      record("group", String(index + 2), String(index + 1), { name: "x".repeat(100) }),
    );
    const nodes = treeOf([PROBE, ...names]).nodes;
    const path = nodes.get("91")?.path ?? "";
    expect(path).toHaveLength(MAX_PATH_LENGTH);
    expect(path.startsWith("Berlin/xxx")).toBe(true);
    expect(path.endsWith("…")).toBe(true);
    expect(nodes.get("90")?.path).toBe(path);
  });

  test("inherits a limited number of tags", () => {
    const groups = Array.from({ length: 60 }, (_, index) =>
      record("group", String(index + 2), String(index + 1), { tags: [`a${index}`, `b${index}`, `c${index}`] }),
    );
    const tags = treeOf([PROBE, ...groups]).nodes.get("61")?.inheritedTags ?? [];
    expect(tags).toHaveLength(100);
    expect(tags.at(-1)).toBe("c58");
  });

  test("fails if the labels of all objects are too large", () => {
    const groups = Array.from({ length: 50 }, (_, index) =>
      record("group", String(index + 2), "1", { name: "x".repeat(100) }),
    );
    const fails = (max: number) => {
      const steps = reconcileInSteps(EMPTY_TREE, { group: { items: groups, complete: true, skipped: 0 } }, max);
      return expect(() => [...steps]);
    };
    const size = treeOf(groups)
      .nodes.values()
      .reduce((sum, node) => sum + labelSize(node), 0);
    expect(size).toBeGreaterThan(5_000);
    fails(size).not.toThrow();
    fails(size - 1).toThrow(expect.objectContaining({ code: "API_LIST_TOO_LARGE" }));
    fails(5_000).toThrow("labels of objects would have more than 5000 characters");
  });
});

describe("orphan", () => {
  const hidden = reference("40", "sw-1", "device");

  test.each([
    {
      name: "hangs under the nearest visible ancestor, named ones in between in its path",
      sensor: { parent: hidden, ancestors: [ROOT, reference("1"), reference("10"), reference("11", "Core"), hidden] },
      expected: { parentId: "10", path: "Berlin/Network/Core/sw-1/Uplink", device: "sw-1", deviceId: "40" },
    },
    {
      name: "hangs under the root when nothing else is known",
      sensor: { parent: hidden, ancestors: undefined },
      expected: { parentId: "0", path: "sw-1/Uplink", probe: "", device: "sw-1", deviceId: "40" },
    },
    {
      name: "hangs under the root when none of its ancestors is visible",
      sensor: { parent: hidden, ancestors: [ROOT, reference("8", "X", "probe"), reference("9", "Y", "group"), hidden] },
      expected: { parentId: "0", path: "X/Y/sw-1/Uplink", probe: "X", group: "Y", device: "sw-1" },
    },
    {
      name: "treats its parent as a device if the reference has no kind",
      sensor: { parent: reference("40", "sw-1"), ancestors: [ROOT, reference("1")] },
      expected: { parentId: "1", path: "Berlin/sw-1/Uplink", device: "sw-1", deviceId: "40" },
    },
    {
      name: "omits a missing name of a reference",
      sensor: { parent: reference("40"), ancestors: undefined },
      expected: { parentId: "0", path: "Uplink", device: "", deviceId: "40" },
    },
  ])("$name", ({ sensor, expected }) => {
    const tree = treeOf([PROBE, OUTER, { ...SENSOR, ...sensor }]);
    expect(tree.nodes.get("2490")).toMatchObject({ ...expected, orphan: true });
    expect(tree.orphans).toBe(1);
    expect([...tree.missingParents]).toEqual(["40"]);
  });

  test("keeps its place when its parent disappears", () => {
    let tree = treeOf(WORLD);
    const remaining = WORLD.filter((each) => each.id !== "40" && each.id !== "11");
    for (let poll = 0; poll < 4; poll++) tree = treeOf(remaining, tree);
    expect([...tree.nodes.keys()].sort()).toEqual(["1", "10", "2490"]);
    expect(tree.nodes.get("2490")).toMatchObject({
      parentId: "10",
      path: "Berlin/Network/Core/sw-1/Uplink",
      group: "Core",
      device: "sw-1",
      orphan: true,
    });
  });

  test("moves below its parent as soon as that appears", () => {
    const before = treeOf([PROBE, OUTER, INNER, SENSOR]);
    const { tree, changes } = reconcile(before, pollOf(WORLD));
    expect(tree.nodes.get("2490")).toMatchObject({ path: "Berlin/Network/Core/sw-1/Uplink", orphan: false });
    expect(ids(changes.replaced)).toEqual(["2490"]);
    expect(tree).toMatchObject({ orphans: 0, missingParents: new Set() });
  });

  test("keeps the names above a parent that was an orphan", () => {
    const parent = reference("11", "Core", "group");
    let tree = treeOf([PROBE, { ...DEVICE, parent, ancestors: [ROOT, reference("1"), parent] }, SENSOR]);
    expect(tree.nodes.get("2490")?.path).toBe("Berlin/Core/sw-1/Uplink");
    for (let poll = 0; poll < 2; poll++) tree = treeOf([PROBE, SENSOR], tree);
    expect(tree.nodes.has("40")).toBe(false);
    expect(tree.nodes.get("2490")).toMatchObject({ parentId: "1", path: "Berlin/Core/sw-1/Uplink", group: "Core" });
  });

  test("follows its ancestors without other changes", () => {
    const below = (id: string) => ({ ...SENSOR, parent: hidden, ancestors: [ROOT, reference(id), hidden] });
    const before = treeOf([PROBE, record("probe", "2", ROOT, { name: "Bonn" }), below("1")]);
    const after = reconcile(before, { sensor: list([below("2")]) }).tree;
    expect(after.nodes.get("2490")).toMatchObject({ parentId: "2", path: "Bonn/sw-1/Uplink", probe: "Bonn" });
  });

  test("includes a device without a parent, but no probe", () => {
    const tree = treeOf([record("probe", "1", undefined), record("device", "40", undefined)]);
    expect(tree.nodes.get("1")?.orphan).toBe(false);
    expect(tree.nodes.get("40")).toMatchObject({ orphan: true, parentId: "0" });
  });

  test("keeps its place if only some lists have ancestors", () => {
    const withPath = { ...SENSOR, parent: hidden, ancestors: [ROOT, reference("1"), hidden] };
    const first = treeOf([PROBE, withPath]);
    const second = reconcile(first, { sensor: list([{ ...withPath, ancestors: undefined }]) });
    expect(second.tree.nodes.get("2490")).toBe(first.nodes.get("2490"));
  });
});

describe("malformed tree", () => {
  test.each([
    { name: "a parent of itself", records: [record("group", "10", "10")], detached: ["10"] },
    { name: "a cycle of two", records: [record("group", "11", "10"), record("group", "10", "11")], detached: ["10"] },
    {
      name: "a cycle with a tail",
      records: [
        record("device", "99", "12"),
        record("group", "12", "11"),
        record("group", "11", "9"),
        record("group", "9", "12"),
      ],
      detached: ["9"],
    },
    {
      name: "two cycles",
      records: [
        record("group", "21", "20"),
        record("group", "20", "21"),
        record("group", "31", "30"),
        record("group", "30", "31"),
      ],
      detached: ["20", "30"],
    },
  ])("splits at the lowest id with $name", ({ records, detached }) => {
    for (const order of [records, records.toReversed()]) {
      const tree = treeOf(order);
      expect(tree.nodes.size).toBe(records.length);
      const roots = [...tree.nodes.values()].filter((node) => node.parentId === "0").map((node) => node.id);
      expect(roots.sort()).toEqual(detached);
      expect(reconcile(tree, pollOf(order)).tree.nodes).toEqual(tree.nodes);
    }
  });

  test("splits if moves cause a cycle", () => {
    const before = treeOf([PROBE, OUTER, INNER, DEVICE, SENSOR]);
    const after = treeOf([PROBE, { ...OUTER, parent: reference("11") }, INNER, DEVICE, SENSOR], before);
    expect(after.nodes.get("10")).toMatchObject({ parentId: "0", orphan: true });
    expect(after.nodes.get("2490")?.path).toBe("Network/Core/sw-1/Uplink");
  });

  test("recovers", () => {
    const cut = treeOf([record("group", "10", "11"), record("group", "11", "10"), PROBE]);
    const complete = treeOf([record("group", "10", "1"), record("group", "11", "10"), PROBE], cut);
    expect(complete.nodes.get("11")).toMatchObject({ path: "Berlin/group 10/group 11", orphan: false });
  });

  test("assigns a duplicate id to one list, always the same", () => {
    const twins = [record("probe", "5", ROOT), record("group", "5", ROOT), record("sensor", "5", ROOT)];
    expect(treeOf(twins).nodes.get("5")?.kind).toBe("probe");
    expect(treeOf(twins.toReversed()).counts).toEqual({ probe: 1, group: 0, device: 0, sensor: 0 });
  });

  test("gets a new object if an id changes its kind", () => {
    const before = treeOf([PROBE, record("group", "50", "1")]);
    const { tree, changes } = reconcile(before, pollOf([PROBE, record("device", "50", "1")]));
    expect(tree.nodes.get("50")?.kind).toBe("device");
    expect(changes.removed.map(({ kind }) => kind)).toEqual(["group"]);
    expect(changes.added.map(({ kind }) => kind)).toEqual(["device"]);
    expect(changes.replaced).toEqual([]);
  });
});

describe("reported change", () => {
  function change(records: readonly NodeRecord[]): Reconciled["changes"] {
    return reconcile(treeOf(WORLD), pollOf(records)).changes;
  }
  const replacing = (id: string, more: Partial<NodeRecord>) =>
    WORLD.map((each) => (each.id === id ? { ...each, ...more } : each));

  test.each([
    { what: "nothing", records: WORLD, expected: {} },
    { what: "only states", records: replacing("2490", { status: "down", statusSince: 5 }), expected: {} },
    {
      what: "a new sensor",
      records: [...WORLD, record("sensor", "2500", "40")],
      expected: { added: ["2500"] },
    },
    {
      what: "a renamed group",
      records: replacing("11", { name: "Edge" }),
      expected: { replaced: ["11", "40", "2490"] },
    },
    {
      what: "a moved device",
      records: replacing("40", { parent: reference("10") }),
      expected: { replaced: ["40", "2490"] },
    },
    {
      what: "other tags of a device, which its sensor inherits",
      records: replacing("40", { tags: ["cisco"] }),
      expected: { replaced: ["40", "2490"] },
    },
    { what: "another priority", records: replacing("2490", { priority: 5 }), expected: { replaced: ["2490"] } },
    { what: "another interval", records: replacing("2490", { intervalSeconds: 30 }), expected: { replaced: ["2490"] } },
  ])("includes $what", ({ records, expected }) => {
    const changes = change(records);
    const found = {
      added: ids(changes.added),
      removed: ids(changes.removed),
      replaced: ids(changes.replaced).sort((a, b) => Number(a) - Number(b)),
    };
    expect(found).toEqual({ added: [], removed: [], replaced: [], ...expected });
  });

  test("includes tags of all ancestors once, from the top", () => {
    const tagged = WORLD.map((each) => ({ ...each, tags: each.kind === "sensor" ? ["own"] : [each.kind, "all"] }));
    const tree = treeOf(tagged);
    expect(tree.nodes.get("2490")).toMatchObject({ tags: ["own"], inheritedTags: ["probe", "all", "group", "device"] });
    expect(tree.nodes.get("1")?.inheritedTags).toEqual([]);
    const retagged = tagged.map((each) => (each.id === "10" ? { ...each, tags: ["site:b"] } : each));
    const { changes } = reconcile(tree, pollOf(retagged));
    expect(changes.replaced.find(({ id }) => id === "2490")?.inheritedTags).toContain("site:b");
  });

  test("keeps unchanged nodes identical", () => {
    const before = treeOf(WORLD);
    const after = reconcile(before, pollOf(replacing("2490", { name: "Downlink" }))).tree;
    for (const id of ["1", "10", "11", "40"]) expect(after.nodes.get(id)).toBe(before.nodes.get(id));
    expect(after.nodes.get("2490")?.path).toBe("Berlin/Network/Core/sw-1/Downlink");
  });

  test("keeps the interval if a poll omits it", () => {
    const before = treeOf(replacing("2490", { intervalSeconds: 30 }));
    const after = reconcile(before, { sensor: list([SENSOR]) }).tree;
    expect(after.nodes.get("2490")).toBe(before.nodes.get("2490"));
    expect(after.nodes.get("2490")?.intervalSeconds).toBe(30);
  });
});

describe("object missing from a poll", () => {
  const rest = WORLD.filter((each) => each.id !== "2490");
  const complete: NodePoll = { sensor: list([]) };
  const incomplete: NodePoll = { sensor: list([], false) };
  const present: NodePoll = { sensor: list([SENSOR]) };
  const presentIncomplete: NodePoll = { sensor: list([SENSOR], false) };
  const unreadable = (hidden: number): NodePoll => ({ sensor: { ...list([]), hidden } });
  const otherLists: NodePoll = { probe: list([PROBE]), device: list([DEVICE]), group: list([OUTER, INNER]) };

  test.each([
    { name: "stays after one complete poll", polls: [complete], stays: true },
    { name: "goes after two", polls: [complete, complete], stays: false },
    { name: "stays through any number of incomplete polls", polls: [incomplete, incomplete, incomplete], stays: true },
    {
      name: "goes when an incomplete poll lies between two complete",
      polls: [complete, incomplete, complete],
      stays: false,
    },
    { name: "goes when polls of other lists lie between", polls: [complete, otherLists, complete], stays: false },
    { name: "stays when it was shown in between", polls: [complete, present, complete], stays: true },
    {
      name: "stays when an incomplete poll showed it in between",
      polls: [complete, presentIncomplete, complete],
      stays: true,
    },
    { name: "stays while a record may be it that cannot be read", polls: [unreadable(1), unreadable(1)], stays: true },
    {
      name: "stays while no record can be read",
      polls: [unreadable(Number.POSITIVE_INFINITY), unreadable(Number.POSITIVE_INFINITY)],
      stays: true,
    },
    { name: "stays when only other lists were polled", polls: [otherLists, otherLists, otherLists], stays: true },
  ])("$name", ({ polls, stays }) => {
    let tree = treeOf(WORLD);
    const removed: string[] = [];
    for (const poll of polls) {
      const next = reconcile(tree, poll);
      removed.push(...ids(next.changes.removed));
      tree = next.tree;
    }
    expect(tree.nodes.has("2490")).toBe(stays);
    expect(removed).toEqual(stays ? [] : ["2490"]);
    for (const { id } of rest) expect(tree.nodes.has(id)).toBe(true);
  });
});

describe("missing objects beyond the hidden number", () => {
  test("disappear after two polls", () => {
    const sensors = ["2491", "2492"].map((id) => record("sensor", id, "40"));
    const poll: NodePoll = { sensor: { ...list([SENSOR]), hidden: 1 } };
    const once = reconcile(treeOf([...WORLD, ...sensors]), poll);
    expect(ids(reconcile(once.tree, poll).changes.removed)).toEqual(["2491", "2492"]);
  });
});

describe("reconcileInSteps", () => {
  test("yields every few thousand objects with the same result", () => {
    const sensors = Array.from({ length: 9_000 }, (_, index) => record("sensor", String(1_000 + index), "40"));
    const poll = pollOf([...WORLD, ...sensors]);
    const steps = reconcileInSteps(EMPTY_TREE, poll);
    let turns = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) turns++;
    expect(turns).toBeGreaterThan(8);
    expect(step.value.tree).toEqual(reconcile(EMPTY_TREE, poll).tree);
  });
});

describe("selected object below a parent that is not selected", () => {
  const inner = treeOf(WORLD).nodes.get("11");
  const ancestors = [
    reference("1", "Berlin", "probe"),
    reference("10", "Network", "group"),
    reference("11", "Core", "group"),
  ];
  const selected = { ...DEVICE, above: inner, ancestors };
  const poll = (...probes: readonly NodeRecord[]): NodePoll => ({ probe: list(probes), device: list([selected]) });
  const placeIn = ({ nodes }: Tree) => {
    const { parentId, path, orphan } = nodes.get("40") ?? {};
    return { parentId, path, orphan };
  };
  const path = "Berlin/Network/Core/sw-1";

  test("is below its probe while that is visible, and below the root otherwise", () => {
    let { tree } = reconcile(EMPTY_TREE, poll());
    expect(placeIn(tree)).toEqual({ parentId: "0", path, orphan: false });
    ({ tree } = reconcile(tree, poll(PROBE)));
    expect(placeIn(tree)).toEqual({ parentId: "1", path, orphan: false });
    ({ tree } = reconcile(tree, { probe: list([PROBE]) }));
    expect(placeIn(tree)).toEqual({ parentId: "1", path, orphan: false });
    for (let times = 0; times < 2; times++) ({ tree } = reconcile(tree, { probe: list([record("probe", "2", ROOT)]) }));
    expect(placeIn(tree)).toEqual({ parentId: "0", path, orphan: false });
  });

  test("stays the same object from poll to poll", () => {
    const { tree } = reconcile(EMPTY_TREE, poll(PROBE));
    expect(reconcile(tree, poll(PROBE)).changes).toEqual({ added: [], removed: [], replaced: [] });
  });
});
