import { requireObject } from "../../../auth/visibility.ts";
import { AVAILABLE, parseInclude } from "../../../records/include.ts";
import { renderTreeNode } from "../../../records/tree-node.ts";
import type { ObjectKind, SimObject } from "../../../world/objects.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { selectPage } from "../../lists.ts";
import { jsonReply, type Reply } from "../../reply.ts";
import { waitForCreation } from "../../request-objects.ts";

type Lists = readonly (readonly SimObject[])[];

/** Single objects, and the lists that take `include`. */
export const TREE_NODES: readonly Endpoint[] = [
  single("probe"),
  single("group"),
  single("device"),
  single("sensor"),
  single("channel"),
  list("probe", ({ visible }) => [visible.nodes("probe")]),
  list("group", ({ visible }) => [visible.nodes("group")]),
  list("device", ({ visible }) => [visible.nodes("device")]),
  list("sensor", ({ visible }) => [visible.nodes("sensor")]),
  // The only one of them with `sort_by`, marked deprecated there.
  list("channel", ({ visible }) => [visible.channels()], { sortable: true }),
  list("object", ({ visible }) => visible.objects()),
];

function single(kind: ObjectKind): Endpoint {
  const handle = (call: Call): Reply => {
    const { visible, params, query, rendering } = call;
    const include = parseInclude(query.get("include"), AVAILABLE[kind]);
    const wait = waitForCreation(call, kind);
    if (wait !== undefined) return wait;
    return jsonReply(renderTreeNode(requireObject(visible, kind, params.id), include, rendering));
  };
  return { operation: `get${capitalized(kind)}`, access: "bearer", handle };
}

function list(
  kind: ObjectKind | "object",
  lists: (call: Call) => Lists,
  options: { sortable: boolean } = { sortable: false },
): Endpoint {
  const handle = (call: Call): Reply => {
    const include = parseInclude(call.query.get("include"), AVAILABLE[kind]);
    return selectPage(call, lists(call), options, (object) => renderTreeNode(object, include, call.rendering));
  };
  return { operation: `list${capitalized(kind)}s`, access: "bearer", handle };
}

function capitalized<Word extends string>(word: Word): Capitalize<Word> {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}` as Capitalize<Word>;
}
