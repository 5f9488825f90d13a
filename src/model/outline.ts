import { mapEntry } from "../lib/map-entry.ts";
import type { Steps } from "../lib/yielding.ts";
import { STATUS_TOKENS, type StatusToken, statusCode } from "../prtg/status.ts";
import { countsByStatus } from "./counts.ts";
import { NODE_KINDS, ROOT_ID, type Tree, type TreeNode } from "./tree.ts";

/** The tree at one moment with the statuses below each object. */
export interface Outline {
  /** By kind (probes, groups, devices, sensors), then in the order of the server's list. */
  children(id: string): readonly TreeNode[];
  sensorsBelow(id: string): ReadonlyMap<StatusToken, number>;
}

const NONE: readonly TreeNode[] = [];
const NO_COUNTS = new Uint32Array(0);

/** `statusOf`: `undefined` counts as `unknown`. */
export async function outlineOf(
  { nodes }: Pick<Tree, "nodes">,
  statusOf: (sensor: TreeNode) => StatusToken | undefined,
  slices: Steps,
): Promise<Outline> {
  const children = new Map<string, TreeNode[]>();
  const counts = new Map<string, Uint32Array>();
  for (const node of nodes.values()) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    mapEntry(children, node.parentId, () => []).push(node);
    if (node.kind === "sensor") add(counts, node.parentId, statusCode(statusOf(node) ?? "unknown"), 1);
  }
  for (const siblings of children.values()) {
    if (siblings.some(({ kind }) => kind !== siblings[0]?.kind)) siblings.sort(byKind);
  }
  // At this point all counts are on devices. Add them to all ancestors.
  for (const [id, direct] of [...counts].map(([owner, count]) => [owner, count.slice()] as const)) {
    const turn = slices.step();
    if (turn !== undefined) await turn;
    for (let at = id; at !== ROOT_ID; ) {
      at = nodes.get(at)?.parentId ?? ROOT_ID;
      for (const [code, count] of direct.entries()) if (count > 0) add(counts, at, code, count);
    }
  }
  return {
    children: (id) => children.get(id) ?? NONE,
    sensorsBelow: (id) => countsByStatus(counts.get(id) ?? NO_COUNTS),
  };
}

function byKind(a: TreeNode, b: TreeNode): number {
  return NODE_KINDS.indexOf(a.kind) - NODE_KINDS.indexOf(b.kind);
}

function add(counts: Map<string, Uint32Array>, id: string, code: number, count: number): void {
  const known = mapEntry(counts, id, () => new Uint32Array(STATUS_TOKENS.length));
  known[code] = (known[code] ?? 0) + count;
}
