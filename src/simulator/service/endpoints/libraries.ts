import { LIBRARIES, type Library, type LibraryNode, shows } from "../../catalog/libraries.ts";
import type { Call, Endpoint, Reply } from "../endpoint.ts";
import { propertyTable } from "../filter/vocabulary.ts";
import { type RecordContext, recordScope, selectRecords } from "../selection.ts";

export const LIBRARIES_OF_OBJECTS: readonly Endpoint[] = [
  { operation: "listLibraries", access: "bearer", handle: listLibraries },
];

const LIBRARY_PROPERTIES = propertyTable<Library, RecordContext>({
  id: (library) => library.id,
  name: (library) => library.name,
  kind: () => "library",
  type: () => "library",
  status: (library) => (library.active ? "up" : "pausedbyuser"),
  active: (library) => library.active,
  comment: (library) => library.comment,
  favorite: (library) => library.favorite,
  priority: (library) => library.priority,
  tags: (library) => library.tags,
  "basic.tags": (library) => library.tags,
});

function listLibraries(call: Call): Reply {
  const scope = recordScope(call, LIBRARY_PROPERTIES);
  return selectRecords(call, [LIBRARIES], { scope, sortable: true }, (library) => renderLibrary(library, call));
}

/** Fields are not shown: ours. */
function renderLibrary({ nodes, ...library }: Library, call: Call): string {
  return JSON.stringify({ ...library, nodes: nodes.map((node) => ({ ...node, objects: countObjects(node, call) })) });
}

/** Those that the user sees. */
function countObjects(node: LibraryNode, { visible }: Call): number {
  return visible.nodes(node.kind).filter((object) => shows(node, object)).length;
}
