import { STATUSES, type StatusGroup, type StatusToken } from "../prtg/status.ts";
import type { NodeState } from "./node-state.ts";
import { AROUND_MS, type LoggedOutage, OutageLog } from "./outage-log.ts";
import type { Outage } from "./outages.ts";
import type { NodeWatcher } from "./state-observer.ts";
import { NODE_KINDS, type NodePoll, type Tree, type TreeNode } from "./tree.ts";

export const CHANGE_KINDS = [
  ...(["down", "unknown", "acknowledged", "recovered", "paused", "resumed"] as const),
  ...(["renamed", "moved", "added", "removed"] as const),
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Facts about the object as of the change. */
export interface NodeChange extends Pick<TreeNode, "id" | "kind" | "name" | "path" | "parentId"> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly what: ChangeKind;
  /** Earlier name of a renamed object, earlier path of a moved one. */
  readonly before?: string;
}

export const KEPT_MS = 4 * 3_600_000;
const MAX_CHANGES = 4_000;
/** Estimated bytes. */
const MAX_SIZE = 1 << 20;
const ENTRY_SIZE = 120;

export interface ChangeLogOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly maxChanges?: number;
  readonly maxSize?: number;
}

/**
 * The changes of one server in the last hours, in memory. Polls without changes add nothing. The oldest changes leave first.
 */
export class ChangeLog implements NodeWatcher {
  readonly #options: ChangeLogOptions;
  readonly #knownKinds = new Set<string>();
  readonly #outages = new OutageLog();
  #changes: NodeChange[] = [];
  #size = 0;
  #since: number | undefined;
  /** One time for the whole poll. */
  #seenAt: number | undefined;

  constructor(options: ChangeLogOptions) {
    this.#options = options;
  }

  /** Changes are complete since then, milliseconds since the epoch. `undefined` before the first poll. */
  get since(): number | undefined {
    return this.#since === undefined ? undefined : Math.max(this.#since, this.#options.now() - KEPT_MS);
  }

  /** In the order of their detection. */
  recent(after = 0): readonly NodeChange[] {
    this.#expire();
    return this.#changes.filter(({ at }) => at >= after);
  }

  /** Outages to which recent changes can belong. */
  get outages(): readonly LoggedOutage[] {
    this.#outages.expire(this.#options.now() - KEPT_MS - AROUND_MS);
    return this.#outages.all;
  }

  onPollStart(): void {
    this.#seenAt = undefined;
  }

  onNodeRemoval({ node }: NodeState): void {
    this.#add(node, "removed", this.#now);
  }

  onNodeAddition({ node }: NodeState): void {
    if (this.#knownKinds.has(node.kind)) this.#add(node, "added", this.#now);
  }

  onNodeReplacement({ node }: NodeState, before: TreeNode): void {
    if (node.name !== before.name) this.#add(node, "renamed", this.#now, before.name);
    if (node.parentId !== before.parentId) this.#add(node, "moved", this.#now, before.path);
  }

  onNodeRecord(): void {
    // `onStatusChange` says it, and only if there is a change.
  }

  onStatusChange({ node, status, statusSince }: NodeState, before: StatusToken, sinceBefore: number | undefined): void {
    const what = status === undefined ? undefined : changeOf(before, status);
    // The unknown status of a group or device only repeats the one of its probe and sensors.
    const repeats = node.kind !== "sensor" && (before === "unknown" || status === "unknown");
    if (what === undefined || repeats) return;
    // An acknowledgement may keep the time of the status before.
    const isNew = statusSince !== undefined && statusSince !== sinceBefore;
    this.#add(node, what, isNew ? Math.min(statusSince, this.#now) : this.#now);
  }

  onOutages(outages: ReadonlyMap<string, Outage>, { nodes }: Tree): void {
    this.#outages.update(outages, nodes, this.#now);
  }

  onPollEnd(poll: NodePoll): void {
    for (const kind of NODE_KINDS) if (poll[kind]?.complete === true) this.#knownKinds.add(kind);
    this.#since ??= this.#now;
    this.#seenAt = undefined;
  }

  get #now(): number {
    this.#seenAt ??= this.#options.now();
    return this.#seenAt;
  }

  #add({ id, kind, name, path, parentId }: TreeNode, what: ChangeKind, at: number, before?: string): void {
    const change = { at, what, id, kind, name, path, parentId, ...(before !== undefined && { before }) };
    this.#changes.push(change);
    this.#size += sizeOf(change);
    const { maxChanges = MAX_CHANGES, maxSize = MAX_SIZE } = this.#options;
    if (this.#changes.length > maxChanges || this.#size > maxSize) this.#drop(maxChanges, maxSize);
  }

  /** Drops down to nine tenths, so that a flood does not move the list with each change. */
  #drop(maxChanges: number, maxSize: number): void {
    let [count, size] = [this.#changes.length, this.#size];
    let dropped = 0;
    while (count > 0.9 * maxChanges || size > 0.9 * maxSize) {
      const oldest = this.#changes[dropped];
      if (oldest === undefined) break;
      this.#since = Math.max(this.#since ?? 0, oldest.at + 1);
      size -= sizeOf(oldest);
      count--;
      dropped++;
    }
    this.#changes = this.#changes.slice(dropped);
    this.#size = size;
  }

  #expire(): void {
    const begin = this.#options.now() - KEPT_MS;
    if (!this.#changes.some(({ at }) => at < begin)) return;
    this.#changes = this.#changes.filter(({ at }) => at >= begin);
    this.#size = this.#changes.reduce((sum, change) => sum + sizeOf(change), 0);
  }
}

/** Two bytes a character, although the tree shares most of the texts. */
function sizeOf({ name, path, before = "" }: NodeChange): number {
  return ENTRY_SIZE + 2 * (name.length + path.length + before.length);
}

const BAD: ReadonlySet<StatusGroup> = new Set(["down", "unknown", "acknowledged"]);

/** `undefined` for a change that is no news, such as between up and warning. */
function changeOf(before: StatusToken, status: StatusToken): ChangeKind | undefined {
  const [from, to] = [STATUSES[before].group, STATUSES[status].group];
  if (from === to) return undefined;
  if (to === "down" || to === "unknown" || to === "acknowledged" || to === "paused") return to;
  if (BAD.has(from)) return "recovered";
  return from === "paused" ? "resumed" : undefined;
}
