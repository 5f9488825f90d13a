import { requireObject } from "../access.ts";
import { type Call, type Endpoint, object, type Reply } from "../endpoint.ts";
import { waitForCreation } from "../node-of.ts";
import { AVAILABLE, parseInclude } from "../records/include.ts";
import { renderTreeNode } from "../records/tree-node.ts";
import { selectPage } from "../selection.ts";
import type { Subject, SubjectKind } from "../subject.ts";

type Lists = readonly (readonly Subject[])[];

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

function single(kind: SubjectKind): Endpoint {
  const handle = (call: Call): Reply => {
    const { visible, params, query, rendering } = call;
    const include = parseInclude(query.get("include"), AVAILABLE[kind]);
    const wait = waitForCreation(call, kind);
    if (wait !== undefined) return wait;
    return object(renderTreeNode(requireObject(visible, kind, params.id), include, rendering));
  };
  return { operation: `get${capitalized(kind)}`, access: "bearer", handle };
}

function list(
  kind: SubjectKind | "object",
  lists: (call: Call) => Lists,
  options: { sortable: boolean } = { sortable: false },
): Endpoint {
  const handle = (call: Call): Reply => {
    const include = parseInclude(call.query.get("include"), AVAILABLE[kind]);
    return selectPage(call, lists(call), options, (subject) => renderTreeNode(subject, include, call.rendering));
  };
  return { operation: `list${capitalized(kind)}s`, access: "bearer", handle };
}

function capitalized<Word extends string>(word: Word): Capitalize<Word> {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}` as Capitalize<Word>;
}
