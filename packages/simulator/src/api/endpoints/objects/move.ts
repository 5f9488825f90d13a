import { badRequest, notFound } from "../../../api-errors.ts";
import { nodeHref } from "../../../records/references.ts";
import type { SimNode } from "../../../world/model.ts";
import type { NodeKind } from "../../../world/objects.ts";
import type { Call, ProtectedEndpoint } from "../../endpoint.ts";
import { emptyReply, type Reply } from "../../reply.ts";
import { nodeOf, rejectInvalid } from "../../request-objects.ts";
import { indexAt, indexOfPreset, type Preset } from "./positions.ts";

export const MOVES: readonly ProtectedEndpoint[] = [
  { operation: "moveObject", access: "bearer", handle: (call) => move(call) },
  { operation: "moveProbe", access: "bearer", handle: (call) => move(call, "probe") },
  { operation: "moveGroup", access: "bearer", handle: (call) => move(call, "group") },
  { operation: "moveDevice", access: "bearer", handle: (call) => move(call, "device") },
  { operation: "moveSensor", access: "bearer", handle: (call) => move(call, "sensor") },
];

interface MoveBody {
  readonly parent?: string | null;
  readonly position?: number | null;
  readonly position_preset?: Preset | null;
}

/**
 * "To move within siblings use `position` or `position_preset`. To move to another parent use `parent`, optionally combined
 * with one of the positional fields." Both of them, or nothing at all, is a bad request; a parent alone that is the
 * object's own leaves it where it is.
 */
async function move(call: Call, kind?: NodeKind): Promise<Reply> {
  const { parent, position, position_preset: preset } = await call.readBody<MoveBody>();
  const node = nodeOf(call, kind);
  if (node.parent === undefined) throw badRequest("The root cannot be moved");
  const positions = [position, preset].filter((one) => one !== undefined && one !== null);
  if (positions.length > 1) throw badRequest("The body must not have both position and position_preset");
  if (positions.length === 0 && (parent === undefined || parent === null)) {
    throw badRequest("The body must have parent, position or position_preset");
  }
  const target = targetOf(call, node.parent, parent);
  const index = indexIn(target, node, position, preset);
  if (target !== node.parent || index !== undefined) {
    const options = index === undefined ? { at: call.now } : { at: call.now, index };
    rejectInvalid(() => call.rendering.world.move(node.id, target.id, options));
  }
  return emptyReply({ headers: { Location: nodeHref(node) } });
}

/** A user may not see the parent of an object, and leave it there all the same. */
function targetOf({ visible }: Call, own: SimNode, id: string | null | undefined): SimNode {
  if (id === undefined || id === null || id === own.id) return own;
  const target = visible.node(id);
  if (target === undefined) throw notFound(`There is no object ${id} to move to`);
  return target;
}

function indexIn(
  target: SimNode,
  node: SimNode,
  position: number | null | undefined,
  preset: Preset | null | undefined,
): number | undefined {
  if (position !== undefined && position !== null) return indexAt(position);
  return preset === undefined || preset === null ? undefined : indexOfPreset(preset, node, target);
}
