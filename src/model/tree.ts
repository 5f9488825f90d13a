import type { NodeKind, NodeRecord, StateFact } from "../prtg/node-record.ts";
import type { ListResult, Reference } from "../prtg/records.ts";

/** The root group has no node: paths start below it. */
export const ROOT_ID = "0";

/** Without facts that only the state has. */
export type NodeProperties = Omit<NodeRecord, "ancestors" | Exclude<StateFact, "intervalSeconds">>;

/** Names of the nearest ancestors by kind. Empty if there is none. */
export interface Place {
  /** Names from below the root to the object, joined with `/`. */
  readonly path: string;
  readonly probe: string;
  readonly group: string;
  readonly device: string;
  readonly deviceId: string;
}

/** Immutable. An unchanged node stays the same object from poll to poll, so data derived from it stays valid. */
export interface TreeNode extends NodeProperties, Place {
  /** A parent that the selection excludes. It gives labels and tags and has no series. */
  readonly above?: TreeNode | undefined;
  /** Tags of all visible ancestors, from the top, each once. */
  readonly inheritedTags: readonly string[];
  /** The nearest visible ancestor or `ROOT_ID`. `parent` is the one of the record. */
  readonly parentId: string;
  /** Invisible ancestors between `parentId` and the node, from the top. They are part of the path and give labels. */
  readonly unseen: readonly Reference[];
  /** The object's own parent is not visible. */
  readonly orphan: boolean;
}

export interface Tree {
  readonly nodes: ReadonlyMap<string, TreeNode>;
  readonly counts: Readonly<Record<NodeKind, number>>;
  /** Objects that one complete poll lacked. The second one removes them. */
  readonly absent: ReadonlySet<string>;
  readonly orphans: number;
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
  /** Includes nodes below renamed and moved ones. */
  readonly replaced: readonly TreeNode[];
}

/** If several lists contain an id, the first kind gets it. */
export const NODE_KINDS = ["probe", "group", "device", "sensor"] as const satisfies readonly NodeKind[];

/** A record whose parent may be outside of the tree. */
export interface ListedNode extends NodeRecord {
  readonly above?: TreeNode | undefined;
}

/** Lists that the poll did not read are missing. */
export type NodePoll = { readonly [Kind in NodeKind]?: ListResult<ListedNode> | undefined };
