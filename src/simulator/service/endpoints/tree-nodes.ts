import { notFound } from "../api-errors.ts";
import { type Call, type Endpoint, object, type Reply } from "../endpoint.ts";
import { AVAILABLE, parseInclude } from "../records/include.ts";
import { renderTreeNode } from "../records/tree-node.ts";
import { selectPage } from "../selection.ts";
import { kindOf, type Subject, type SubjectKind } from "../subject.ts";

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
  list("object", ({ visible }) => [
    visible.nodes("probe"),
    visible.nodes("group"),
    visible.nodes("device"),
    visible.nodes("sensor"),
    visible.channels(),
  ]),
];

function single(kind: SubjectKind): Endpoint {
  const handle = ({ visible, params, query, rendering }: Call): Reply => {
    const include = parseInclude(query.get("include"), AVAILABLE[kind]);
    const id = params.id ?? "";
    const subject = kind === "channel" ? visible.channel(id) : visible.node(id);
    if (subject === undefined || kindOf(subject) !== kind) throw notFound();
    return object(renderTreeNode(subject, include, rendering));
  };
  return { method: "GET", path: `/${kind}s/{id}`, maturity: "stable", access: "bearer", paged: false, handle };
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
  return {
    method: "GET",
    path: `/experimental/${kind}s`,
    maturity: "experimental",
    access: "bearer",
    paged: true,
    handle,
  };
}
