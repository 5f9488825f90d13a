import type { SimChannel, SimDevice, SimNode, SimSensor } from "../world/model.ts";

/** Whatever a list can hold. */
export type Subject = SimNode | SimChannel;

/** The kinds that have lists of their own, as the specification's `type` names them. */
export type SubjectKind = "probe" | "group" | "device" | "sensor" | "channel";

export function isChannel(subject: Subject): subject is SimChannel {
  return "sensor" in subject;
}

export function isSensor(node: SimNode): node is SimSensor {
  return node.kind === "sensor";
}

export function isDevice(node: SimNode): node is SimDevice {
  return node.kind === "device";
}

export function idOf(subject: Subject): string {
  return isChannel(subject) ? `${subject.sensor.id}.${subject.number}` : subject.id;
}

/** The specification's types have no word for the root; it is the group above the probes. */
export function kindOf(subject: Subject): SubjectKind {
  if (isChannel(subject)) return "channel";
  return subject.kind === "root" ? "group" : subject.kind;
}

export function parentOf(subject: Subject): SimNode | undefined {
  return isChannel(subject) ? subject.sensor : subject.parent;
}

export function childrenOf(subject: Subject): readonly Subject[] {
  if (isChannel(subject)) return [];
  return isSensor(subject) ? subject.channels : subject.children;
}
