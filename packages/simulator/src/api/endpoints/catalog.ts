import { notFound } from "../../api-errors.ts";
import { propertyTable } from "../../filter/vocabulary.ts";
import { DEVICE_ICONS, DEVICE_TEMPLATES } from "../../installation/device-catalog.ts";
import { LIBRARIES, type Library, type LibraryNode, shows } from "../../installation/libraries.ts";
import { LOOKUPS, type Lookup, lookupById } from "../../world/sensors/lookups.ts";
import type { Call, Endpoint } from "../endpoint.ts";
import { type RecordContext, recordScope, selectRecords } from "../lists.ts";
import { jsonReply, type Reply } from "../reply.ts";

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

export const LOOKUP_DEFINITIONS: readonly Endpoint[] = [
  { operation: "listLookupDefinitions", access: "bearer", handle: listLookups },
  { operation: "getLookupDefinition", access: "bearer", handle: getLookup },
];

const LOOKUP_PROPERTIES = propertyTable<Lookup, RecordContext>({
  id: (lookup) => lookup.id,
  name: (lookup) => lookup.name,
  kind: () => "lookup",
  // The specification's types have no word for a lookup.
  type: () => undefined,
  lookupdefinitionid: (lookup) => lookup.id,
  lookuptype: (lookup) => lookup.type,
});

function listLookups(call: Call): Reply {
  return selectRecords(call, [LOOKUPS], { scope: recordScope(call, LOOKUP_PROPERTIES), sortable: true }, renderLookup);
}

function getLookup({ params }: Call): Reply {
  const lookup = lookupById(params.id ?? "");
  if (lookup === undefined) throw notFound();
  return jsonReply(renderLookup(lookup));
}

/** Fields are not shown: after what a file with a lookup says in the product. A range has its last value in `to`. */
function renderLookup({ id, name, type, desiredValue, entries }: Lookup): string {
  const href = `/api/v2/lookup-definitions/${encodeURIComponent(id)}`;
  return JSON.stringify({ id, name, href, lookup_type: type, desired_value: desiredValue, values: entries });
}

/** What devices can be made after and shown with. */
export const DEVICE_CATALOG: readonly Endpoint[] = [
  { operation: "listDeviceTemplates", access: "bearer", handle: listTemplates },
  { operation: "listDeviceIcons", access: "bearer", handle: listIcons },
];

/** Fields of a template are not shown: ours. */
function listTemplates(): Reply {
  const templates = DEVICE_TEMPLATES.map(({ id, name, sensorKinds }) => ({ id, name, sensor_kinds: sensorKinds }));
  return jsonReply(JSON.stringify(templates));
}

/** Where the pictures are is not stated; the simulator has none. */
function listIcons(): Reply {
  const icons = DEVICE_ICONS.map(({ id, extensions }) => ({ id, href: `/icons/devices/${id}`, extensions }));
  return jsonReply(JSON.stringify(icons));
}
