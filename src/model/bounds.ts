import { ApiError } from "../prtg/api-error.ts";
import type { TreeNode } from "./tree.ts";

/** Levels below the root. Live servers have up to eight. */
export const MAX_TREE_DEPTH = 100;
export const MAX_PATH_LENGTH = 4_096;

export function labelSize({ path, name, probe, group, device, host, type, typeName, tags }: TreeNode): number {
  const own = path.length + name.length + probe.length + group.length + device.length;
  return own + (host?.length ?? 0) + type.length + typeName.length + tags.reduce((size, tag) => size + tag.length, 0);
}

/* Measured bytes of the Node.js 24 heap, series included. */
const NODE_BYTES = 750;
const CHANNEL_BYTES = 350;

/** Estimated memory of a server's state. */
export function stateBytes(nodes: number, channels: number): number {
  return nodes * NODE_BYTES + channels * CHANNEL_BYTES;
}

export function labelsTooLarge(what: string, max: number): ApiError {
  const message = `labels of ${what} would have more than ${max} characters (4 times limits.max_text_size)`;
  return new ApiError("API_LIST_TOO_LARGE", message, { endpoint: "" });
}
