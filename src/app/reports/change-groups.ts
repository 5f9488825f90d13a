import { mapEntry } from "../../lib/map-entry.ts";
import type { NodeChange } from "../../model/change-log.ts";
import { ROOT_ID, type TreeNode } from "../../model/tree.ts";

/** An object of the tree, or one that is gone. */
export type ChangedObject = Pick<TreeNode, "id" | "kind" | "name" | "path" | "parentId">;

/** Like changes of one minute. */
export interface ChangeGroup {
  /** Of the first change, milliseconds since the epoch. */
  readonly at: number;
  readonly what: NodeChange["what"];
  /** Kind of the changed objects. */
  readonly kind: NodeChange["kind"];
  readonly count: number;
  /** The changed object, or the nearest one above all of them. */
  readonly object: ChangedObject;
  readonly before?: string | undefined;
}

export interface ChangedTree {
  readonly nodes: ReadonlyMap<string, ChangedObject>;
  /** Number of sensors below an object. */
  sensorsBelow(id: string): number;
}

/** From so many on, changes are one line. */
const MANY = 3;
/** A probe stands for its sensors only if this share of them changed. A site is usually a group below it. */
const SHARE_OF_PROBE = 0.5;
/** Bounds a loop of parents in broken lists. */
const MAX_DEPTH = 64;
const MINUTE_MS = 60_000;

/** Newest minute first, then the largest group. */
export function groupChanges(changes: readonly NodeChange[], tree: ChangedTree): ChangeGroup[] {
  // A later rename or removal does not change what an earlier line says.
  const gone = new Map<string, ChangedObject>();
  const alike = new Map<string, Map<string, NodeChange>>();
  for (const change of changes) {
    if (change.what === "removed") gone.set(change.id, change);
    const key = `${minuteOf(change.at)} ${change.what} ${change.kind}`;
    // An object that flaps within a minute counts once.
    const bucket = mapEntry(alike, key, () => new Map<string, NodeChange>());
    if (!bucket.has(change.id)) bucket.set(change.id, change);
  }
  const objectOf = (id: string) => tree.nodes.get(id) ?? gone.get(id);
  const groups = [...alike.values()].flatMap((bucket) => {
    const found = Array.from(bucket.values(), (change) => ({ change, above: objectsAbove(change, objectOf) }));
    return divide(found, 0, tree);
  });
  return groups.sort(compareGroups);
}

export function compareGroups(a: ChangeGroup, b: ChangeGroup): number {
  return minuteOf(b.at) - minuteOf(a.at) || b.count - a.count || b.at - a.at;
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS);
}

interface Found {
  readonly change: NodeChange;
  /** From the top down. */
  readonly above: readonly ChangedObject[];
}

function objectsAbove(change: NodeChange, objectOf: (id: string) => ChangedObject | undefined): ChangedObject[] {
  const above: ChangedObject[] = [];
  let object = change.parentId === ROOT_ID ? undefined : objectOf(change.parentId);
  while (object !== undefined && above.length < MAX_DEPTH) {
    above.push(object);
    object = object.parentId === ROOT_ID ? undefined : objectOf(object.parentId);
  }
  return above.reverse();
}

/** @param depth All have the same objects above down to this depth. */
function divide(found: readonly Found[], depth: number, tree: ChangedTree): ChangeGroup[] {
  if (found.length < MANY) return found.map(({ change }) => alone(change));
  let common = depth;
  const [first] = found;
  for (;;) {
    const next = first?.above[common]?.id;
    if (next === undefined || !found.every(({ above }) => above[common]?.id === next)) break;
    common++;
  }
  const nearest = first?.above[common - 1];
  if (nearest !== undefined && standsFor(nearest, found, tree)) return [together(found, nearest)];
  const parts = new Map<string, Found[]>();
  for (const each of found) mapEntry(parts, each.above[common]?.id ?? "", () => []).push(each);
  return [...parts].flatMap(([id, part]) => {
    if (id !== "") return divide(part, common + 1, tree);
    // Direct children.
    if (nearest !== undefined && part.length >= MANY) return [together(part, nearest)];
    return part.map(({ change }) => alone(change));
  });
}

function standsFor({ id, kind }: ChangedObject, found: readonly Found[], { sensorsBelow }: ChangedTree): boolean {
  const isAboutSensors = found[0]?.change.kind === "sensor";
  return kind !== "probe" || !isAboutSensors || found.length >= SHARE_OF_PROBE * sensorsBelow(id);
}

function alone(change: NodeChange): ChangeGroup {
  const { at, what, kind, before } = change;
  return { at, what, kind, count: 1, object: change, before };
}

function together(found: readonly Found[], object: ChangedObject): ChangeGroup {
  const [first] = found;
  if (first === undefined) throw new RangeError("a group without changes");
  const at = found.reduce((earliest, { change }) => Math.min(earliest, change.at), first.change.at);
  return { at, what: first.change.what, kind: first.change.kind, count: found.length, object };
}
