import type { SimNode } from "../../world/model.ts";
import { ApiError } from "../api-errors.ts";
import { operationId } from "../contract/types.ts";
import { type Call, jsonReply, NO_CONTENT, type ProtectedEndpoint, type Reply } from "../endpoint.ts";
import { compileFilter } from "../filter/compile.ts";
import { treeScope } from "../filter/objects/scope.ts";
import { type Action, type ActionOptions, applyAction } from "../node-actions.ts";
import { nodeOf } from "../node-of.ts";
import { errorObject } from "../respond.ts";

type Kind = "probe" | "group" | "device" | "sensor";
/** Sensors alone can be acknowledged. */
type Actable<Of extends Action> = Of extends "acknowledge" ? "sensor" : Kind;

/** Pause, resume, scan and acknowledge: of one object, and of all that fit a filter. */
export const NODE_ACTIONS: readonly ProtectedEndpoint[] = [
  ...(["probe", "group", "device", "sensor"] as const).flatMap((kind) => [
    ...actionOn(kind, "pause"),
    ...actionOn(kind, "resume"),
    ...actionOn(kind, "scan"),
  ]),
  ...actionOn("sensor", "acknowledge"),
];

function actionOn<Of extends Action>(kind: Actable<Of>, action: Of): ProtectedEndpoint[] {
  const capitalized = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as Capitalize<Actable<Of>>;
  const operation = `${action}${capitalized}` as const;
  return [
    { operation: operationId(operation), access: "bearer", handle: (call) => actOnOne(call, kind, action) },
    { operation: operationId(`${operation}s`), access: "bearer", handle: (call) => actOnMany(call, kind, action) },
  ];
}

async function actOnOne(call: Call, kind: Kind, action: Action): Promise<Reply> {
  const options = (await call.readBody<ActionOptions | undefined>()) ?? {};
  applyAction(call.rendering.world, action, nodeOf(call, kind), call.now, options);
  return NO_CONTENT;
}

/** What fits the filter is known before anything is done: the one must not change what the others are. */
async function actOnMany(call: Call, kind: Kind, action: Action): Promise<Reply> {
  const { filter, ...options } = await call.readBody<ActionOptions & { filter: string }>();
  const nodes: readonly SimNode[] = call.visible.nodes(kind);
  const chosen = nodes.filter(compileFilter(filter, treeScope(call.rendering)));
  const results = chosen.map((node) => {
    const failure = failureOf(call, () => applyAction(call.rendering.world, action, node, call.now, options));
    return `{"node":${call.rendering.cache.of(node).reference},"failure":${failure}}`;
  });
  return jsonReply(`[${results.join(",")}]`);
}

/** "In multi-object actions this is reported in the `failure` of that object's action result." */
function failureOf({ requestId }: Call, attempt: () => void): string {
  try {
    attempt();
    return "null";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return errorObject(error.code, error.message, requestId);
  }
}
