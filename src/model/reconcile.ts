import { provesAbsence } from "../prtg/records.ts";
import { isUnchanged, sameAbove, sameAttachment, sameParent, sameProperties } from "./equality.ts";
import {
  ADRIFT,
  type Attachment,
  attach,
  declaredParent,
  findCycles,
  type PlacedObject,
  placeBelow,
  tagsBelow,
} from "./placement.ts";
import {
  type ListedNode,
  labelSize,
  labelsTooLarge,
  MAX_TREE_DEPTH,
  NODE_KINDS,
  type NodePoll,
  ROOT_ID,
  type Tree,
  type TreeChanges,
  type TreeNode,
} from "./tree.ts";

export interface Reconciled {
  readonly tree: Tree;
  readonly changes: TreeChanges;
}

const NO_CHANGES: TreeChanges = { added: [], removed: [], replaced: [] };

const NONE: ReadonlySet<string> = new Set();

/** Objects per step: one to three milliseconds. */
const STEP = 2_000;

/**
 * Applies a poll. Two successive complete polls without an object remove it. An incomplete or failed poll does not
 * count, and any poll with the object resets the count. If several lists contain an id, the first kind of
 * `NODE_KINDS` gets it.
 */
export function reconcile(previous: Tree, poll: NodePoll): Reconciled {
  const steps = reconcileInSteps(previous, poll);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * `reconcile` in steps, so that the caller can yield. `deselected`: objects to remove at once. @throws ApiError if
 * all labels would exceed `maxLabelText` characters
 */
export function* reconcileInSteps(
  previous: Tree,
  poll: NodePoll,
  maxLabelText = Number.POSITIVE_INFINITY,
  deselected: ReadonlySet<string> = NONE,
): Generator<void, Reconciled> {
  if (deselected.size === 0 && (yield* isUnchanged(previous, poll, STEP)))
    return { tree: previous, changes: NO_CHANGES };
  const { objects, absent } = yield* mergeObjects(previous, poll, deselected);
  const attachments = yield* attachAll(previous, objects);
  const nodes = yield* buildNodes(previous, objects, attachments, maxLabelText);
  const changes = yield* compare(previous.nodes, nodes);
  return { tree: yield* describe(nodes, absent), changes };
}

type Objects = ReadonlyMap<string, PlacedObject>;
type Nodes = ReadonlyMap<string, TreeNode>;

function* mergeObjects(
  previous: Tree,
  poll: NodePoll,
  deselected: ReadonlySet<string>,
): Generator<void, { objects: Objects; absent: ReadonlySet<string> }> {
  const objects = new Map<string, ListedNode | TreeNode>();
  for (const kind of NODE_KINDS) {
    for (const record of poll[kind]?.items ?? []) {
      if (record.id !== ROOT_ID && !objects.has(record.id)) objects.set(record.id, record);
      if (objects.size % STEP === 0) yield;
    }
  }
  const missing: TreeNode[] = [];
  let steps = 0;
  for (const [id, node] of previous.nodes) {
    if (++steps % STEP === 0) yield;
    if (!objects.has(id) && !deselected.has(id)) missing.push(node);
  }
  const missed = missedKinds(missing, poll);
  const absent = new Set<string>();
  for (const node of missing) {
    if (++steps % STEP === 0) yield;
    const { id } = node;
    const missedBefore = previous.absent.has(id);
    const missedNow = missed.has(node.kind);
    if (missedBefore && missedNow) continue;
    objects.set(id, node);
    if (missedBefore || missedNow) absent.add(id);
  }
  yield;
  return { objects, absent };
}

/** Kinds with a list that proves absence. */
function missedKinds(missing: readonly TreeNode[], poll: NodePoll): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { kind } of missing) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return new Set(
    NODE_KINDS.filter((kind) => {
      const list = poll[kind];
      return list !== undefined && provesAbsence(list, counts.get(kind) ?? 0);
    }),
  );
}

/** Attachments that differ from before. */
function* attachAll(previous: Tree, objects: Objects): Generator<void, ReadonlyMap<string, Attachment>> {
  const attachments = new Map<string, Attachment>();
  let steps = 0;
  const isVisible = (id: string) => objects.has(id);
  for (const [id, object] of objects) {
    if (++steps % STEP === 0) yield;
    const before = previous.nodes.get(id);
    if (object.above === undefined && before !== undefined && !before.orphan && sameParent(before, object)) {
      if (before.parentId === ROOT_ID || objects.has(before.parentId)) continue;
    }
    attachments.set(id, attach(object, declaredParent(object, before), isVisible, previous));
  }
  // A new cycle contains at least one changed attachment.
  const parentOf = (id: string) => attachments.get(id)?.parentId ?? previous.nodes.get(id)?.parentId ?? ROOT_ID;
  for (const id of yield* findCycles(attachments.keys(), parentOf, STEP)) attachments.set(id, ADRIFT);
  return attachments;
}

/**
 * Parents first, without recursion: the tree can be deeper than the stack. Objects that are too deep become children
 * of the root.
 */
function* buildNodes(
  previous: Tree,
  objects: Objects,
  attachments: ReadonlyMap<string, Attachment>,
  maxLabelText: number,
): Generator<void, Nodes> {
  const built = new Map<string, TreeNode>();
  const depths = new Map<string, number>();
  let labelText = 0;
  const pending: PlacedObject[] = [];
  for (const object of objects.values()) {
    let next: PlacedObject | undefined = object;
    while (next !== undefined && !built.has(next.id)) {
      pending.push(next);
      const { parentId }: Attachment = attachments.get(next.id) ?? previous.nodes.get(next.id) ?? ADRIFT;
      next = parentId === ROOT_ID ? undefined : objects.get(parentId);
    }
    for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
      const attachment = attachments.get(below.id) ?? previous.nodes.get(below.id) ?? ADRIFT;
      const depth = (depths.get(attachment.parentId) ?? 0) + attachment.unseen.length + 1;
      const isTooDeep = depth > MAX_TREE_DEPTH;
      depths.set(below.id, isTooDeep ? 1 : depth);
      const node = buildNode(previous, below, isTooDeep ? ADRIFT : attachment, built);
      built.set(below.id, node);
      labelText += labelSize(node);
      if (labelText > maxLabelText) throw labelsTooLarge("objects", maxLabelText);
      if (built.size % STEP === 0) yield;
    }
  }
  return built;
}

function buildNode(previous: Tree, object: PlacedObject, attachment: Attachment, built: Nodes): TreeNode {
  const before = previous.nodes.get(object.id);
  const above = object.above ?? built.get(attachment.parentId);
  if (
    before !== undefined &&
    sameAttachment(before, attachment) &&
    sameAbove(before.above ?? previous.nodes.get(before.parentId), above) &&
    sameProperties(before, object) &&
    (object.parent === undefined || object.parent.id === before.parent?.id)
  ) {
    return before;
  }
  // A spread would take 32 bytes more per node.
  const { path, probe, group, device, deviceId } = placeBelow(object, above, attachment.unseen);
  return {
    id: object.id,
    kind: object.kind,
    name: object.name,
    parent: declaredParent(object, before),
    type: object.type,
    typeName: object.typeName,
    priority: object.priority,
    tags: object.tags,
    favorite: object.favorite,
    host: object.host,
    // Only some polls ask for the interval.
    intervalSeconds: object.intervalSeconds ?? before?.intervalSeconds,
    path,
    probe,
    group,
    device,
    deviceId,
    inheritedTags: tagsBelow(above),
    above: object.above,
    parentId: attachment.parentId,
    unseen: attachment.unseen,
    orphan: attachment.orphan,
  } satisfies Required<TreeNode>;
}

function* compare(before: Nodes, after: Nodes): Generator<void, TreeChanges> {
  const added: TreeNode[] = [];
  const removed: TreeNode[] = [];
  const replaced: TreeNode[] = [];
  let steps = 0;
  for (const [id, previous] of before) {
    if (after.get(id)?.kind !== previous.kind) removed.push(previous);
    if (++steps % STEP === 0) yield;
  }
  for (const [id, node] of after) {
    if (++steps % STEP === 0) yield;
    const previous = before.get(id);
    if (previous === node) continue;
    if (previous?.kind === node.kind) replaced.push(node);
    else added.push(node);
  }
  return { added, removed, replaced };
}

function* describe(nodes: Nodes, absent: ReadonlySet<string>): Generator<void, Tree> {
  yield;
  const counts = { probe: 0, group: 0, device: 0, sensor: 0 };
  const missingParents = new Set<string>();
  let orphans = 0;
  let steps = 0;
  for (const node of nodes.values()) {
    if (++steps % STEP === 0) yield;
    counts[node.kind]++;
    if (!node.orphan) continue;
    orphans++;
    if (node.parent !== undefined && !nodes.has(node.parent.id)) missingParents.add(node.parent.id);
  }
  return { nodes, counts, absent, orphans, missingParents };
}
