import type { Sort, SortKey } from "../../http/pages/status/source.ts";
import { isProblem, PROBLEM_STATUSES, placeOfStatus } from "../../http/pages/status/status-order.ts";
import { type StatusSum, sumUp } from "../../http/pages/status/status-sum.ts";
import type { Outline } from "../../model/outline.ts";
import { NODE_KINDS, type TreeNode } from "../../model/tree.ts";
import type { StatusToken } from "../../prtg/status.ts";
import { shownSince } from "./acknowledgement.ts";
import type { ServerTree } from "./node-summary.ts";
import { byName } from "./server-list.ts";

/** Enough to sort objects. */
export interface FoundNode {
  readonly tree: ServerTree;
  readonly node: TreeNode;
  /** Of a child: with all sensors below it. */
  readonly status: StatusToken | undefined;
  /** `undefined`: only the own status counts. */
  readonly sum?: StatusSum | undefined;
  /** Start as pages show it, milliseconds since the epoch. */
  readonly since: number | undefined;
  /** Milliseconds since the epoch. Sensors only. */
  readonly measuredAt: number | undefined;
  /** 0 is the best match. Two numbers share a tier, in which problems come first. */
  readonly rank: number;
}

/** @param now Monotonic ms. */
export function foundNode(tree: ServerTree, node: TreeNode, rank: number, now: number): FoundNode {
  const { state } = tree.monitor.view;
  const known = state.node(node.id);
  return {
    tree,
    node,
    status: state.statusOf(node),
    since: known && shownSince(node, known, now),
    measuredAt: known?.lastMeasuredAt,
    rank,
  };
}

/** An object in the list of its parent. @param now Monotonic ms. */
export function foundChild(tree: ServerTree, node: TreeNode, outline: Outline, now: number): FoundNode {
  const own = foundNode(tree, node, 0, now);
  const sum = node.kind === "sensor" ? undefined : sumUp(own.status, outline.sensorsBelow(node.id));
  return { ...own, status: sum?.status ?? own.status, sum };
}

type Compare = (a: FoundNode, b: FoundNode) => number;

/** Order of problems: by severity, then parents before sensors, then by priority. Then the newest first: old problems are mostly known. */
export function compareProblems(a: FoundNode, b: FoundNode): number {
  return (
    placeOfStatus(a.status) - placeOfStatus(b.status) ||
    NODE_KINDS.indexOf(a.node.kind) - NODE_KINDS.indexOf(b.node.kind) ||
    (b.node.priority ?? 0) - (a.node.priority ?? 0) ||
    compareKnown(a.since, b.since, -1)
  );
}

/** The better match first. In one tier of matches, problems come first. */
export function compareFound(a: FoundNode, b: FoundNode): number {
  const [isBad, isBadToo] = [isProblem(a.node.kind, a.status), isProblem(b.node.kind, b.status)];
  return (
    tierOf(a) - tierOf(b) ||
    Number(isBadToo) - Number(isBad) ||
    (isBad && isBadToo ? compareProblems(a, b) : 0) ||
    a.rank - b.rank
  );
}

function tierOf({ rank }: FoundNode): number {
  return Math.floor(rank / 2);
}

/** The worst status first, then the largest share of sensors in it. Objects without a problem keep their order. */
export function compareChildren(a: FoundNode, b: FoundNode): number {
  const [place, other] = [problemPlace(a), problemPlace(b)];
  if (place !== other || place === NO_PROBLEM) return place - other;
  return (
    shareOf(b) - shareOf(a) ||
    (b.sum?.affected ?? 0) - (a.sum?.affected ?? 0) ||
    (b.node.priority ?? 0) - (a.node.priority ?? 0) ||
    compareKnown(a.since, b.since, -1)
  );
}

const NO_PROBLEM = PROBLEM_STATUSES.length;

function problemPlace({ status }: FoundNode): number {
  return Math.min(placeOfStatus(status), NO_PROBLEM);
}

/** 0 to 1. A status of the object itself is about all of it. */
function shareOf({ sum }: FoundNode): number {
  return sum === undefined || sum.affected === 0 ? 1 : sum.affected / sum.sensors;
}

const KEYS: Readonly<Record<SortKey, (a: FoundNode, b: FoundNode, sign: 1 | -1) => number>> = {
  status: (a, b, sign) => sign * (placeOfStatus(a.status) - placeOfStatus(b.status)),
  priority: (a, b, sign) => compareKnown(a.node.priority, b.node.priority, sign),
  name: (a, b, sign) => sign * byName(a.node.name, b.node.name),
  since: (a, b, sign) => compareKnown(a.since, b.since, sign),
  measured: (a, b, sign) => compareKnown(a.measuredAt, b.measuredAt, sign),
};

/** @param otherwise Order without `sort`, and of equal objects. */
export function compareBy(sort: Sort | undefined, otherwise: Compare): Compare {
  if (sort === undefined) return otherwise;
  const compare = KEYS[sort.key];
  return (a, b) => compare(a, b, sort.isDescending ? -1 : 1) || otherwise(a, b);
}

/** Unknown numbers come last in both directions. */
function compareKnown(a: number | undefined, b: number | undefined, sign: 1 | -1): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return sign * (a - b);
}
