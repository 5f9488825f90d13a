import type { TimeSlices } from "../lib/yielding.ts";
import { reconcileInSteps } from "../model/reconcile.ts";
import { EMPTY_TREE, type NodePoll, ROOT_ID, type Tree, type TreeChanges, type TreeNode } from "../model/tree.ts";
import { isSelected, type Judge, type Verdict } from "./verdict.ts";

/** All probes, groups and devices, because they decide about sensors. Judges only changed objects and what is below. */
export class Containers {
  readonly #judge: Judge;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #children = new Map<string, Set<string>>();
  #tree: Tree = EMPTY_TREE;

  /** @param known The tree above sensors. */
  constructor(judge: Judge, known: Tree = EMPTY_TREE) {
    this.#judge = judge;
    this.#tree = withoutSensors(known);
    for (const node of this.#tree.nodes.values()) this.#hang(node);
    this.rejudge(this.#tree.nodes.keys());
  }

  get tree(): Tree {
    return this.#tree;
  }

  get all(): Iterable<TreeNode> {
    return this.#tree.nodes.values();
  }

  node(id: string): TreeNode | undefined {
    return this.#tree.nodes.get(id);
  }

  /** `undefined` for an unknown object. */
  verdict(id: string): Verdict | undefined {
    return id === ROOT_ID ? this.#judge.root : this.#verdicts.get(id);
  }

  isSelected(id: string): boolean {
    return isSelected(this.#verdicts.get(id));
  }

  /** Resolves with whether an object left the selection. */
  async update(poll: NodePoll, slices: TimeSlices): Promise<boolean> {
    const steps = reconcileInSteps(this.#tree, poll);
    let step = steps.next();
    while (!step.done) {
      await slices.longStep();
      step = steps.next();
    }
    const { tree, changes } = step.value;
    const before = this.#tree;
    this.#tree = tree;
    return this.#take(changes, before);
  }

  /** Returns whether an object left the selection. */
  rejudge(ids: Iterable<string>): boolean {
    let left = false;
    const pending = [...ids];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const node = this.#tree.nodes.get(id);
      if (node === undefined) continue;
      const before = this.#verdicts.get(id);
      const verdict = this.#judge.judge(node, this.verdict(node.parentId) ?? 0);
      if (verdict === before) continue;
      this.#verdicts.set(id, verdict);
      left ||= isSelected(before) && !isSelected(verdict);
      pending.push(...(this.#children.get(id) ?? []));
    }
    return left;
  }

  #take({ added, removed, replaced }: TreeChanges, before: Tree): boolean {
    for (const node of removed) {
      this.#unhang(node);
      this.#verdicts.delete(node.id);
    }
    for (const { id } of replaced) {
      const known = before.nodes.get(id);
      if (known !== undefined) this.#unhang(known);
    }
    for (const node of [...added, ...replaced]) this.#hang(node);
    return this.rejudge([...added, ...replaced].map(({ id }) => id));
  }

  #hang({ id, parentId }: TreeNode): void {
    const siblings = this.#children.get(parentId);
    if (siblings === undefined) this.#children.set(parentId, new Set([id]));
    else siblings.add(id);
  }

  #unhang({ id, parentId }: TreeNode): void {
    const siblings = this.#children.get(parentId);
    siblings?.delete(id);
    if (siblings?.size === 0) this.#children.delete(parentId);
  }
}

function withoutSensors(tree: Tree): Tree {
  if (tree.counts.sensor === 0) return tree;
  const nodes = new Map([...tree.nodes].filter(([, { kind }]) => kind !== "sensor"));
  return { ...tree, nodes, counts: { ...tree.counts, sensor: 0 } };
}
