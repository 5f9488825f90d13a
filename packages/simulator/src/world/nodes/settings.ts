import type { SimNode, SimSettings } from "../model.ts";
import { isSensor } from "../objects.ts";
import { SensorNode, type TreeNode } from "./nodes.ts";

/** The product's own defaults. */
export const ROOT_SETTINGS: { readonly [Key in keyof SimSettings]-?: NonNullable<SimSettings[Key]> } = {
  interval: { seconds: 60, errorIntervalsDown: 1 },
  dependency: { schedule: "none", dependsOn: undefined },
  windows: { domain: "", username: "", password: "" },
};

/** A section as it counts for an object. */
export interface InForce<Key extends keyof SimSettings> {
  readonly settings: NonNullable<SimSettings[Key]>;
  /** Whose settings they are; undefined where they are the object's own. */
  readonly inheritedFrom: SimNode | undefined;
}

/** Settings are inherited section by section, from the nearest object above that has its own. */
export function settingsInForce<Key extends keyof SimSettings>(node: SimNode, key: Key): InForce<Key> {
  let one = node;
  for (;;) {
    const settings = one.settings[key];
    if (settings !== undefined || one.parent === undefined) {
      return { settings: settings ?? ROOT_SETTINGS[key], inheritedFrom: one === node ? undefined : one };
    }
    one = one.parent;
  }
}

export interface ScanningInterval {
  readonly seconds: number;
  /** The object whose settings apply; undefined when set on the object itself. */
  readonly inheritedFrom: SimNode | undefined;
}

/** The scanning interval of any node: what it hands down, and of sensors that at which they are scanned. */
export function scanningInterval(node: SimNode): ScanningInterval {
  const { settings, inheritedFrom } = settingsInForce(node, "interval");
  return { seconds: isSensor(node) ? node.intervalSeconds : settings.seconds, inheritedFrom };
}

/** All that is at or below a node. */
export function* subtree(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of node.children) yield* subtree(child);
}

/** Sensors at or below a node scan at their new interval from a given time on. */
export function adoptIntervals(node: TreeNode, at: number): void {
  // A scan at the very time is still the one that was due.
  const from = at + 1;
  for (const one of subtree(node)) {
    if (!(one instanceof SensorNode)) continue;
    const seconds = settingsInForce(one, "interval").settings.seconds;
    if (seconds === one.intervalSeconds) continue;
    const [first, ...later] = one.intervals;
    const earlier = later.filter((period) => period.from < from);
    one.intervals = from === -Infinity ? [{ from, seconds }] : [first, ...earlier, { from, seconds }];
  }
}
