import { ApiError, type ErrorCode, notFound } from "../api-errors.ts";
import type { SimNode } from "../world/model.ts";
import { kindOf, type NodeKind, type ObjectKind } from "../world/objects.ts";
import type { Call } from "./endpoint.ts";
import { emptyReply, type Reply } from "./reply.ts";

/** The object that the path names. @throws RequestRefused NOT_FOUND */
export function nodeOf({ visible, params }: Call, kind?: NodeKind): SimNode {
  const node = visible.node(params.id ?? "");
  if (node === undefined || (kind !== undefined && kindOf(node) !== kind)) throw notFound();
  return node;
}

/** "202 with no body while the object is not yet fully available, and a `Wait-For` header", in seconds; undefined when it is. */
export function waitForCreation(
  { rendering, params, principal, installation }: Call,
  kind: ObjectKind,
): Reply | undefined {
  const node = rendering.world.node(params.id ?? "");
  if (node === undefined || kindOf(node) !== kind || !principal.account.visibility.sees(node)) return undefined;
  const remaining = installation.pendingObjects.remaining(node);
  if (remaining === undefined) return undefined;
  return emptyReply({ status: 202, headers: { "Wait-For": String(Math.ceil(remaining / 1000)) } });
}

/** "409: referenced object in a PUT or PATCH request does not exist or is not visible"; there is no code of its own for it. */
export function conflict(message: string): ApiError {
  return new ApiError("NOT_FOUND" satisfies ErrorCode, message, { status: 409 });
}

/** @throws RequestRefused BAD_REQUEST with the world's reason */
export function rejectInvalid<Result>(change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    if (error instanceof RangeError) throw new ApiError("BAD_REQUEST", sentence(error.message));
    throw error;
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
