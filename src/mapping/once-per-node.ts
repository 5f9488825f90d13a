import type { TreeNode } from "../model/tree.ts";

/**
 * Calls `build` once for calls in a row with the same node, as when one series after another of it is set. What was
 * built is not kept for longer: the store has the labels, and to build them again takes less than a microsecond.
 */
export function oncePerNode<Result>(build: (node: TreeNode) => Result): (node: TreeNode) => Result {
  let last: { readonly node: TreeNode; readonly result: Result } | undefined;
  return (node) => {
    if (last?.node !== node) last = { node, result: build(node) };
    return last.result;
  };
}
