import type { TreeNode } from "../model/tree.ts";
import { type Owner, ownerOf } from "../store/owner.ts";

/** Series of a device, its sensors and their channels stay together; probes and groups are each by themselves. */
export function nodeOwner(server: string, node: Pick<TreeNode, "id" | "deviceId">): Owner {
  return ownerOf(server, node.deviceId === "" ? node.id : node.deviceId);
}
