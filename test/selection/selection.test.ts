import { describe, expect, test, vi } from "vitest";
import type { SelectRule, SelectRules } from "../../src/config/select-schema.ts";
import { TimeSlices } from "../../src/lib/yielding.ts";
import { NODE_KINDS, type TreeNode } from "../../src/model/tree.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import { RuleSet } from "../../src/selection/rules.ts";
import { Selection } from "../../src/selection/selection.ts";
import { list, ROOT, record, reference } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";

const TREE = [
  record("probe", "1", ROOT, { name: "Berlin" }),
  record("group", "10", "1", { name: "Network", tags: ["red"] }),
  record("group", "11", "1", { name: "Servers" }),
  record("device", "40", "10", { name: "sw-1" }),
  record("device", "41", "11", { name: "host" }),
  record("sensor", "50", "40", { name: "Ping" }),
  record("sensor", "51", "41", { name: "Ping", tags: ["green"] }),
  record("sensor", "52", "41", { name: "CPU" }),
];

const of = (include: readonly SelectRule[], exclude: readonly SelectRule[] = []): SelectRules => ({ include, exclude });
const byId = (id: string): SelectRule => ({ kind: "id", id });

/** Selects from each list, top down. */
async function take(selection: Selection, records: readonly NodeRecord[]) {
  const slices = new TimeSlices(new ManualClock());
  const selected = [];
  for (const kind of NODE_KINDS) {
    const all = list(records.filter((each) => each.kind === kind));
    const part = kind === "sensor" ? selection.takeSensors(all, slices) : selection.takeContainers(kind, all, slices);
    selected.push(...(await part).items);
  }
  return selected;
}

async function idsOf(selection: Selection, records: readonly NodeRecord[] = TREE): Promise<readonly string[]> {
  return (await take(selection, records)).map(({ id }) => id);
}

function changed(id: string, more: Partial<NodeRecord>): readonly NodeRecord[] {
  return TREE.map((each) => (each.id === id ? { ...each, ...more } : each));
}

describe("selected objects", () => {
  test.each<[string, SelectRules, readonly string[]]>([
    ["everything without include", of([]), TREE.map(({ id }) => id)],
    ["an object with its descendants", of([byId("10")]), ["10", "40", "50"]],
    [
      "tagged objects",
      of([
        { kind: "tag", tag: "red" },
        { kind: "tag", tag: "green" },
      ]),
      ["10", "40", "50", "51"],
    ],
    ["sensors by path", of([{ kind: "path", path: "**/Ping" }]), ["50", "51"]],
    ["no excluded objects", of([byId("1")], [byId("11")]), ["1", "10", "40", "50"]],
    ["no objects below an excluded one", of([byId("52")], [byId("11")]), []],
    ["nothing without a match", of([byId("99")]), []],
  ])("%s", async (_, rules, expected) => {
    expect(await idsOf(new Selection(rules))).toEqual(expected);
  });
});

test.each<[string, SelectRules, readonly string[]]>([
  ["a group", of([byId("10")]), ["1"]],
  ["a device", of([byId("40")]), ["1"]],
  ["a sensor", of([byId("52")]), ["1"]],
  ["the probe itself", of([byId("1")]), []],
  ["everything", of([]), []],
  ["nothing", of([byId("99")]), []],
  ["objects below an excluded probe", of([byId("10")], [byId("1")]), []],
])("the probe above %s is known after all lists", async (_, rules, expected) => {
  const selection = new Selection(rules);
  await take(selection, TREE);
  expect([...selection.probesAbove]).toEqual(expected);
  await take(
    selection,
    TREE.filter(({ id }) => !["10", "40", "50", "52"].includes(id)),
  );
  await take(
    selection,
    TREE.filter(({ id }) => !["10", "40", "50", "52"].includes(id)),
  );
  expect([...selection.probesAbove]).toEqual([]);
});

test("a selected object brings its ancestors along", async () => {
  const [sensor] = await take(new Selection(of([byId("50")])), TREE);
  expect(sensor?.above).toMatchObject({ id: "40", path: "Berlin/Network/sw-1", inheritedTags: ["red"] });
  expect(sensor?.ancestors?.map(({ name }) => name)).toEqual(["Berlin", "Network", "sw-1"]);
});

describe("selection after a change", () => {
  test("follows a move", async () => {
    const selection = new Selection(of([byId("10")]));
    await take(selection, TREE);
    expect(await idsOf(selection, changed("41", { parent: { id: "10", name: undefined, kind: "group" } }))).toEqual([
      "10",
      "40",
      "41",
      "50",
      "51",
      "52",
    ]);
  });

  test("follows tags", async () => {
    const selection = new Selection(of([{ kind: "tag", tag: "red" }]));
    await take(selection, TREE);
    expect(await idsOf(selection, changed("10", { tags: [] }))).toEqual([]);
  });

  test("follows a name", async () => {
    const selection = new Selection(of([{ kind: "path", path: "Berlin/Network" }]));
    await take(selection, TREE);
    expect(await idsOf(selection, changed("1", { name: "Bonn" }))).toEqual([]);
  });

  test("ignores other changes", async () => {
    const many = Array.from({ length: 500 }, (_, at) => record("device", `9${at}`, "11"));
    const selection = new Selection(of([byId("10")]));
    await take(selection, [...TREE, ...many]);
    const judged = vi.spyOn(RuleSet.prototype, "fits");
    await take(
      selection,
      [...changed("10", { tags: [] }), ...many].filter(({ kind }) => kind !== "sensor"),
    );
    expect(judged.mock.calls.map(([{ id }]) => id)).toContain("10");
    expect(judged.mock.calls.length).toBeLessThan(10);
    judged.mockRestore();
  });
});

test("no shown object leaves before the server has answered a filter", async () => {
  const whole = new Selection(of([]));
  await take(whole, TREE);
  const shown = whole.containers.tree;
  const selection = new Selection(of([{ kind: "filter", filter: "favorite = true" }]), undefined, shown);
  await take(selection, TREE);
  expect(selection.leaving(shown)).toBeUndefined();
  for (const kind of NODE_KINDS)
    selection.takeFilter("favorite = true", kind, new Set(kind === "device" ? ["41"] : []));
  // The probe stays, because it is above a selected object.
  expect([...(selection.leaving(shown) ?? [])].toSorted()).toEqual(["10", "11", "40"]);
  expect(await idsOf(selection)).toEqual(["41", "51", "52"]);
});

test("a sensor below an unknown device does not leave", async () => {
  const shown = { nodes: new Map<string, TreeNode>() };
  const selection = new Selection(of([byId("10")]));
  await take(selection, TREE);
  const device = selection.containers.node("40") ?? expect.unreachable();
  shown.nodes.set("50", { ...device, id: "50", kind: "sensor", parent: reference("40") });
  expect(selection.leaving(shown)).toBeUndefined();
  await take(selection, changed("50", { parent: reference("49") }));
  expect(selection.leaving(shown)).toBeUndefined();
  await take(selection, TREE);
  const withoutDevice = TREE.filter(({ id }) => id !== "40");
  for (let time = 0; time < 2; time++) await take(selection, withoutDevice);
  expect(selection.leaving(shown)).toBeUndefined();
  await take(selection, TREE);
  await take(selection, changed("50", { parent: reference("41") }));
  expect([...(selection.leaving(shown) ?? [])]).toEqual(["50"]);
});

test("an object leaves a filter after two complete answers without it", async () => {
  const selection = new Selection(of([{ kind: "filter", filter: "favorite = true" }]));
  const answer = (devices: readonly string[], hides = false) => {
    for (const kind of NODE_KINDS) {
      selection.takeFilter("favorite = true", kind, new Set(kind === "device" ? devices : []), hides);
    }
    return idsOf(selection);
  };
  const both = ["40", "41", "50", "51", "52"];
  expect(await answer(["40", "41"])).toEqual(both);
  expect(await answer([])).toEqual(both);
  expect(await answer(["40"])).toEqual(["40", "50"]);
  expect(await answer(["40", "41"])).toEqual(both);
  for (let time = 0; time < 3; time++) expect(await answer(["40"], true)).toEqual(both);
});
