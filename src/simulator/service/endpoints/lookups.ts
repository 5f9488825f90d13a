import { LOOKUPS, type Lookup, lookupById } from "../../catalog/lookups.ts";
import { notFound } from "../api-errors.ts";
import { type Call, type Endpoint, jsonReply, type Reply } from "../endpoint.ts";
import { propertyTable } from "../filter/vocabulary.ts";
import { type RecordContext, recordScope, selectRecords } from "../selection.ts";

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
