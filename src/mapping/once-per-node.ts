import type { TreeNode } from "../tree/model.ts";

/** Calls `build` once per node: as long as a node stays the same object, so do its labels. */
export function oncePerNode<Result>(build: (node: TreeNode) => Result): (node: TreeNode) => Result {
  const built = new WeakMap<TreeNode, { readonly result: Result }>();
  return (node) => {
    const known = built.get(node);
    if (known !== undefined) return known.result;
    const result = build(node);
    built.set(node, { result });
    return result;
  };
}
