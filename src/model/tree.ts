import { ApiError } from "../prtg/api-error.ts";
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

/** Levels below the root. Live servers have up to eight. */
export const MAX_TREE_DEPTH = 100;
export const MAX_PATH_LENGTH = 4_096;

export function labelSize({ path, name, probe, group, device, host, type, typeName, tags }: TreeNode): number {
  const own = path.length + name.length + probe.length + group.length + device.length;
  return own + (host?.length ?? 0) + type.length + typeName.length + tags.reduce((size, tag) => size + tag.length, 0);
}

/* Measured bytes of the Node.js 24 heap, series included. */
const NODE_BYTES = 830;
const CHANNEL_BYTES = 350;

/** Estimated memory of a server's state. */
export function stateBytes(nodes: number, channels: number): number {
  return nodes * NODE_BYTES + channels * CHANNEL_BYTES;
}

export function labelsTooLarge(what: string, max: number): ApiError {
  const message = `labels of ${what} would have more than ${max} characters (4 times limits.max_text_size)`;
  return new ApiError("API_LIST_TOO_LARGE", message, { endpoint: "" });
}
