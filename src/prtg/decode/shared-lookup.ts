import { isDeepStrictEqual } from "node:util";
import type { LookupDefinition } from "../records.ts";

/** Names that are remembered; a server has some hundred lookups. */
const MAX_KNOWN = 4_096;

/** By id. They are kept by the servers that have them, and go with the last of these. */
const known = new Map<string, WeakRef<LookupDefinition>>();

/**
 * The same definition, as another server has it, in one copy: most come with the product, and with hundreds of servers they would
 * be half of what a small one needs.
 */
export function sharedLookup(definition: LookupDefinition): LookupDefinition {
  const same = known.get(definition.id)?.deref();
  if (isDeepStrictEqual(same, definition)) return same ?? definition;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(definition.id, new WeakRef(definition));
  return definition;
}
