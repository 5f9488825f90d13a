import { isDeepStrictEqual } from "node:util";
import { MAX_LOOKUP_ENTRIES } from "../answer-bounds.ts";
import type { LookupDefinition, LookupEntry } from "../records.ts";
import { readNumber } from "./displayed.ts";
import { type DecodeProblems, idOf, isAbsent, isObject, type JsonObject, type Members, text } from "./values.ts";

/*
 * The specification names lookup definitions, `lookupdefinitionid` and the section `values`, but shows no records. This
 * reads the likely spellings, and those of PRTG's lookup files. Names of channels never decide.
 */

const REFERENCE_MEMBERS = [
  "lookup",
  "lookupid",
  "lookup_id",
  "lookupdefinitionid",
  "lookup_definition_id",
  "lookupdefinition",
  "lookup_definition",
  "valuelookup",
  "value_lookup",
  "lookupname",
  "lookup_name",
] as const;
/** See `readLookupReference`. */
export const LOOKUP_REFERENCE: Members = Object.fromEntries(REFERENCE_MEMBERS.map((name) => [name, true]));

/** Values for no lookup. */
const NONE: ReadonlySet<string> = new Set(["", "none", "0", "-1"]);

const LOOKUP_UNITS: ReadonlySet<unknown> = new Set(["VALUE_LOOKUP", "VALUELOOKUP", "LOOKUP"]);

/**
 * Id or name of the lookup. Empty: none. `undefined`: the record does not say. Skips records that cannot have one,
 * because there are hundreds of thousands.
 */
export function readLookupReference(record: JsonObject, problems: DecodeProblems): string | undefined {
  const { values, basic, unit } = record;
  const section = isObject(values) ? values : undefined;
  const settings = isObject(basic) ? basic : undefined;
  const legacy = isObject(unit) ? unit : undefined;
  if (section === undefined && !LOOKUP_UNITS.has(settings?.unittype ?? legacy?.type)) return undefined;
  for (const holder of [section, settings, legacy, record]) {
    const found = holder && referenceIn(holder, problems);
    if (found !== undefined) return found;
  }
  return section === undefined ? undefined : "";
}

function referenceIn(holder: JsonObject, problems: DecodeProblems): string | undefined {
  for (const member of REFERENCE_MEMBERS) {
    const value = holder[member];
    if (isAbsent(value)) continue;
    const reference = isObject(value) ? (idOf(value.id) ?? text(value.name)) : text(value);
    // Choices may be `id|text`.
    const id = reference?.split("|", 1)[0]?.trim();
    if (id === undefined) problems.lookup++;
    else if (!NONE.has(id.toLowerCase())) return id;
  }
  return undefined;
}

/** `undefined`, and counted, without an id. Skips and counts unreadable entries. */
export function decodeLookup(record: unknown, problems: DecodeProblems): LookupDefinition | undefined {
  const id = isObject(record) ? idOf(record.id) : undefined;
  if (!isObject(record) || id === undefined) {
    problems.record++;
    return undefined;
  }
  // Other `type`s are those of records.
  const type = record.lookup_type ?? record.lookuptype ?? (ENTRY_KINDS.has(wordOf(record.type)) ? record.type : "");
  const given = record.values ?? record.entries ?? record.lookups ?? record.items;
  if (!Array.isArray(given)) {
    problems.lookup++;
    return { id, name: text(record.name) ?? "", entries: [] };
  }
  if (given.length > MAX_LOOKUP_ENTRIES) problems.lookup++;
  const entries = given.slice(0, MAX_LOOKUP_ENTRIES).flatMap((entry: unknown) => {
    const found = readEntry(entry, type);
    if (found === undefined) problems.lookup++;
    return found ?? [];
  });
  return { id, name: text(record.name) ?? "", entries };
}

/** Types in letters only. Without a type, an entry with an end is a range. */
const ENTRY_KINDS: ReadonlyMap<string | undefined, "single" | "range" | "bits"> = new Map([
  ["single", "single"],
  ["singleint", "single"],
  ["boolean", "single"],
  ["range", "range"],
  ["", "range"],
  ["bitfield", "bits"],
]);

function wordOf(type: unknown): string | undefined {
  if (isAbsent(type)) return "";
  return typeof type === "string" ? type.toLowerCase().replaceAll(/[^a-z]/g, "") : undefined;
}

function readEntry(entry: unknown, type: unknown): LookupEntry | undefined {
  if (!isObject(entry)) return undefined;
  const words = text(entry.text) ?? text(entry.label) ?? text(entry.name);
  const from = numberOf(entry.value ?? entry.from);
  if (words === undefined || words === "" || from === undefined) return undefined;
  const end = entry.to ?? entry.value_to;
  switch (ENTRY_KINDS.get(wordOf(entry.type ?? type))) {
    case "bits":
      return Number.isInteger(from) && from >= 0 ? { kind: "bits", bits: from, text: words } : undefined;
    case "range": {
      const to = isAbsent(end) ? from : numberOf(end);
      return to !== undefined && to >= from ? { kind: "range", from, to, text: words } : undefined;
    }
    case "single":
      return { kind: "range", from, to: from, text: words };
    default:
      return undefined;
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "boolean" ? Number(value) : readNumber(value);
}

/** A server has some hundred lookups. Most come with the product, and hundreds of servers share one copy. */
const MAX_KNOWN = 4_096;

const known = new Map<string, WeakRef<LookupDefinition>>();

export function sharedLookup(definition: LookupDefinition): LookupDefinition {
  const same = known.get(definition.id)?.deref();
  if (isDeepStrictEqual(same, definition)) return same ?? definition;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(definition.id, new WeakRef(definition));
  return definition;
}
