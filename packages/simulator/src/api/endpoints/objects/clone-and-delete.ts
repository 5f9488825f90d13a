import { badRequest, notFound } from "../../../api-errors.ts";
import { nodeHref } from "../../../records/references.ts";
import type { NodeKind } from "../../../world/objects.ts";
import { isDevice } from "../../../world/objects.ts";
import type { Call, ProtectedEndpoint } from "../../endpoint.ts";
import { emptyReply, NO_CONTENT, type Reply } from "../../reply.ts";
import { nodeOf, rejectInvalid } from "../../request-objects.ts";
import { indexOfText } from "./positions.ts";

export const CLONES: readonly ProtectedEndpoint[] = [
  { operation: "cloneObject", access: "bearer", handle: (call) => clone(call) },
  { operation: "cloneObjectAtStable", access: "bearer", handle: (call) => clone(call) },
  { operation: "cloneGroup", access: "bearer", handle: (call) => clone(call, "group") },
  { operation: "cloneDevice", access: "bearer", handle: (call) => clone(call, "device") },
  { operation: "cloneSensor", access: "bearer", handle: (call) => clone(call, "sensor") },
];

/** "Default is the old name prefixed with a copy marker": which one is not shown. */
const COPY_MARKER = "Clone of ";

/** The generic body names the new parent `parent`, the deprecated ones `parent_id`. */
interface CloneBody {
  readonly parent?: string;
  readonly parent_id?: string;
  readonly position?: string;
  readonly name?: string;
  readonly host?: string;
}

/** As in the product, the copy is paused, so that it can be checked. No answer shows `service_url`. */
async function clone(call: Call, kind?: NodeKind): Promise<Reply> {
  const body = await call.readBody<CloneBody>();
  const { visible, now, installation } = call;
  const { world } = call.rendering;
  const node = nodeOf(call, kind);
  const index = indexOfText(body.position);
  const { name = `${COPY_MARKER}${node.name}`, host } = body;
  for (const [field, value] of Object.entries({ name, host })) {
    if (value?.trim() === "") throw badRequest(`The body at /${field} must not be empty`);
  }
  const parentId = body.parent ?? body.parent_id ?? "";
  const parent = visible.node(parentId);
  if (parent === undefined) throw notFound(`There is no object ${parentId} to clone to`);
  const copy = rejectInvalid(() => world.clone(node.id, parent.id, name, now));
  if (index !== undefined) world.move(copy.id, parent.id, { index, at: now });
  if (host !== undefined && isDevice(copy)) world.edit(copy.id, { host }, now);
  world.pause(copy.id, now);
  installation.pendingObjects.add(copy);
  return emptyReply({ headers: { Location: nodeHref(copy) } });
}

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
