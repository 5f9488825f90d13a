import type { SimNode, SimSensor } from "../world/model.ts";
import { isSensor } from "./subject.ts";

/** The product's own default, set on the root. */
const ROOT_SECONDS = 60;

export interface ScanningInterval {
  readonly seconds: number;
  /** The object whose settings apply; undefined when set on the object itself. */
  readonly inheritedFrom: SimNode | undefined;
}

/**
 * The scanning interval of any node. The world knows it of sensors only. What a device hands down is what
 * its inheriting sensors have; where that is the root's own value, it comes from the root.
 */
export function scanningInterval(node: SimNode): ScanningInterval {
  if (isSensor(node)) {
    const { intervalSeconds: seconds, intervalInherited, parent } = node;
    if (!intervalInherited) return { seconds, inheritedFrom: undefined };
    return { seconds, inheritedFrom: seconds === ROOT_SECONDS ? rootOf(node) : parent };
  }
  const heir = node.children.find((child): child is SimSensor => isSensor(child) && child.intervalInherited);
  const seconds = heir?.intervalSeconds ?? ROOT_SECONDS;
  const own = seconds !== ROOT_SECONDS || node.parent === undefined;
  return { seconds, inheritedFrom: own ? undefined : rootOf(node) };
}

function rootOf(node: SimNode): SimNode {
  let top = node;
  while (top.parent !== undefined) top = top.parent;
  return top;
}
