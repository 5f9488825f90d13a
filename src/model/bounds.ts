import { ApiError } from "../prtg/api-error.ts";
import type { TreeNode } from "./tree.ts";

/** Objects between the root and an object. Servers were seen with eight. */
export const MAX_TREE_DEPTH = 100;
/** Characters of a path. */
export const MAX_PATH_LENGTH = 4_096;

/** Characters that the labels of an object's series have. */
export function labelSize({ path, name, probe, group, device, host, type, typeName, tags }: TreeNode): number {
  const own = path.length + name.length + probe.length + group.length + device.length;
  return own + (host?.length ?? 0) + type.length + typeName.length + tags.reduce((size, tag) => size + tag.length, 0);
}

/*
 * Bytes of the heap of Node.js 24, with the series that show it, measured as those of src/prtg/memory-bounds.ts. Texts are
 * those of the records, and their copies in labels are not in the heap.
 */
const NODE_BYTES = 750;
const CHANNEL_BYTES = 350;

/** Memory that the state of a server takes with so many objects, by estimate. */
export function stateBytes(nodes: number, channels: number): number {
  return nodes * NODE_BYTES + channels * CHANNEL_BYTES;
}

/** What a list would make of labels is more than the server may have: the list counts as failed. */
export function labelsTooLarge(what: string, max: number): ApiError {
  const message = `labels of ${what} would have more than ${max} characters (4 times limits.max_text_size)`;
  return new ApiError("API_LIST_TOO_LARGE", message, { endpoint: "" });
}
