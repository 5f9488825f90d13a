import { MAX_TAGS } from "../prtg/answer-bounds.ts";
import { cutText } from "../prtg/decode/text-bounds.ts";
import type { Reference } from "../prtg/records.ts";
import {
  MAX_PATH_LENGTH,
  MAX_TREE_DEPTH,
  type NodeProperties,
  type Place,
  ROOT_ID,
  type Tree,
  type TreeNode,
} from "./tree.ts";

export type Attachment = Pick<TreeNode, "parentId" | "unseen" | "orphan">;

/** A record, or the node if the poll lacks the list of this kind. */
export interface PlacedObject extends NodeProperties {
  readonly above?: TreeNode | undefined;
  readonly ancestors?: readonly Reference[] | undefined;
}

const NOTHING_UNSEEN: readonly Reference[] = [];
const BELOW_ROOT: Attachment = { parentId: ROOT_ID, unseen: NOTHING_UNSEEN, orphan: false };
/** The parent is unknown or is a descendant. */
export const ADRIFT: Attachment = { parentId: ROOT_ID, unseen: NOTHING_UNSEEN, orphan: true };
const ROOT_PLACE: Place = { path: "", probe: "", group: "", device: "", deviceId: "" };

export function isRoot(reference: Reference): boolean {
  return reference.id === ROOT_ID || reference.kind === "root";
}

/** The parent in the record, else its last ancestor, else the previous parent. */
export function declaredParent(object: PlacedObject, previous: TreeNode | undefined): Reference | undefined {
  return object.parent ?? object.ancestors?.findLast((ancestor) => ancestor.id !== object.id) ?? previous?.parent;
}

/**
 * The nearest visible ancestor: the parent, else one from the record's ancestors, else the one of the previous tree,
 * else the root.
 */
export function attach(
  object: PlacedObject,
  parent: Reference | undefined,
  isVisible: (id: string) => boolean,
  previous: Tree,
): Attachment {
  if (object.above !== undefined) return attachSelected(object, isVisible, previous);
  if (parent === undefined) return object.kind === "probe" ? BELOW_ROOT : ADRIFT;
  if (isRoot(parent)) return BELOW_ROOT;
  if (isVisible(parent.id)) return { parentId: parent.id, unseen: NOTHING_UNSEEN, orphan: false };
  return (
    attachByAncestors(object, parent, isVisible) ??
    attachAsBefore(object, parent, isVisible, previous) ?? { parentId: ROOT_ID, unseen: [parent], orphan: true }
  );
}

/** A parent that is not selected gives the labels. The probe above it can be visible. */
function attachSelected(
  { id, ancestors }: PlacedObject,
  isVisible: (id: string) => boolean,
  previous: Tree,
): Attachment {
  const parentId =
    ancestors === undefined ? previous.nodes.get(id)?.parentId : ancestors.findLast((above) => isVisible(above.id))?.id;
  return parentId === undefined || !isVisible(parentId) ? BELOW_ROOT : { ...BELOW_ROOT, parentId };
}

function attachByAncestors(
  object: PlacedObject,
  parent: Reference,
  isVisible: (id: string) => boolean,
): Attachment | undefined {
  if (object.ancestors === undefined || object.ancestors.length === 0) return undefined;
  const unseen: Reference[] = [];
  for (const ancestor of object.ancestors.toReversed()) {
    if (ancestor.id === object.id) continue;
    if (isRoot(ancestor)) break;
    if (isVisible(ancestor.id)) return { parentId: ancestor.id, unseen: withParent(unseen, parent), orphan: true };
    unseen.unshift(ancestor);
  }
  return { parentId: ROOT_ID, unseen: withParent(unseen, parent), orphan: true };
}

function withParent(unseen: readonly Reference[], parent: Reference): readonly Reference[] {
  return unseen.some((reference) => reference.id === parent.id) ? unseen : [...unseen, parent];
}

function attachAsBefore(
  object: PlacedObject,
  parent: Reference,
  isVisible: (id: string) => boolean,
  previous: Tree,
): Attachment | undefined {
  const before = previous.nodes.get(object.id);
  const stayed = before?.parent?.id === parent.id ? before : undefined;
  let parentId = stayed === undefined ? parent.id : stayed.parentId;
  let unseen = stayed === undefined ? NOTHING_UNSEEN : stayed.unseen;
  if (stayed === undefined && !previous.nodes.has(parentId)) return undefined;
  while (parentId !== ROOT_ID && !isVisible(parentId)) {
    const removed = previous.nodes.get(parentId);
    if (removed === undefined) return undefined;
    unseen = [...removed.unseen, { id: removed.id, name: removed.name, kind: removed.kind }, ...unseen].slice(
      -MAX_TREE_DEPTH,
    );
    parentId = removed.parentId;
  }
  return { parentId, unseen, orphan: true };
}

/** `parent`: `undefined` for the root. */
export function placeBelow(
  object: Pick<NodeProperties, "id" | "kind" | "name">,
  parent: Place = ROOT_PLACE,
  unseen: readonly Reference[] = NOTHING_UNSEEN,
): Place {
  let place = parent;
  for (const [index, reference] of unseen.entries()) {
    const isDirectParent = index === unseen.length - 1;
    // The parent of a sensor is a device even if the reference lacks the kind.
    const kind = reference.kind ?? (isDirectParent && object.kind === "sensor" ? "device" : undefined);
    place = step(place, kind, reference.id, reference.name);
  }
  return step(place, object.kind, object.id, object.name);
}

function step(above: Place, kind: string | undefined, id: string, name = ""): Place {
  return {
    path: pathBelow(above.path, name),
    probe: kind === "probe" ? name : above.probe,
    group: kind === "group" ? name : above.group,
    device: kind === "device" ? name : above.device,
    deviceId: kind === "device" ? id : above.deviceId,
  };
}

function pathBelow(above: string, name: string): string {
  if (above === "") return name;
  // Objects below a truncated path share it.
  if (name === "" || above.length >= MAX_PATH_LENGTH) return above;
  return cutText(`${above}/${name}`, MAX_PATH_LENGTH);
}

const NO_TAGS: readonly string[] = [];
const passedOn = new WeakMap<TreeNode, readonly string[]>();

export function tagsBelow(parent: TreeNode | undefined): readonly string[] {
  if (parent === undefined) return NO_TAGS;
  if (parent.tags.length === 0) return parent.inheritedTags;
  const known = passedOn.get(parent) ?? [...new Set([...parent.inheritedTags, ...parent.tags])].slice(-MAX_TAGS);
  passedOn.set(parent, known);
  return known;
}

/**
 * Returns the ids to detach so that no chain of parents is a cycle: the lowest id of each cycle. A group that moves
 * while the exporter reads pages can look like a cycle. Yields after each `step` starts.
 */
export function* findCycles(
  starts: Iterable<string>,
  parentOf: (id: string) => string,
  step: number,
): Generator<void, readonly string[]> {
  const ends = new Set<string>([ROOT_ID]);
  const detached: string[] = [];
  let steps = 0;
  for (const start of starts) {
    if (++steps % step === 0) yield;
    // Usually parents come first.
    if (ends.has(parentOf(start))) {
      ends.add(start);
      continue;
    }
    const chain: string[] = [];
    const inChain = new Set<string>();
    let id = start;
    while (!ends.has(id) && !inChain.has(id)) {
      chain.push(id);
      inChain.add(id);
      id = parentOf(id);
    }
    if (!ends.has(id)) {
      const cycle = chain.slice(chain.indexOf(id));
      detached.push(cycle.reduce((lowest, other) => (compareIds(other, lowest) < 0 ? other : lowest)));
    }
    for (const visited of chain) ends.add(visited);
  }
  return detached;
}

/** Numeric for decimal ids. A total order for all others. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
