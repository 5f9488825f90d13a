import type { SimSettings } from "../model.ts";
import { SensorNode, type TreeNode } from "./nodes.ts";

/** The product's own defaults. */
export const ROOT_SETTINGS: { readonly [Key in keyof SimSettings]-?: NonNullable<SimSettings[Key]> } = {
  interval: { seconds: 60, errorIntervalsDown: 1 },
  dependency: { schedule: "none", dependsOn: undefined },
  windows: { domain: "", username: "", password: "" },
};

/** The interval that a node hands down, in seconds. */
export function inheritedSeconds(node: TreeNode): number {
  for (let one: TreeNode | undefined = node; one !== undefined; one = one.parent) {
    if (one.settings.interval !== undefined) return one.settings.interval.seconds;
  }
  return ROOT_SETTINGS.interval.seconds;
}

/** All that is at or below a node. */
export function* subtree(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of node.children) yield* subtree(child);
}

/**
 * Lets the sensors at or below a node scan at the interval that they now have from above or of their own, from a moment on:
 * what was measured before stays when it was.
 */
export function adoptIntervals(node: TreeNode, at: number): void {
  // A scan at the very moment is still the one that was due.
  const from = at + 1;
  for (const one of subtree(node)) {
    if (!(one instanceof SensorNode)) continue;
    const seconds = inheritedSeconds(one);
    if (seconds === one.intervalSeconds) continue;
    const [first, ...later] = one.intervals;
    const earlier = later.filter((period) => period.from < from);
    one.intervals = from === -Infinity ? [{ from, seconds }] : [first, ...earlier, { from, seconds }];
  }
}
