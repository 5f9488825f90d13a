import type { SimNode } from "../world/model.ts";
import { settingsInForce } from "./node-settings.ts";
import { isSensor } from "./subject.ts";

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
