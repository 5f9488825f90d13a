import type { Sort, SortKey } from "../../http/pages/status/source.ts";
import { isProblem, placeOfStatus } from "../../http/pages/status/status-order.ts";
import { NODE_KINDS, type TreeNode } from "../../model/tree.ts";
import type { StatusToken } from "../../prtg/status.ts";
import type { ServerTree } from "./node-summary.ts";
import { byName } from "./server-order.ts";

/** Enough to sort objects. */
export interface FoundNode {
  readonly tree: ServerTree;
  readonly node: TreeNode;
  readonly status: StatusToken | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number | undefined;
  /** Milliseconds since the epoch. Sensors only. */
  readonly measuredAt: number | undefined;
  /** 0 is the best match. */
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
    since: known?.statusSinceAt(now),
    measuredAt: known?.lastMeasuredAt,
    rank,
  };
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

/** An id that equals the words comes first, then problems, then the best matches. */
export function compareFound(a: FoundNode, b: FoundNode): number {
  const [isBad, isBadToo] = [isProblem(a.node.kind, a.status), isProblem(b.node.kind, b.status)];
  return (
    Number(b.rank === 0) - Number(a.rank === 0) ||
    Number(isBadToo) - Number(isBad) ||
    (isBad && isBadToo ? compareProblems(a, b) : 0) ||
    a.rank - b.rank
  );
}

const KEYS: Readonly<Record<SortKey, (a: FoundNode, b: FoundNode, sign: 1 | -1) => number>> = {
  status: (a, b, sign) => sign * (placeOfStatus(a.status) - placeOfStatus(b.status)),
  priority: (a, b, sign) => compareKnown(a.node.priority, b.node.priority, sign),
  name: (a, b, sign) => sign * byName(a.node.name, b.node.name),
  since: (a, b, sign) => compareKnown(a.since, b.since, sign),
  measured: (a, b, sign) => compareKnown(a.measuredAt, b.measuredAt, sign),
};

export function compareBy(sort: Sort | undefined): Compare {
  if (sort === undefined) return compareFound;
  const compare = KEYS[sort.key];
  return (a, b) => compare(a, b, sort.isDescending ? -1 : 1) || compareFound(a, b);
}

/** Unknown numbers come last in both directions. */
function compareKnown(a: number | undefined, b: number | undefined, sign: 1 | -1): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return sign * (a - b);
}
