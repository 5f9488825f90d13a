import type { ListResult, NodeKind, NodeRecord, Reference } from "../prtg/records.ts";

/** Id of the root group. It has no node: paths begin below it. */
export const ROOT_ID = "0";

/** What a node keeps of its record: everything but what changes with each poll (status, counts). */
export type NodeProperties = Pick<
  NodeRecord,
  | "id"
  | "kind"
  | "name"
  | "parent"
  | "type"
  | "typeName"
  | "priority"
  | "tags"
  | "favorite"
  | "host"
  | "intervalSeconds"
>;

/** The nearest ancestors by kind, and the path; names as the server sent them, empty where there is none. */
export interface Place {
  /** Names from below the root, joined with `/`, ending with the object itself. */
  readonly path: string;
  readonly probe: string;
  readonly group: string;
  readonly device: string;
  readonly deviceId: string;
}

/**
 * A probe, group, device or sensor at its place in the tree. A node is never changed: the same object stays from poll
 * to poll as long as nothing about it changed, so whatever was derived from it (its labels) stays valid too.
 */
export interface TreeNode extends NodeProperties, Place {
  /** What is right above it, where that is known and no part of this tree: it gives labels and tags, and has no series. */
  readonly above?: TreeNode | undefined;
  /** Tags of all visible ancestors, from the top, each once: what the product lets objects inherit. */
  readonly inheritedTags: readonly string[];
  /** Nearest ancestor that is visible, `ROOT_ID` when there is none; `parent` is what the record said. */
  readonly parentId: string;
  /**
   * Ancestors between `parentId` and the node that only references tell of, topmost first. Their names are part of
   * the path, and the nearest of them by kind gives the probe, group or device label: the user may not see the
   * device, but a reference to it names it even where it is restricted.
   */
  readonly unseen: readonly Reference[];
  /** True when the object's own parent is not visible. */
  readonly orphan: boolean;
}

export interface Tree {
  readonly nodes: ReadonlyMap<string, TreeNode>;
  readonly counts: Readonly<Record<NodeKind, number>>;
  /** Objects that the last complete poll of their list did not show; one more and they go. */
  readonly absent: ReadonlySet<string>;
  readonly orphans: number;
  /** Ids of parents that no list has shown. */
  readonly missingParents: ReadonlySet<string>;
}

export const EMPTY_TREE: Tree = {
  nodes: new Map(),
  counts: { probe: 0, group: 0, device: 0, sensor: 0 },
  absent: new Set(),
  orphans: 0,
  missingParents: new Set(),
};

export interface TreeChanges {
  readonly added: readonly TreeNode[];
  readonly removed: readonly TreeNode[];
  /** Every node that differs from before in any way; includes what lies below renamed and moved nodes. */
  readonly replaced: readonly TreeNode[];
}

/** In the order in which an id that several lists claim is given to one of them. */
export const NODE_KINDS = ["probe", "group", "device", "sensor"] as const satisfies readonly NodeKind[];

/** A record, where its parent is no part of the tree together with that. */
export interface ListedNode extends NodeRecord {
  readonly above?: TreeNode | undefined;
}

/** What a poll brought; a list that was not polled, or failed, is left out. */
export type NodePoll = { readonly [Kind in NodeKind]?: ListResult<ListedNode> | undefined };
