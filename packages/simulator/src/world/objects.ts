import type { SimChannel, SimDevice, SimNode, SimSensor } from "./model.ts";

/** Whatever a list can hold. */
export type SimObject = SimNode | SimChannel;

/** The kinds that have lists of their own, as the specification's `type` names them. */
export type ObjectKind = NodeKind | "channel";

export type NodeKind = "probe" | "group" | "device" | "sensor";

export function isChannel(object: SimObject): object is SimChannel {
  return "sensor" in object;
}

export function isSensor(node: SimNode): node is SimSensor {
  return node.kind === "sensor";
}

export function isDevice(node: SimNode): node is SimDevice {
  return node.kind === "device";
}

export function idOf(object: SimObject): string {
  return isChannel(object) ? `${object.sensor.id}.${object.number}` : object.id;
}

/** The specification's types have no word for the root; it is the group above the probes. */
export function kindOf(object: SimObject): ObjectKind {
  if (isChannel(object)) return "channel";
  return object.kind === "root" ? "group" : object.kind;
}

export function parentOf(object: SimObject): SimNode | undefined {
  return isChannel(object) ? object.sensor : object.parent;
}

export function childrenOf(object: SimObject): readonly SimObject[] {
  if (isChannel(object)) return [];
  return isSensor(object) ? object.channels : object.children;
}
