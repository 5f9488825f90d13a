import { settingSectionsOf } from "../node-settings.ts";
import type { ObjectKind } from "../subject.ts";
import { AVAILABLE, type Include, type Section } from "./include.ts";
import { fieldSchema, type JsonSchema, objectSchema } from "./setting-schema.ts";
import type { SpellingName } from "./spelling.ts";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const ANY_OBJECT = { type: "object" };
const REFERENCE = objectSchema({ id: TEXT, type: TEXT, name: TEXT, href: TEXT }, ["id", "type", "name", "href"], true);

const INHERITANCE = {
  _inheritancesource: { anyOf: [REFERENCE, { type: "null" }] },
  _inherited: { type: "boolean" },
  _shadowed: { type: ["object", "null"] },
};

/** What reading an object of the tree answers. Servers may add members at any time, so further ones are allowed. */
export function readSchema(kind: ObjectKind, include: Include, spelling: SpellingName): JsonSchema {
  const sections = [...new Set<Section>(["basic", ...include.sections])].map((name): [string, JsonSchema] => {
    return [name, sectionSchema(kind, name, include.inheritance, spelling)];
  });
  const state = kind === "channel" ? {} : { status: TEXT };
  const more = kind === "sensor" ? { status_since: TEXT, message: TEXT, lastup: TEXT, kind_name: TEXT } : {};
  const measured = kind === "channel" ? { last_measurement: { type: ["object", "null"] } } : {};
  const summary: Record<string, JsonSchema> =
    include.summary && AVAILABLE[kind].summary ? { sensor_status_summary: ANY_OBJECT } : {};
  const members = { id: TEXT, name: TEXT, href: TEXT, type: TEXT, kind: TEXT, parent: REFERENCE };
  const properties = { ...members, ...state, ...more, ...measured, ...Object.fromEntries(sections), ...summary };
  const always = ["id", "name", "href", "type", "kind", ...Object.keys(state), ...Object.keys(summary)];
  return objectSchema(properties, [...always, ...sections.map(([name]) => name)], true);
}

function sectionSchema(kind: ObjectKind, name: Section, inheritance: boolean, spelling: SpellingName): JsonSchema {
  if (name === "path") return { type: "array", items: REFERENCE };
  const inherited = inheritance ? INHERITANCE : {};
  const required = Object.keys(inherited);
  if (kind === "channel") return objectSchema({ ...CHANNEL_SECTIONS[name], ...inherited }, required, true);
  const section = settingSectionsOf(kind).find((known) => known.name === name);
  const fields = (section?.fields ?? []).map((field): [string, JsonSchema] => [
    field.name,
    fieldSchema(field, spelling === "live"),
  ]);
  const derived = name === "basic" ? { parenttags: TEXTS, active: { type: ["boolean", "string"] } } : {};
  return objectSchema({ ...Object.fromEntries(fields), ...derived, ...inherited }, required, true);
}

/** A channel has no settings that can be written. */
const CHANNEL_SECTIONS: Readonly<Partial<Record<Section, Readonly<Record<string, JsonSchema>>>>> = {
  basic: { name: TEXT, displayunit: TEXT, unittype: TEXT },
};
