import { ApiError, badRequest } from "../../../api-errors.ts";
import type { NodeKind } from "../../../world/objects.ts";
import { kindOf } from "../../../world/objects.ts";
import type { Call, ProtectedEndpoint } from "../../endpoint.ts";
import { NO_CONTENT, type Reply } from "../../reply.ts";
import { conflict, rejectInvalid } from "../../request-objects.ts";
import { readSettings, type SettingsBody } from "./settings-request.ts";

export const EDITS: readonly ProtectedEndpoint[] = [
  { operation: "editGroup", access: "bearer", handle: (call) => edit(call, "group") },
  { operation: "editDevice", access: "bearer", handle: (call) => edit(call, "device") },
  { operation: "editSensor", access: "bearer", handle: (call) => edit(call, "sensor") },
  { operation: "editSensorAtSingular", access: "bearer", handle: editBasic },
];

/** A client of live servers found that this path takes the section `basic` alone. */
async function editBasic(call: Call): Promise<Reply> {
  const other = Object.keys(await call.readBody<SettingsBody>()).find((section) => section !== "basic");
  if (other === undefined) return edit(call, "sensor");
  throw new ApiError("METHOD_NOT_IMPLEMENTED", `section ${other} is not yet supported`, { status: 501 });
}

/** The table of statuses has 409 for what a PATCH request refers to: we take it to mean the object in its path as well. */
async function edit(call: Call, kind: NodeKind): Promise<Reply> {
  const body = await call.readBody<SettingsBody>();
  const { visible, params, now, rendering } = call;
  const id = params.id ?? "";
  const node = visible.node(id);
  if (node === undefined || kindOf(node) !== kind) throw conflict(`There is no ${kind} ${id}`);
  const changes = readSettings(body, {
    kind,
    base: node,
    creates: false,
    checkDependency: (target) => {
      if (visible.node(target) === undefined) throw conflict(`There is no object ${target} to depend on`);
    },
  });
  if (node.parent === undefined && changes.dependency?.dependsOn !== undefined) {
    throw badRequest("The body at /scheduledependency/dependency is impossible: the root depends on nothing");
  }
  rejectInvalid(() => rendering.world.edit(node.id, changes, now));
  return NO_CONTENT;
}
