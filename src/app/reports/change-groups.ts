import { mapEntry } from "../../lib/map-entry.ts";
import type { ChangeKind, NodeChange } from "../../model/change-log.ts";
import type { LoggedOutage } from "../../model/outage-log.ts";
import { ROOT_ID, type TreeNode } from "../../model/tree.ts";
import { newsOf, outageFinder, type PartOfOutage } from "./outage-changes.ts";

/** An object of the tree, or one that is gone. */
export type ChangedObject = Pick<TreeNode, "id" | "kind" | "name" | "path" | "parentId">;

/** Like changes of one minute, or the begin or end of an outage. */
export interface ChangeGroup {
  /** Milliseconds since the epoch: of the first change, or of the last recovery for the end of an outage. */
  readonly at: number;
  readonly what: NodeChange["what"];
  /** Kind of the changed objects. */
  readonly kind: NodeChange["kind"];
  /** Objects, not changes. For the begin of an outage all affected sensors, also those that were down before. */
  readonly count: number;
  /** The changed object, or the nearest one above all of them, or the one of the outage. */
  readonly object: ChangedObject;
  readonly before?: string | undefined;
  readonly outage?: PartOfOutage | undefined;
  readonly changes: readonly NodeChange[];
}

export interface ChangedTree {
  readonly nodes: ReadonlyMap<string, ChangedObject>;
  /** Number of sensors below an object. */
  sensorsBelow(id: string): Promise<number>;
}

/** From so many on, changes are one line. */
const MANY = 3;
/** A probe stands for its sensors only if this share of them changed. A site is usually a group below it. */
const SHARE_OF_PROBE = 0.5;
/** Bounds a loop of parents in broken lists. */
const MAX_DEPTH = 64;
const MINUTE_MS = 60_000;

/** Newest minute first, then the largest group. @param after Begin of the changes, milliseconds since the epoch. */
export async function groupChanges(
  changes: readonly NodeChange[],
  tree: ChangedTree,
  outages: readonly LoggedOutage[] = [],
  after = 0,
): Promise<ChangeGroup[]> {
  // A later rename or removal does not change what an earlier line says.
  const gone = new Map<string, ChangedObject>();
  for (const change of changes) if (change.what === "removed") gone.set(change.id, change);
  const objectOf = (id: string) => tree.nodes.get(id) ?? gone.get(id);
  const outageOf = outageFinder(outages);
  const buckets = new Map<string, Bucket>();
  for (const outage of newsOf(outages, after)) buckets.set(keyOfPart(outage), { outage, found: [] });
  for (const change of changes) {
    const above = objectsAbove(change, objectOf);
    const outage = outageOf(change, above);
    const minute = `${minuteOf(change.at)} ${change.what} ${change.kind}`;
    const key = outage === undefined ? minute : `${keyOfPart(outage)}${outage.part === "during" ? ` ${minute}` : ""}`;
    mapEntry(buckets, key, () => ({ outage, found: [] })).found.push({ change, above });
  }
  const groups: ChangeGroup[] = [];
  for (const bucket of buckets.values()) groups.push(...(await groupsOf(bucket, tree)));
  return groups.sort(compareGroups);
}

interface Bucket {
  readonly outage: PartOfOutage | undefined;
  readonly found: Found[];
}

function keyOfPart({ outage: { problem, object, from }, part }: PartOfOutage): string {
  return `${part} ${problem} ${object.id} ${from}`;
}

async function groupsOf({ outage, found }: Bucket, tree: ChangedTree): Promise<readonly ChangeGroup[]> {
  if (outage === undefined) return divide(distinct(found), 0, tree);
  if (outage.part === "during") {
    const objects = distinct(found);
    return objects.length < MANY ? objects.map(alone) : [{ ...together(objects, outage.outage.object), outage }];
  }
  const { problem, object, foundAt = 0, affected, endedAt = 0 } = outage.outage;
  const about = { kind: "sensor", object, outage, changes: found.map(({ change }) => change) } as const;
  if (outage.part === "begin") return [{ ...about, at: firstAt(found, foundAt), what: problem, count: affected }];
  // The poll that found the end can be later.
  const last = found.reduce((latest, { change: { at } }) => (at <= endedAt ? Math.max(latest, at) : latest), 0);
  return [{ ...about, at: last || endedAt, what: "recovered", count: distinct(found).length }];
}

/** An object that flaps counts once. */
function distinct(found: readonly Found[]): readonly FoundObject[] {
  const objects = new Map<string, FoundObject>();
  for (const { change, above } of found) {
    mapEntry(objects, change.id, () => ({ change, above, changes: [] })).changes.push(change);
  }
  return [...objects.values()];
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

/** `change` is the first one. */
interface FoundObject extends Found {
  readonly changes: NodeChange[];
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
async function divide(found: readonly FoundObject[], depth: number, tree: ChangedTree): Promise<ChangeGroup[]> {
  if (found.length < MANY) return found.map(alone);
  let common = depth;
  const [first] = found;
  for (;;) {
    const next = first?.above[common]?.id;
    if (next === undefined || !found.every(({ above }) => above[common]?.id === next)) break;
    common++;
  }
  const nearest = first?.above[common - 1];
  if (nearest !== undefined && (await standsFor(nearest, found, tree))) return [together(found, nearest)];
  const parts = new Map<string, FoundObject[]>();
  for (const each of found) mapEntry(parts, each.above[common]?.id ?? "", () => []).push(each);
  const groups: ChangeGroup[] = [];
  for (const [id, part] of parts) {
    if (id !== "") groups.push(...(await divide(part, common + 1, tree)));
    // Direct children.
    else if (nearest !== undefined && part.length >= MANY) groups.push(together(part, nearest));
    else groups.push(...part.map(alone));
  }
  return groups;
}

async function standsFor(
  { id, kind }: ChangedObject,
  found: readonly FoundObject[],
  { sensorsBelow }: ChangedTree,
): Promise<boolean> {
  const isAboutSensors = found[0]?.change.kind === "sensor";
  return kind !== "probe" || !isAboutSensors || found.length >= SHARE_OF_PROBE * (await sensorsBelow(id));
}

function alone({ change, changes }: FoundObject): ChangeGroup {
  const { at, what, kind, before } = change;
  return { at, what, kind, count: 1, object: change, before, changes };
}

function together(found: readonly FoundObject[], object: ChangedObject): ChangeGroup {
  const [first] = found;
  if (first === undefined) throw new RangeError("a group without changes");
  const at = firstAt(found, first.change.at);
  const changes = found.flatMap((each) => each.changes);
  return { at, what: first.change.what, kind: first.change.kind, count: found.length, object, changes };
}

function firstAt(found: readonly Found[], otherwise: number): number {
  return found.reduce((earliest, { change: { at } }) => Math.min(earliest, at), otherwise);
}

const OF_ALL_KINDS: ReadonlySet<ChangeKind> = new Set(["renamed", "moved", "added", "removed"]);

/** Different objects by change. A large outage can have more sensors than the log has changes. */
export function changedObjects(
  changes: readonly NodeChange[],
  groups: readonly ChangeGroup[],
): ReadonlyMap<ChangeKind, number> {
  const counted = changes.filter(({ what, kind }) => kind === "sensor" || OF_ALL_KINDS.has(what));
  const counts = new Map<ChangeKind, number>();
  for (const [what, ofOne] of Map.groupBy(counted, ({ what }) => what)) {
    counts.set(what, new Set(ofOne.map(({ id }) => id)).size);
  }
  for (const { what, count, outage } of groups) {
    if (outage?.part === "begin") counts.set(what, Math.max(count, counts.get(what) ?? 0));
  }
  return counts;
}
