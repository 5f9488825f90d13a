import { type Call, NO_CONTENT, type ProtectedEndpoint, type Reply } from "../endpoint.ts";
import { type NodeKind, nodeOf, rejectInvalid } from "../node-of.ts";

export const DELETIONS: readonly ProtectedEndpoint[] = [
  { operation: "deleteProbe", access: "bearer", handle: (call) => remove(call, "probe") },
  { operation: "deleteGroup", access: "bearer", handle: (call) => remove(call, "group") },
  { operation: "deleteDevice", access: "bearer", handle: (call) => remove(call, "device") },
  { operation: "deleteSensor", access: "bearer", handle: (call) => remove(call, "sensor") },
];

/** With all that is below it. The root, which answers as a group, stays. */
function remove(call: Call, kind: NodeKind): Reply {
  const node = nodeOf(call, kind);
  rejectInvalid(() => call.rendering.world.remove(node.id, call.now));
  return NO_CONTENT;
}
