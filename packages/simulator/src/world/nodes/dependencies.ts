import { insertByTime, type TreeNode } from "./nodes.ts";
import { subtree } from "./settings.ts";

/** Which nodes depend on which, beside the tree itself. */
export class Dependencies {
  /** By the node that they depend on, now or at another time. */
  readonly #dependents = new Map<TreeNode, Set<TreeNode>>();

  /** From a given time on; undefined: on the parent only. @throws RangeError for a circle */
  set(node: TreeNode, target: TreeNode | undefined, at: number): void {
    if (currentTarget(node) === target) return;
    if (target !== undefined) {
      rejectLoop(node, target);
      const dependents = this.#dependents.get(target) ?? new Set();
      this.#dependents.set(target, dependents.add(node));
    }
    insertByTime(node.dependencies, { at, target });
    this.invalidate(node);
  }

  /** What depended on the node depends on its parent again: from a given time on, or as if it always had. */
  release(target: TreeNode, at: number | undefined): void {
    for (const node of this.#dependents.get(target) ?? []) {
      if (at === undefined) node.dependencies.splice(0);
      else if (currentTarget(node) === target) insertByTime(node.dependencies, { at, target: undefined });
      const { dependency } = node.settings;
      if (dependency?.dependsOn === target.id) {
        node.settings = { ...node.settings, dependency: { ...dependency, dependsOn: undefined } };
      }
      this.invalidate(node);
    }
    this.#dependents.delete(target);
  }

  /** To be called after each change that can affect the state of a node. Cached results of it and of its dependents end. */
  invalidate(node: TreeNode): void {
    const affected = new Set([node]);
    // A Set visits what is added to it on the way.
    for (const one of affected) {
      one.revision++;
      for (const child of one.children) affected.add(child);
      if (this.#dependents.size === 0) continue;
      // Whether a device or group is down follows from what is below it.
      for (let above: TreeNode | undefined = one; above !== undefined; above = above.parent) {
        for (const dependent of this.#dependents.get(above) ?? []) affected.add(dependent);
      }
    }
  }

  /**
   * @throws RangeError when something at or below the node would depend on itself below a new parent
   */
  rejectLoopsBelow(parent: TreeNode, node: TreeNode): void {
    const above = prerequisitesOf([parent]);
    for (const one of subtree(node)) if (above.has(one)) throw loopError(node, one);
  }
}

function currentTarget({ dependencies }: TreeNode): TreeNode | undefined {
  return dependencies.at(-1)?.target;
}

function rejectLoop(node: TreeNode, target: TreeNode): void {
  if (prerequisitesOf(subtree(target)).has(node)) throw loopError(node, target);
}

/** The nodes, and all that their states depend on: what is above them, what that depends on, and what is below that. */
function prerequisitesOf(nodes: Iterable<TreeNode>): ReadonlySet<TreeNode> {
  const found = new Set(nodes);
  for (const one of found) {
    if (one.parent !== undefined) found.add(one.parent);
    const target = currentTarget(one);
    if (target !== undefined) for (const each of subtree(target)) found.add(each);
  }
  return found;
}

function loopError(node: TreeNode, target: TreeNode): RangeError {
  return new RangeError(`the ${node.kind} ${node.id} cannot depend on ${target.id}, which depends on it`);
}
