import type { StatusSummary } from "../prtg/records.ts";
import type { Attachment, PlacedObject } from "./placement.ts";
import { NODE_KINDS, type NodePoll, type NodeProperties, type Tree, type TreeNode } from "./tree.ts";

/** Whether the poll equals the tree, as nearly every poll of a large server does. Yields every `step` records. */
export function* isUnchanged(tree: Tree, poll: NodePoll, step: number): Generator<void, boolean> {
  if (tree.absent.size > 0) return false;
  let looked = 0;
  for (const kind of NODE_KINDS) {
    const list = poll[kind];
    if (list === undefined) continue;
    if (list.complete && list.items.length !== tree.counts[kind]) return false;
    for (const record of list.items) {
      if (++looked % step === 0) yield;
      const node = tree.nodes.get(record.id);
      if (node === undefined || !sameParent(node, record) || !sameProperties(node, record)) return false;
    }
  }
  return true;
}

export function sameParent(node: TreeNode, object: PlacedObject): boolean {
  // Ancestors can place an orphan elsewhere although its parent is the same.
  if (node.orphan && object.ancestors !== undefined) return false;
  if (!sameAbove(node.above, object.above)) return false;
  return object.parent === undefined || node.parent?.id === object.parent.id;
}

export function sameProperties(node: TreeNode, object: NodeProperties): boolean {
  return (
    node === object ||
    (node.kind === object.kind &&
      node.name === object.name &&
      node.type === object.type &&
      node.typeName === object.typeName &&
      node.priority === object.priority &&
      node.favorite === object.favorite &&
      node.host === object.host &&
      (object.intervalSeconds === undefined || node.intervalSeconds === object.intervalSeconds) &&
      sameTags(node.tags, object.tags))
  );
}

function sameTags(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((tag, index) => tag === b[index]));
}

export function sameAttachment(a: Attachment, b: Attachment): boolean {
  return (
    a === b ||
    (a.parentId === b.parentId &&
      a.orphan === b.orphan &&
      a.unseen.length === b.unseen.length &&
      a.unseen.every(({ id, name, kind }, index) => {
        const other = b.unseen[index];
        return id === other?.id && name === other.name && kind === other.kind;
      }))
  );
}

export function sameSummary(a: StatusSummary, b: StatusSummary): boolean {
  if (a === b) return true;
  if (a.total !== b.total || a.counts.size !== b.counts.size) return false;
  for (const [token, count] of a.counts) if (b.counts.get(token) !== count) return false;
  return true;
}

export function sameAbove(a: TreeNode | undefined, b: TreeNode | undefined): boolean {
  if (a === b) return true;
  return (
    a !== undefined &&
    b !== undefined &&
    a.path === b.path &&
    a.probe === b.probe &&
    a.group === b.group &&
    a.device === b.device &&
    a.deviceId === b.deviceId &&
    sameTags(a.tags, b.tags) &&
    sameTags(a.inheritedTags, b.inheritedTags)
  );
}
