import fc from "fast-check";
import { expect, test } from "vitest";
import { reconcile } from "../../src/model/reconcile.ts";
import { EMPTY_TREE, NODE_KINDS, ROOT_ID, type Tree } from "../../src/model/tree.ts";
import type { NodeKind, NodeRecord } from "../../src/prtg/node-record.ts";
import { runs } from "../support/runs.ts";
import { list, record } from "./build-record.ts";

/** Few ids cause frequent moves, reuse and cycles. */
const id = fc.integer({ min: 1, max: 12 }).map(String);
const parentId = fc.integer({ min: 0, max: 14 }).map(String);
const kind = fc.constantFrom<NodeKind>(...NODE_KINDS);
const name = fc.constantFrom("a", "b", "a/b", "");

type Step =
  | { readonly do: "put"; readonly record: NodeRecord }
  | { readonly do: "remove"; readonly id: string }
  | { readonly do: "poll"; readonly kinds: readonly NodeKind[]; readonly lost: readonly string[] | undefined };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(kind, id, parentId, name)
    .map(([of, own, parent, called]): Step => ({ do: "put", record: record(of, own, parent, { name: called }) })),
  id.map((gone): Step => ({ do: "remove", id: gone })),
  // `lost`: missed by an incomplete poll.
  fc
    .record({
      kinds: fc.subarray([...NODE_KINDS], { minLength: 1 }),
      lost: fc.option(fc.array(id), { nil: undefined }),
    })
    .map((poll): Step => ({ do: "poll", ...poll })),
);

test("reconciling keeps existing objects, drops those that two complete polls lack, and reports once", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new Map<string, NodeRecord>();
      /** Complete polls since the object was last seen. */
      const missed = new Map<string, number>();
      let tree: Tree = EMPTY_TREE;
      for (const each of steps) {
        if (each.do === "put") world.set(each.record.id, each.record);
        else if (each.do === "remove") world.delete(each.id);
        else {
          const shown = [...world.values()].filter(
            (one) => each.kinds.includes(one.kind) && !each.lost?.includes(one.id),
          );
          const complete = each.lost === undefined;
          const poll = Object.fromEntries(
            each.kinds.map((of) => [
              of,
              list(
                shown.filter((one) => one.kind === of),
                complete,
              ),
            ]),
          );
          const before = tree;
          const { tree: after, changes } = reconcile(before, poll);
          tree = after;

          for (const [known, node] of before.nodes) {
            if (complete && each.kinds.includes(node.kind)) missed.set(known, (missed.get(known) ?? 0) + 1);
          }
          for (const one of shown) missed.set(one.id, 0);
          const expected = [...before.nodes.keys(), ...shown.map((one) => one.id)].filter(
            (known) => (missed.get(known) ?? 0) < 2,
          );
          expect([...after.nodes.keys()].sort()).toEqual([...new Set(expected)].sort());
          for (const one of shown) expect(after.nodes.get(one.id)).toMatchObject({ kind: one.kind, name: one.name });

          // The change report must lead from one state to the next.
          const replayed = new Map(before.nodes);
          for (const node of changes.removed) replayed.delete(node.id);
          for (const node of changes.added) replayed.set(node.id, node);
          for (const node of changes.replaced) replayed.set(node.id, node);
          expect(replayed).toEqual(new Map(after.nodes));
          for (const known of missed.keys()) if (!after.nodes.has(known)) missed.delete(known);
        }
        checkShape(tree);
      }
    }),
    { numRuns: runs(400) },
  );
});

test("the order of records does not matter", () => {
  const records = fc.uniqueArray(
    fc.tuple(kind, id, parentId, name).map(([of, own, parent, called]) => record(of, own, parent, { name: called })),
    { selector: (one) => one.id },
  );
  fc.assert(
    fc.property(records, (given) => {
      const treeOf = (ordered: readonly NodeRecord[]) =>
        reconcile(
          EMPTY_TREE,
          Object.fromEntries(NODE_KINDS.map((of) => [of, list(ordered.filter((one) => one.kind === of))])),
        ).tree;
      const sorted = (tree: Tree) => [...tree.nodes.values()].sort((a, b) => Number(a.id) - Number(b.id));
      expect(sorted(treeOf(given.toReversed()))).toEqual(sorted(treeOf(given)));
    }),
  );
});

/** Chains end at the root, paths extend the parent's. */
function checkShape(tree: Tree): void {
  let orphans = 0;
  for (const node of tree.nodes.values()) {
    if (node.orphan) orphans++;
    const parent = tree.nodes.get(node.parentId);
    expect(parent !== undefined || node.parentId === ROOT_ID).toBe(true);
    const chain = new Set<string>();
    for (let at = node; ; ) {
      expect(chain.has(at.id)).toBe(false);
      chain.add(at.id);
      const above = tree.nodes.get(at.parentId);
      if (above === undefined) break;
      at = above;
    }
    expect(node.path.startsWith(parent?.path ?? "")).toBe(true);
    expect(node.path.endsWith(node.name)).toBe(true);
  }
  expect(tree.orphans).toBe(orphans);
}
