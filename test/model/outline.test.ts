import fc from "fast-check";
import { expect, test } from "vitest";
import { outlineOf } from "../../src/model/outline.ts";
import { NODE_KINDS, ROOT_ID, type TreeNode } from "../../src/model/tree.ts";
import type { StatusToken } from "../../src/prtg/status.ts";

const UNSLICED = { step: () => undefined };

function node(id: string, kind: TreeNode["kind"], parentId: string): TreeNode {
  return {
    id,
    kind,
    parentId,
    name: id,
    path: id,
    probe: "",
    group: "",
    device: "",
    deviceId: "",
    parent: undefined,
    type: "",
    typeName: "",
    priority: undefined,
    tags: [],
    favorite: undefined,
    host: undefined,
    intervalSeconds: undefined,
    inheritedTags: [],
    unseen: [],
    orphan: false,
  };
}

/** Parents come first. */
const trees = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...NODE_KINDS),
      parent: fc.nat(),
      status: fc.constantFrom<StatusToken>("up", "down", "unknown"),
    }),
    {
      maxLength: 60,
    },
  )
  .map((drawn) => {
    const nodes = new Map<string, TreeNode>();
    const statuses = new Map<string, StatusToken>();
    for (const [index, { kind, parent, status }] of drawn.entries()) {
      const above = parent % (index + 1);
      nodes.set(String(index + 1), node(String(index + 1), kind, above === 0 ? ROOT_ID : String(above)));
      statuses.set(String(index + 1), status);
    }
    return { nodes, statuses };
  });

function isBelow(nodes: ReadonlyMap<string, TreeNode>, one: TreeNode, id: string): boolean {
  for (let at: TreeNode | undefined = one; at !== undefined; at = nodes.get(at.parentId)) {
    if (at.parentId === id) return true;
  }
  return false;
}

test("the outline counts sensors below each object and lists its children", async () => {
  await fc.assert(
    fc.asyncProperty(trees, async ({ nodes, statuses }) => {
      const outline = await outlineOf({ nodes }, ({ id }) => statuses.get(id), UNSLICED);
      for (const id of [ROOT_ID, ...nodes.keys()]) {
        const below = [...nodes.values()].filter((one) => one.kind === "sensor" && isBelow(nodes, one, id));
        const counts = Object.fromEntries(
          Map.groupBy(below, (one) => statuses.get(one.id))
            .entries()
            .map(([token, sensors]) => [token, sensors.length]),
        );
        expect(Object.fromEntries(outline.sensorsBelow(id))).toEqual(counts);
        const children = outline.children(id);
        expect(new Set(children)).toEqual(new Set([...nodes.values()].filter(({ parentId }) => parentId === id)));
        const ranks = children.map(({ kind }) => NODE_KINDS.indexOf(kind));
        expect(ranks).toEqual(ranks.toSorted());
      }
    }),
  );
});

test("the outline counts a sensor without a status as unknown", async () => {
  const nodes = new Map([["1", node("1", "sensor", ROOT_ID)]]);
  const outline = await outlineOf({ nodes }, () => undefined, UNSLICED);
  expect([...outline.sensorsBelow(ROOT_ID)]).toEqual([["unknown", 1]]);
});
