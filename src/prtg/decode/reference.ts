import { MAX_ANCESTORS } from "../answer-bounds.ts";
import type { Reference } from "../records.ts";
import { idOf, isObject, text } from "./primitives.ts";

/**
 * A reference object of the specification. Undefined when there is none that can be used.
 * `href` is not read: it is `restricted` where the user may not see the object, id and name are there all the same.
 */
export function readReference(value: unknown): Reference | undefined {
  if (!isObject(value)) return undefined;
  const id = idOf(value.id);
  if (id === undefined) return undefined;
  return { id, name: text(value.name), kind: referenceKind(value.type) };
}

/** References of a `path` section, from the root down; undefined when there is no such list. */
export function readPath(value: unknown): readonly Reference[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(-MAX_ANCESTORS)
    .map(readReference)
    .filter((reference) => reference !== undefined);
}

/** `REFERENCED_GROUP` is `group`. */
function referenceKind(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  const kind = value.toLowerCase();
  return kind.startsWith("referenced_") ? kind.slice("referenced_".length) : kind;
}
